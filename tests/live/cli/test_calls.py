"""Calls that are wrong, each with its exit status and the words that come back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.live.run.launch import call

EXPERIMENT = """\
experiment: tiny
question: How fast is one client?
workload: {sysbench: {script: oltp_point_select, table_size: 100}}
target: {sqlite: {}}
procedure: {warmup: 0.1s, duration: 0.6s, interval: 0.1s, rounds: 1}
"""

LONG = 300 * "x"

WRONG_CALLS = [
    ("run", "Missing argument 'EXPERIMENT.yaml'."),
    (
        "run missing.yaml",
        "missing.yaml: cannot be read (No such file or directory); name an experiment file",
    ),
    (
        "doctor MYSQL://root@127.0.0.1/x",
        "URL: write the scheme in small letters: mysql://",
    ),
    ("run folder", "folder: cannot be read (Is a directory); name an experiment file"),
    ("run tiny.yaml --out", "Option '--out' requires an argument."),
    ("run tiny.yaml -x", "No such option: -x"),
    ("run tiny.yaml other.yaml", "Got unexpected extra argument(s) (other.yaml)"),
    ("run wrong.yaml", "wrong.yaml:5: procedure.rounds: must be 1 or more, not 0"),
    ("run tiny.yaml --out tiny.yaml", "tiny.yaml is no directory; name one with --out"),
    ("run tiny.yaml --out /dev/null", "/dev/null is no directory; name one with --out"),
    (
        "run tiny.yaml --out /proc/result",
        "cannot use /proc/result for the result: No such file or directory (/proc/result)",
    ),
    (
        "run tiny.yaml --out tiny.yaml/below",
        "cannot use tiny.yaml/below for the result: Not a directory (tiny.yaml/below)",
    ),
    (
        f"run tiny.yaml --out {LONG}",
        f"cannot use {LONG} for the result: File name too long ({LONG})",
    ),
    ("run tiny.yaml --out folder", "folder exists and is not empty: name another directory"),
    ("demo --out tiny.yaml", "tiny.yaml is no directory; name one with --out"),
    ("report", "Missing argument 'DIR'."),
    ("report folder", "folder is no result directory: there is no format.json in it"),
    ("report missing", "missing is no result directory: there is no format.json in it"),
    (f"report {LONG}", f"cannot read {LONG}: File name too long ({LONG}/format.json)"),
    ("report tiny.yaml", "tiny.yaml is no result directory: there is no format.json in it"),
    (
        "report result --format html,docx",
        "report format 'docx' is not known; known: html, md, pdf",
    ),
    ("report result --lang de", "report language 'de' is not known; known: en, zh"),
    (
        "report newer",
        "newer/format.json says version 3, written by dbdyno 9.9; this is dbdyno 0.1.0, which "
        "reads versions 1 and 2",
    ),
    ("report other", 'other/format.json says format "tarball"; a result says "dbdyno-result"'),
    ("rnu tiny.yaml", "No such command 'rnu'. Did you mean 'run'?"),
]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with files and results of all kinds, to name in calls."""
    directory = tmp_path_factory.mktemp("calls")
    (directory / "tiny.yaml").write_text(EXPERIMENT)
    (directory / "wrong.yaml").write_text(EXPERIMENT.replace("rounds: 1", "rounds: 0"))
    (directory / "folder").mkdir()
    (directory / "folder" / "notes.txt").write_text("precious")
    assert call(["run", "tiny.yaml", "--out", "result"], directory=directory).status == 0
    for name, change in (
        ("newer", {"version": 3, "dbdyno": "9.9"}),
        ("other", {"format": "tarball"}),
    ):
        shutil.copytree(directory / "result", directory / name)
        path = directory / name / "format.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
    return directory


@pytest.mark.parametrize(
    ("arguments", "message"), WRONG_CALLS, ids=[arguments[:60] for arguments, _ in WRONG_CALLS]
)
def test_wrong_calls(directory: Path, arguments: str, message: str) -> None:
    before = contents(directory)
    done = call(arguments.split(), directory=directory, environment={"COLUMNS": "200"})
    assert done.status == 2
    assert words(done.errors).endswith(message)
    assert "Traceback" not in done.errors
    assert not done.output or arguments.startswith("demo")
    assert contents(directory) == before


def test_a_report_is_written_again_from_what_is_stored(directory: Path) -> None:
    (directory / "result" / "report.html").unlink()
    done = call(["report", "result"], directory=directory)
    assert done.status == 0
    assert "1 of 1 trials used" in done.output
    assert done.output.endswith("report: result/report.html\n")
    assert (directory / "result" / "report.html").exists()


def test_a_result_without_a_valid_trial_has_nothing_to_report(directory: Path) -> None:
    shutil.copytree(directory / "result", directory / "invalid")
    shutil.rmtree(directory / "invalid" / "trials" / "0001")
    done = call(["report", "invalid"], directory=directory)
    assert done.status == 1
    assert done.errors == (
        "invalid has nothing to report: of its 1 trials none can be used, as the warnings say\n"
    )
    assert "0 of 1 trials used" in done.output
    assert (directory / "invalid" / "report.html").exists()


def test_what_is_no_trial_of_the_plan_is_told(directory: Path) -> None:
    shutil.copytree(directory / "result", directory / "edited")
    (directory / "edited" / "trials" / "0001.old").mkdir()
    done = call(["report", "edited"], directory=directory)
    assert done.status == 0
    assert done.errors == (
        "warning: edited/trials holds what is no trial of the plan and is not read: 0001.old\n"
    )


def test_without_out_the_result_is_named_after_the_experiment(directory: Path) -> None:
    assert call(["run", "tiny.yaml"], directory=directory).status == 0
    assert (directory / "results" / "tiny" / "format.json").exists()


def contents(directory: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


def words(text: str) -> str:
    """Return a message without the frame that is drawn around some."""
    return " ".join(text.translate(dict.fromkeys(map(ord, "╭╮╰╯│─"), " ")).split())
