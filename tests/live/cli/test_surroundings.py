"""What a shell and a machine may lack: an open input, room for a log, memory, a time zone."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest

from dbdyno.cli.say import say, warn
from dbdyno.cli.surroundings import is_output_lost, print_whatever_happens
from tests.live.cli.test_calls import EXPERIMENT

pytestmark = pytest.mark.live
LIMIT_S = 240.0
CALL = f"{shlex.quote(sys.executable)} -m dbdyno"


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in which ``$RUN`` runs a small experiment into the folder result.

    ``$CALL`` is dbdyno alone.
    """
    (folder / "tiny.yaml").write_text(EXPERIMENT)
    return subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        env=os.environ | {"CALL": CALL, "RUN": f"{CALL} run tiny.yaml --out result"} | environment,
    )


@pytest.mark.parametrize("closed", ["<&-", "<&- >&- 2>&-", ">/dev/full", ">/dev/full 2>&1"])
@pytest.mark.parametrize("options", ["", "--json"])
def test_a_run_is_carried_out_whatever_its_streams_are(
    tmp_path: Path, closed: str, options: str
) -> None:
    done = shell(f"$RUN {options} {closed}", tmp_path)
    assert (tmp_path / "result/report.html").is_file(), done.stderr
    assert (tmp_path / "result/trials/0001/trial.json").is_file()
    assert "Traceback" not in done.stderr
    if closed == ">/dev/full":
        assert "cannot be written (No space left on device); the run goes on" in done.stderr


@pytest.mark.parametrize("command", ["plan tiny.yaml", "audit t.csv", "--help"])
def test_output_that_is_lost_is_a_failure_in_words(tmp_path: Path, command: str) -> None:
    (tmp_path / "t.csv").write_text("system,threads,tps\nA,8,100\nB,8,120\n")
    done = shell(f"$CALL {command} >/dev/full", tmp_path)
    assert done.stderr == (
        "warning: what is to be printed cannot be written (No space left on device); it is lost\n"
    )
    assert done.returncode == 1


@pytest.mark.parametrize("errors", ["2>/dev/full", "2>&-"])
def test_errors_that_cannot_be_printed_leave_the_status(tmp_path: Path, errors: str) -> None:
    assert shell(f"$CALL plan none.yaml {errors}", tmp_path).returncode == 2
    assert shell(f"$CALL plan tiny.yaml {errors}", tmp_path).returncode == 0


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_lines_that_cannot_be_printed_end_no_measurement(
    stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, full if name == stream else StringIO())
        print_whatever_happens()
        say("1 s: 100 tps\n")
        warn("2 s: 100 tps\n")
        assert is_output_lost() == (stream == "stdout")
        with suppress(OSError):
            full.close()


@pytest.mark.parametrize("kibibytes", [600_000, 2_500_000])
def test_little_memory_is_said_before_anything_runs(tmp_path: Path, kibibytes: int) -> None:
    done = shell(f"ulimit -v {kibibytes}; $RUN", tmp_path)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert "ulimit -v" in done.stderr
    assert not (tmp_path / "result").exists()


def test_a_time_zone_that_is_none_is_refused(tmp_path: Path) -> None:
    done = shell("$RUN", tmp_path, TZ=":/etc/passwd")
    assert done.returncode == 2
    assert done.stderr.startswith("TZ names /etc/passwd, which is no time zone")


def test_a_run_needs_no_facts_of_memory(tmp_path: Path) -> None:
    hidden = "unshare --mount sh -c 'mount --bind /dev/null /proc/meminfo; exec $RUN'"
    done = shell(hidden, tmp_path)
    assert (tmp_path / "result/report.html").is_file(), done.stderr
    assert '"memory_available_bytes": null' in (tmp_path / "result/host.json").read_text()
