"""What a shell and a machine may lack: an open input, room for a log, memory, a time zone."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.cli.test_calls import EXPERIMENT

pytestmark = pytest.mark.live
LIMIT_S = 240.0


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in which ``$RUN`` runs a small experiment into the folder result."""
    (folder / "tiny.yaml").write_text(EXPERIMENT)
    return subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        env=os.environ
        | {"RUN": f"{shlex.quote(sys.executable)} -m dbdyno run tiny.yaml --out result"}
        | environment,
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
