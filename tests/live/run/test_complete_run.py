"""A run from start to end, and what happens when its directory is named again."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from dbdyno.store.facts import CheckFacts
from dbdyno.store.model import TrialStatus
from dbdyno.store.reader import read_result
from tests.live.run.launch import Ended, call
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

LARGER_THAN_SMOKE = 1200


@dataclass(frozen=True)
class Case:
    """A target, and a factor on a setting of it."""

    target: str
    product: str
    factor: str
    levels: tuple[str, str]

    def write(self, stage: Stage, **changes: object) -> Stage:
        """Write an experiment of four trials, with changes."""
        levels = ", ".join(self.levels)
        written: dict[str, object] = {
            "target": f"{{{self.target}: {{}}}}",
            "factors": f"{self.factor}: {{sets: server.{self.factor}, levels: [{levels}]}}",
            "table_size": LARGER_THAN_SMOKE,
        }
        return stage.write(**written | changes)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.target


SQLITE = Case("sqlite", "SQLite", "journal_mode", ("delete", "wal"))
POSTGRESQL = Case("postgresql", "PostgreSQL", "synchronous_commit", ("on", "off"))

Complete = tuple[Stage, Ended]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], Complete]:
    """Return what runs a case once, and gives its result of four trials and how the run ended."""

    @cache
    def result(case: Case) -> Complete:
        stage = case.write(Stage(tmp_path_factory.mktemp("complete")))
        running = stage.launch()
        ended = running.end()
        assert running.written_elsewhere() == []
        return stage, ended

    return result


@pytest.fixture(params=[SQLITE, pytest.param(POSTGRESQL, marks=pytest.mark.live)], ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    """Return each case in turn."""
    assert isinstance(request.param, Case)
    return request.param


@pytest.fixture
def complete(results: Callable[[Case], Complete], case: Case) -> Complete:
    """Return a result of four trials, and how the run ended."""
    return results(case)


@pytest.fixture
def copy(results: Callable[[Case], Complete], tmp_path: Path) -> Stage:
    """Return a copy of a complete result on SQLite to do something to."""
    shutil.copytree(results(SQLITE)[0].directory, tmp_path, dirs_exist_ok=True)
    return Stage(tmp_path)


def test_everything_is_there_and_nothing_else(complete: Complete) -> None:
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
        assert trial.dataset.check == CheckFacts(done=True, passed=True)
        assert trial.intervals["committed"].sum() > 0


def test_in_a_pipe_there_is_one_line_a_trial(complete: Complete) -> None:
    lines = complete[1].output.splitlines()
    assert lines[0].split() == ["trial", "cell", "transactions/s", "response", "time", "p95"]
    assert [line.split()[0] for line in lines[1:5]] == ["1/4", "2/4", "3/4", "4/4"]
    assert "\x1b" not in complete[1].output


def test_the_plan_is_stored_as_the_generator_received_it(complete: Complete, case: Case) -> None:
    stage, _ = complete
    plans = {}
    for number in range(1, 5):
        plan = (stage.result / "trials" / f"{number:04d}" / "plan.json").read_bytes()
        record = stage.trial(number)
        assert hashlib.sha256(plan).hexdigest() == record["plan_sha256"]
        assert record["server"]["settings"][case.factor] == record["cell"][case.factor]
        plans[record["cell"][case.factor], record["round"]] = json.loads(plan)
    for round_number in (1, 2):
        one, other = (plans[level, round_number] for level in case.levels)
        assert one.pop("url") != other.pop("url")
        assert one == other


def test_the_report_is_made_of_the_result_alone(
    complete: Complete, case: Case, tmp_path: Path
) -> None:
    stage = Stage(tmp_path)
    shutil.copytree(complete[0].result, stage.result)
    (stage.result / "report.html").unlink()
    ended = call(["report", stage.result])
    assert ended.status == 0, ended
    assert "4 of 4 trials used" in ended.output
    report = (stage.result / "report.html").read_text()
    version = stage.trial(1)["server"]["version"]
    assert version[0].isdecimal()
    assert f'<td class="t">{version}</td>' in report
    assert f'<td class="t">{case.product}</td>' in report


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


def test_a_server_whose_cpus_were_seen_otherwise_is_the_same(copy: Stage) -> None:
    plan = copy.result / "plan.json"
    otherwise = {'"same_cpus"': '"unknown"', '"workers": 1': '"workers": 7'}
    text = plan.read_text()
    for seen, word in otherwise.items():
        assert text.count(seen) == 4
        text = text.replace(seen, word)
    plan.write_text(text)
    ended = copy.run()
    assert ended.output.startswith("all 4 trials are there already; none is left to run\n"), ended
    assert plan.read_text() == text


@pytest.mark.parametrize(
    ("change", "differences"),
    [
        ({"rounds": 1}, "procedure.rounds: 2 in the result, 1 in the file"),
        (
            {"table_size": 2000},
            "workload.sysbench.table_size: 1200 in the result, 2000 in the file",
        ),
        (
            {"target": "{sqlite: {set: {synchronous: normal}}}", "rounds": 3},
            "target.sqlite.set.synchronous: nothing in the result, normal in the file; "
            "procedure.rounds: 2 in the result, 3 in the file",
        ),
        ({"procedure": "check: none"}, "procedure.check: nothing in the result, none in the file"),
        (
            {"procedure": "order: sequential", "rounds": 3},
            "procedure.rounds: 2 in the result, 3 in the file; "
            "procedure.order: nothing in the result, sequential in the file",
        ),
    ],
    ids=str,
)
def test_a_changed_experiment_is_refused(
    copy: Stage, change: dict[str, object], differences: str
) -> None:
    before = copy.fingerprints()
    ended = SQLITE.write(copy, **change).run()
    assert ended.status == 2
    assert ended.errors == (
        f"{copy.result} holds the result of another experiment, or of this one before it was "
        f"changed: {differences}. Name another directory with --out; a result goes on only with "
        "another question, or with more rounds in interleaved order\n"
    )
    assert copy.fingerprints() == before


def test_another_size_is_refused(copy: Stage) -> None:
    before = copy.fingerprints()
    refused = copy.run("--smoke")
    assert refused.status == 2
    assert "at another size (--smoke), or as another dbdyno planned it: trial 1." in refused.errors
    assert "workload.sysbench.table_size: 1200 in the result, 1000 in the file" in refused.errors
    assert copy.fingerprints() == before


def test_more_rounds_of_one_order_are_added(copy: Stage) -> None:
    before = copy.fingerprints()
    ended = SQLITE.write(copy, rounds=3).run()
    assert ended.status == 0, ended
    assert ended.events[0]["event"] == "experiment_changed"
    assert ended.events[0]["changes"] == [{"field": "procedure.rounds", "stored": 2, "given": 3}]
    assert ended.trials("trial_started") == [5, 6]
    after = copy.fingerprints()
    assert all(after[path] == before[path] for path in before if path.startswith("trials/"))
    result = read_result(copy.result)
    assert [trial.planned.round for trial in result.trials] == [1, 1, 2, 2, 3, 3]
    assert result.experiment_text == copy.file.read_text()
    assert copy.run().events[0]["event"] == "run_started"


def test_another_question_is_taken_over_and_a_comment_changes_nothing(copy: Stage) -> None:
    copy.file.write_text(
        "# A remark.\n" + copy.file.read_text().replace("more than one client", "the log")
    )
    ended = copy.run()
    assert ended.status == 0
    assert ended.trials("trial_started") == []
    assert [change["field"] for change in ended.events[0]["changes"]] == ["question"]
    assert "Does the log help?" in ended.output
    assert "Does the log help?" in (copy.result / "report.html").read_text()


def test_a_translation_of_the_question_is_taken_over(copy: Stage) -> None:
    text = copy.file.read_text()
    for chinese in ("多个客户端是否更快？", "增加客户端是否更快？"):
        question = f"question: {{en: Does more than one client help?, zh: {chinese}}}"
        copy.file.write_text(
            text.replace("question: Does more than one client help?", question)
            + "report: {languages: [zh]}\n"
        )
        ended = copy.run()
        assert ended.status == 0, ended
        assert ended.trials("trial_started") == []
        assert chinese in (copy.result / "report.zh.html").read_text()


def test_a_program_is_told_what_happens(stage: Stage) -> None:
    ended = stage.run("--json")
    assert ended.status == 0
    events = [json.loads(line) for line in ended.output.splitlines()]
    names = [event["event"] for event in events]
    assert names[0] == "run_started"
    assert events[0]["trials"] == events[0]["pending"] == 4
    assert names.count("trial_started") == names.count("trial_finished") == 4
    (first, *_) = [event for event in events if event["event"] == "trial_finished"]
    window = [
        event
        for event in events
        if event["event"] == "interval" and event["trial"] == 1 and event["phase"] == "window"
    ]
    ended_in_window = sum(each["transactions_per_s"] * each["duration_s"] for each in window)
    window_s = sum(each["duration_s"] for each in window)
    assert first["transactions_per_s"] == pytest.approx(ended_in_window / window_s)
    assert first["status"] == "completed"
    assert first["response_p95_ms"] > 0
    assert "4 of 4 trials used (" in ended.errors
