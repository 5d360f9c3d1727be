"""Nothing that was measured is lost, whatever ends the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dbdyno.experiment.plan import Plan
from dbdyno.facts.host import HostFacts
from dbdyno.store.facts import ServerFacts
from dbdyno.store.json_lines import JsonLinesWriter, read_json_lines
from dbdyno.store.model import TrialStatus
from dbdyno.store.reader import read_result
from dbdyno.store.writer import ResultWriter
from tests.unit.store.result_builder import (
    GENERATOR_PLAN,
    TrialScript,
    heard,
    make_plan,
    timed,
    trial_events,
    write_trial,
)

DIES_IN_THE_WINDOW = """
import json, os, signal, sys
from pathlib import Path
from tests.unit.store.result_builder import GENERATOR_PLAN, heard, make_plan, timed, trial_events
from dbdyno.store.journal import TrialStarted
from dbdyno.facts.host import HostFacts
from dbdyno.store.writer import ResultWriter

plan = make_plan(rounds=2)
result = ResultWriter.create(Path(sys.argv[1]), experiment_text="", plan=plan, host=HostFacts())
trial = result.begin(
    plan.trials[0], json.dumps(GENERATOR_PLAN).encode(), server={"version": "1"}, dataset={}
)
result.journal.write(TrialStarted(trial=1))
for event in timed(trial_events()[:8]):
    trial.event(heard(event))
os.kill(os.getpid(), signal.SIGKILL)
"""


DISK_FILLS_UP = """
import json, resource, sys
from pathlib import Path
from tests.unit.store.result_builder import GENERATOR_PLAN, heard, make_plan, timed, trial_events
from dbdyno.facts.host import HostFacts
from dbdyno.store.writer import ResultWriter

directory, when = Path(sys.argv[1]), sys.argv[2]
plan = make_plan(rounds=1)
result = ResultWriter.create(directory, experiment_text="", plan=plan, host=HostFacts())
trial = result.begin(plan.trials[0], json.dumps(GENERATOR_PLAN).encode(), server={}, dataset={})
events = directory / "trials/.0001.unfinished/events.jsonl"
for number, event in enumerate(timed(trial_events())):
    if (when, number) == ("while it runs", 8):
        # No file may grow beyond that: the next event is cut in its middle, as by a full disk.
        limit = events.stat().st_size + 100
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    trial.event(heard(event))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
trial.finish()
"""


@pytest.mark.parametrize(("when", "kept"), [("while it runs", 5), ("at its end", 12)])
def test_a_trial_whose_disk_fills_up_keeps_what_was_written(
    tmp_path: Path, when: str, kept: int
) -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    ended = subprocess.run(
        [sys.executable, "-c", DISK_FILLS_UP, str(tmp_path / "r"), when],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "File too large" in ended.stderr
    assert [trial.number for trial in read_result(tmp_path / "r").missing] == [1]
    ResultWriter.open(tmp_path / "r").close()
    (trial,) = read_result(tmp_path / "r").trials
    assert trial.status is TrialStatus.INTERRUPTED
    assert trial.generator.filter(phase="window").height == kept
    assert trial.histograms["oltp_read_write", "response"].count == 100 * kept


def new_result(directory: Path, plan: Plan) -> ResultWriter:
    return ResultWriter.create(directory, experiment_text="", plan=plan, host=HostFacts())


def killed_result(directory: Path) -> None:
    """Leave what a writer leaves that is killed in the middle of a window."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    ended = subprocess.run(
        [sys.executable, "-c", DIES_IN_THE_WINDOW, str(directory)],
        env=os.environ | {"PYTHONPATH": path},
        timeout=180,
        check=False,
    )
    assert ended.returncode == -9


def test_a_killed_trial_is_missing_until_the_run_goes_on(tmp_path: Path) -> None:
    killed_result(tmp_path / "r")
    result = read_result(tmp_path / "r")
    assert result.trials == ()
    assert [trial.number for trial in result.missing] == [1, 2]
    assert [line.event for line in result.journal] == ["trial_started"]


def test_a_killed_trial_is_kept_as_interrupted(tmp_path: Path) -> None:
    killed_result(tmp_path / "r")
    writer = ResultWriter.open(tmp_path / "r")
    assert [trial.number for trial in writer.pending()] == [1, 2]
    writer.close()
    result = read_result(tmp_path / "r")
    (trial,) = result.trials
    assert (trial.status, trial.reason) == (
        TrialStatus.INTERRUPTED,
        "the run ended before this trial did",
    )
    assert trial.generator.filter(phase="window").height == 5
    assert trial.histograms["oltp_read_write", "response"].count == 500
    assert trial.server == ServerFacts(version="1")
    assert trial.clock.wall_s is None
    assert [line.event for line in result.journal] == ["trial_started", "trial_recovered"]


def test_a_line_cut_short_by_a_full_disk_is_dropped(tmp_path: Path) -> None:
    killed_result(tmp_path / "r")
    events = tmp_path / "r/trials/.0001.unfinished/events.jsonl"
    events.write_bytes(events.read_bytes()[:-100])
    ResultWriter.open(tmp_path / "r").close()
    (trial,) = read_result(tmp_path / "r").trials
    assert trial.generator.filter(phase="window").height == 4


def test_a_trial_that_never_began_leaves_nothing(tmp_path: Path) -> None:
    plan = make_plan(rounds=1)
    new_result(tmp_path / "r", plan).close()
    (tmp_path / "r/trials/.0001.unfinished").mkdir()
    writer = ResultWriter.open(tmp_path / "r")
    write_trial(writer, TrialScript(plan.trials[0]))
    writer.close()
    assert read_result(tmp_path / "r").trials[0].status is TrialStatus.COMPLETED


def test_the_attempt_that_was_interrupted_stays_beside_the_new_one(tmp_path: Path) -> None:
    killed_result(tmp_path / "r")
    writer = ResultWriter.open(tmp_path / "r")
    for planned in writer.pending():
        write_trial(writer, TrialScript(planned))
    assert writer.pending() == ()
    writer.close()
    result = read_result(tmp_path / "r")
    assert [trial.status for trial in result.trials] == [TrialStatus.COMPLETED] * 2
    names = sorted(folder.name for folder in (tmp_path / "r/trials").iterdir())
    assert names == ["0001", "0001.superseded-1", "0002"]


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (RuntimeError("the server died"), TrialStatus.FAILED, "the server died"),
        (KeyboardInterrupt(), TrialStatus.INTERRUPTED, "stopped from outside"),
    ],
)
def test_an_exception_still_leaves_a_finished_folder(
    tmp_path: Path, error: BaseException, status: TrialStatus, reason: str
) -> None:
    plan = make_plan(rounds=1)
    writer = new_result(tmp_path / "r", plan)
    generator_plan = json.dumps(GENERATOR_PLAN).encode()

    def run() -> None:
        with writer.begin(plan.trials[0], generator_plan, server={}, dataset={}) as trial:
            for event in timed(trial_events()[:6]):
                trial.event(heard(event))
            raise error

    with pytest.raises(type(error)):
        run()
    (stored,) = read_result(tmp_path / "r").trials
    assert (stored.status, stored.reason) == (status, reason)
    assert stored.generator.filter(phase="window").height == 3


def test_what_the_caller_says_of_the_end_counts_more_than_the_generator(tmp_path: Path) -> None:
    plan = make_plan(rounds=1)
    writer = new_result(tmp_path / "r", plan)
    trial = writer.begin(plan.trials[0], json.dumps(GENERATOR_PLAN).encode(), server={}, dataset={})
    for event in timed(trial_events()):
        trial.event(heard(event))
    trial.finish(status=TrialStatus.FAILED, reason="the server was killed")
    (stored,) = read_result(tmp_path / "r").trials
    assert (stored.status, stored.reason) == (TrialStatus.FAILED, "the server was killed")
    assert stored.end is not None
    assert stored.end.status == "completed"


def test_failed_trials_are_not_repeated(tmp_path: Path) -> None:
    plan = make_plan(rounds=1)
    writer = new_result(tmp_path / "r", plan)
    script = TrialScript(plan.trials[0], events=[])
    end = {"event": "end", "status": "failed", "reason": "too many errors", "elapsed_s": 0.1}
    script.events = [end]
    write_trial(writer, script)
    assert writer.pending() == ()


def test_json_lines_go_on_after_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n{"a": 2')
    assert read_json_lines(path) == ([{"a": 1}], [])
    writer = JsonLinesWriter(path)
    writer.write({"a": 3})
    writer.close()
    assert read_json_lines(path) == ([{"a": 1}, {"a": 3}], [])


DAMAGES: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "an empty trial": ("trial.json", lambda _: b""),
    "a torn trial": ("trial.json", lambda content: content[: len(content) // 2]),
    "a trial of zeros": ("trial.json", lambda content: bytes(len(content))),
    "another document": ("trial.json", lambda _: b"[]"),
    "events of zeros": ("events.jsonl", lambda content: bytes(1000) + b"\n" + content),
    "an event cut in its middle": ("events.jsonl", lambda content: content[40:]),
    "events of something else": ("events.jsonl", lambda _: b'{"said": 1}\n'),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_a_power_failure_has_damaged_is_an_attempt_that_another_follows(
    tmp_path: Path, name: str
) -> None:
    killed_result(tmp_path / "r")
    file, damage = DAMAGES[name]
    path = tmp_path / "r/trials/.0001.unfinished" / file
    path.write_bytes(damage(path.read_bytes()))
    writer = ResultWriter.open(tmp_path / "r")
    assert [trial.number for trial in writer.pending()] == [1, 2]
    for planned in writer.pending():
        write_trial(writer, TrialScript(planned))
    writer.close()
    result = read_result(tmp_path / "r")
    assert [trial.status for trial in result.trials] == [TrialStatus.COMPLETED] * 2
    assert result.damages == ()
    names = sorted(folder.name for folder in (tmp_path / "r/trials").iterdir())
    assert names == ["0001", "0001.superseded-1", "0002"]


SYNCED = """
import os, sys
from pathlib import Path
from tests.unit.store.result_builder import TrialScript, make_plan, write_trial
from dbdyno.facts.host import HostFacts
from dbdyno.store.writer import ResultWriter

plan = make_plan(rounds=1)
result = ResultWriter.create(Path(sys.argv[1]), experiment_text="", plan=plan, host=HostFacts())
synced = set()
sync = os.fsync
def note(descriptor):
    sync(descriptor)
    synced.add(os.fstat(descriptor).st_ino)
os.fsync = note
write_trial(result, TrialScript(plan.trials[0]))
folder = Path(sys.argv[1], "trials/0001")
stored = (*folder.iterdir(), folder, folder.parent)
print([path.name for path in stored if path.stat().st_ino not in synced])
"""


def test_a_trial_that_is_over_is_on_the_disk(tmp_path: Path) -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    ended = subprocess.run(
        [sys.executable, "-c", SYNCED, str(tmp_path / "r")],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    assert ended.stdout == "[]\n"
