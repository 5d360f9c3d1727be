"""A run from start to end, and what happens when its directory is named again."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from dbdyno.store.model import TrialStatus
from dbdyno.store.reader import read_result
from tests.live.run.launch import Ended
from tests.live.run.stage import Stage

TRIAL_FILES = {
    "plan.json",
    "trial.json",
    "intervals.parquet",
    "generator.parquet",
    "errors.parquet",
    "percentiles.parquet",
    "histograms.hlog",
    "window.hlog",
    "resources.parquet",
}
RESULT_FILES = {
    "format.json",
    "experiment.yaml",
    "plan.json",
    "host.json",
    "journal.jsonl",
    "report.html",
    "trials",
}

JOURNAL_MODES = "journal_mode: {sets: server.journal_mode, levels: [delete, wal]}"
LARGER_THAN_SMOKE = 1200


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> tuple[Stage, Ended]:
    """Return a result of four trials, and how the run ended."""
    stage = Stage(tmp_path_factory.mktemp("complete")).write(
        factors=JOURNAL_MODES, table_size=LARGER_THAN_SMOKE
    )
    running = stage.launch()
    ended = running.end()
    assert running.written_elsewhere() == []
    return stage, ended


@pytest.fixture
def copy(complete: tuple[Stage, Ended], tmp_path: Path) -> Stage:
    """Return a copy of the complete result to do something to."""
    shutil.copytree(complete[0].directory, tmp_path, dirs_exist_ok=True)
    return Stage(tmp_path)


def test_everything_is_there_and_nothing_else(complete: tuple[Stage, Ended]) -> None:
    stage, ended = complete
    assert ended.status == 0
    assert ended.errors == ""
    assert {path.name for path in stage.result.iterdir()} == RESULT_FILES
    for number in range(1, 5):
        folder = stage.result / "trials" / f"{number:04d}"
        assert {path.name for path in folder.iterdir()} == TRIAL_FILES
    assert {path.name for path in (stage.result / "trials").iterdir()} == {
        "0001",
        "0002",
        "0003",
        "0004",
    }
    assert ended.trials("trial_started") == ended.trials("trial_finished") == [1, 2, 3, 4]
    result = read_result(stage.result)
    assert result.missing == ()
    for trial in result.trials:
        assert trial.status is TrialStatus.COMPLETED
        assert trial.dataset["check"] == {"done": True, "passed": True}
        assert trial.intervals["committed"].sum() > 0


def test_in_a_pipe_there_is_one_line_a_trial(complete: tuple[Stage, Ended]) -> None:
    lines = complete[1].output.splitlines()
    assert lines[0].split() == ["trial", "cell", "transactions/s", "response", "time", "p95"]
    assert [line.split()[0] for line in lines[1:5]] == ["1/4", "2/4", "3/4", "4/4"]
    assert "\x1b" not in complete[1].output


def test_the_plan_is_stored_as_the_generator_received_it(complete: tuple[Stage, Ended]) -> None:
    stage, _ = complete
    plans = {}
    for number in range(1, 5):
        plan = (stage.result / "trials" / f"{number:04d}" / "plan.json").read_bytes()
        record = stage.trial(number)
        assert hashlib.sha256(plan).hexdigest() == record["plan_sha256"]
        plans[record["cell"]["journal_mode"], record["round"]] = json.loads(plan)
    for round_number in (1, 2):
        delete, wal = (plans[mode, round_number] for mode in ("delete", "wal"))
        assert delete.pop("url") != wal.pop("url")
        assert delete == wal


def test_again_it_only_writes_the_report(copy: Stage) -> None:
    before = copy.fingerprints()
    (copy.result / "report.html").write_text("an old report")
    ended = copy.run()
    assert ended.status == 0
    assert ended.output.startswith("all 4 trials are there already; none is left to run\n")
    assert ended.trials("trial_started") == []
    assert "an old report" not in (copy.result / "report.html").read_text()
    after = copy.fingerprints()
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert changed <= {"report.html", "journal.jsonl"}


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": 3},
        {"table_size": 2000},
        {"target": "{sqlite: {set: {synchronous: normal}}}"},
        {"procedure": "check: none"},
        {"procedure": "seed: 2"},
    ],
    ids="".join,
)
def test_a_changed_experiment_is_refused(copy: Stage, change: dict[str, object]) -> None:
    before = copy.fingerprints()
    written = {"factors": JOURNAL_MODES, "table_size": LARGER_THAN_SMOKE} | change
    ended = copy.write(**written).run()  # type: ignore[arg-type]
    assert ended.status == 2
    assert ended.errors == (
        f"{copy.result} holds the result of another experiment, or of this one before it was "
        "changed; name another directory with --out\n"
    )
    assert copy.fingerprints() == before


def test_another_size_is_refused(copy: Stage) -> None:
    before = copy.fingerprints()
    assert copy.run("--smoke").status == 2
    assert copy.fingerprints() == before


def test_a_comment_in_the_file_changes_nothing(copy: Stage) -> None:
    copy.file.write_text("# A remark.\n" + copy.file.read_text())
    assert copy.run().status == 0
