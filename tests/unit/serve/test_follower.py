"""A result followed through what a run does to its files, by the run's own writers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dbdyno.experiment.plan import Plan
from dbdyno.facts.host import HostFacts
from dbdyno.protocol.events import read_event
from dbdyno.report.language import language
from dbdyno.serve.feed import Cursor, Feed
from dbdyno.serve.follower import Follower
from dbdyno.serve.host_rows import Limits
from dbdyno.serve.parts import live_parts
from dbdyno.serve.run_state import Standing
from dbdyno.store.journal import (
    PhaseBegan,
    RunCompleted,
    RunStarted,
    TrialFinished,
    TrialStarted,
)
from dbdyno.store.trial_writer import TrialWriter
from dbdyno.store.writer import ResultWriter
from dbdyno.watch.facts.host import host_identity
from tests.unit.serve.test_precision import plan
from tests.unit.store.result_builder import interval, timed, transaction, trial_events

EVENTS = trial_events()
LIVE = 6
"""So many events are there when somebody looks for the first time."""

Key = tuple[int, str, int]


class Run:
    """A run by its writers, each step when it is called."""

    def __init__(self, directory: Path, planned: Plan) -> None:
        self.directory = directory
        self.result = ResultWriter.create(
            directory, experiment_text="experiment: tiny\n", plan=planned, host=HostFacts()
        )
        self.start()

    def start(self) -> None:
        self.result.journal.write(RunStarted(pending=12, host=host_identity()))

    def go_on(self) -> None:
        """Do what a run does that finds what another one has left."""
        self.result.close()
        self.result = ResultWriter.open(self.directory)
        self.start()

    def begin(self, number: int) -> TrialWriter:
        self.result.journal.write(TrialStarted(trial=number))
        self.result.journal.write(PhaseBegan(phase="load"))
        return self.result.begin(self.result.plan.trials[number - 1], b"{}", server={}, dataset={})

    def tell(self, writer: TrialWriter, events: list[dict[str, object]]) -> None:
        for event in events:
            writer.event(read_event(event))  # type: ignore[arg-type]

    def finish(self, number: int, writer: TrialWriter) -> None:
        status = writer.finish()
        self.result.journal.write(TrialFinished(trial=number, status=status))

    def trial(self, number: int) -> None:
        writer = self.begin(number)
        self.tell(writer, EVENTS)
        self.finish(number, writer)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    started = Run(tmp_path / "result", plan())
    yield started
    started.result.close()


def keys(feed: Feed, cursor: Cursor) -> list[Key]:
    """Return what a page is told of since its cursor, point by point."""
    return [
        (row[0], row[2], row[3])
        for message in feed.news(cursor)
        if message.event == "points" and isinstance(message.data, list)
        for row in message.data
    ]


def of_trial(number: int) -> list[Key]:
    told = (event for event in EVENTS if event["event"] == "interval")
    return [(number, event["phase"], event["index"]) for event in told]


def test_a_trial_is_followed_while_it_runs_and_beyond_its_end(run: Run) -> None:
    writer = run.begin(1)
    run.tell(writer, EVENTS[:LIVE])
    follower = Follower(run.directory)
    follower.poll()
    cursor = follower.feed.cursor_after(None)
    seen = keys(follower.feed, cursor)
    assert seen == of_trial(1)[: LIVE - 1]
    run.tell(writer, EVENTS[LIVE:])
    run.finish(1, writer)
    # Its events are gone by now, but for whoever holds them open.
    follower.poll()
    assert seen + keys(follower.feed, cursor) == of_trial(1)
    assert follower.throughputs_per_s[1] == pytest.approx(100.0)


def test_trials_that_nobody_saw_are_read_back(run: Run) -> None:
    run.trial(1)
    follower = Follower(run.directory)
    follower.poll()
    cursor = follower.feed.cursor_after(None)
    assert keys(follower.feed, cursor) == of_trial(1)
    run.trial(2)
    run.trial(3)
    run.result.journal.write(RunCompleted())
    follower.poll()
    assert keys(follower.feed, cursor) == of_trial(2) + of_trial(3)
    assert follower.standing() is Standing.COMPLETE


def test_a_page_goes_on_with_a_server_that_saw_nothing(run: Run) -> None:
    run.trial(1)
    writer = run.begin(2)
    run.tell(writer, EVENTS[:LIVE])
    first = Follower(run.directory)
    first.poll()
    messages = first.feed.news(first.feed.cursor_after(None))
    (last_id,) = [message.id for message in messages if message.id]
    run.tell(writer, EVENTS[LIVE:])
    run.finish(2, writer)
    second = Follower(run.directory)
    second.poll()
    told = keys(second.feed, second.feed.cursor_after(last_id))
    assert told == of_trial(2)[LIVE - 1 :]


def test_an_earlier_round_is_behind_the_next_one(run: Run) -> None:
    for number in (1, 2):
        run.trial(number)
    writer = run.begin(3)
    run.tell(writer, EVENTS[:LIVE])
    follower = Follower(run.directory)
    follower.poll()
    (head,) = [
        message.data
        for message in follower.feed.news(follower.feed.cursor_after(None))
        if message.event == "trial"
    ]
    assert isinstance(head, dict)
    assert head["trial"] == 3
    ((round_name, buckets),) = head["ghosts"]
    assert round_name == "1"
    assert len(buckets) == len(of_trial(1)) - 1, "all but the drain"


def test_a_trial_that_a_crash_cut_short_is_begun_anew(run: Run) -> None:
    writer = run.begin(1)
    run.tell(writer, EVENTS[:LIVE])
    follower = Follower(run.directory)
    follower.poll()
    cursor = follower.feed.cursor_after(None)
    keys(follower.feed, cursor)
    run.go_on()
    follower.poll()
    assert follower.state.bad.total() == 1
    run.trial(1)
    follower.poll()
    news = follower.feed.news(cursor)
    assert [message.event for message in news][:2] == ["trial", "points"]
    rows = news[1].data
    assert isinstance(rows, list)
    assert [(row[0], row[2], row[3]) for row in rows] == of_trial(1)
    assert len({row[1] for row in rows}) == 1
    assert follower.state.bad.total() == 0


def test_a_result_that_is_begun_anew_is_read_anew(run: Run) -> None:
    run.trial(1)
    follower = Follower(run.directory)
    follower.poll()
    cursor = follower.feed.cursor_after(None)
    keys(follower.feed, cursor)
    run.result.close()
    shutil.rmtree(run.directory)
    with suppress(OSError):
        follower.poll()
    again = Run(run.directory, plan())
    again.trial(2)
    follower.poll()
    assert list(follower.state.outcomes) == [2]
    news = follower.feed.news(cursor)
    assert news[0].event == "reset"
    (rows,) = [message.data for message in news if message.event == "points"]
    assert isinstance(rows, list)
    assert {row[0] for row in rows} == {2}
    again.result.close()


def test_a_run_that_says_nothing_and_holds_no_lock_is_silent(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = run.begin(1)
    run.tell(writer, EVENTS[:LIVE])
    follower = Follower(run.directory)
    follower.poll()
    assert follower.standing() is Standing.RUNNING
    now_s = follower.heard_unix_s() + 4.0
    monkeypatch.setattr("dbdyno.serve.follower.time.time", lambda: now_s)
    assert follower.standing() is Standing.SILENT
    writer.event(read_event(interval("window", 4, {"x": transaction()})))  # type: ignore[arg-type]


@pytest.mark.parametrize(("unread_s", "mark"), [(4.0, "†"), (0.4, ""), (None, "")])
@pytest.mark.parametrize("is_over", [False, True])
def test_times_that_fewer_clients_had_are_marked_and_said(
    run: Run, unread_s: float | None, mark: str, *, is_over: bool
) -> None:
    events = [
        event | {"unread_s": unread_s} if event["event"] == "interval" else event
        for event in timed(EVENTS)
    ]
    writer = run.begin(1)
    run.tell(writer, events if is_over else events[:-2])
    if is_over:
        run.finish(1, writer)
    follower = Follower(run.directory)
    follower.poll()
    parts = live_parts(follower, Limits(HostFacts(), {}), "result", language("en"))
    for name in ("now", "intervals"):
        times = re.findall(r"[>\s](†?)\s?([\d.]+)", re.sub("<th.*?</th>", "", parts[name]))
        assert any(found for found, _ in times) == bool(mark), parts[name]
    assert ("† marks times that fewer clients had" in parts["of"]) == bool(mark)


def test_each_of_several_generators_is_told_of(run: Run) -> None:
    writer = run.begin(1)
    told = interval("window", 0, {"x": transaction()})
    health = told["generator"]
    samples = [
        {
            "generator_index": index,
            "scheduled": 50,
            "ended": 50,
            "live_clients": 4,
            "health": health | {"busiest_worker_share": 0.1 * (index + 1)},
        }
        for index in range(2)
    ]
    lost = {"event": "generator", "generator_index": 1, "standing": "lost", "reason": "it died"}
    offsets = {"offset_ns": 1, "bound_ns": 20_000, "end_offset_ns": 1, "end_bound_ns": 50_000}
    clock = {"event": "clock", "generator_index": 0, "host": "load1", **offsets}
    run.tell(writer, [EVENTS[0], told | {"generators": samples}, lost, clock])
    follower = Follower(run.directory)
    follower.poll()
    assert follower.trial is not None
    first, second = (follower.trial.generators[index] for index in range(2))
    assert first.busiest_worker_share == pytest.approx(0.1)
    assert first.clock_bound_ms == pytest.approx(0.05)
    assert first.lag_p99_ms == pytest.approx(0.01, rel=0.01)
    assert second.standing == "lost"
    assert list(follower.trial.marks) == [(1.0, "lost", "2")]


def test_lines_that_are_damaged_are_left_out(run: Run) -> None:
    run.trial(1)
    with (run.directory / "journal.jsonl").open("a") as journal:
        journal.write('{"event": "unheard_of"}\n{"event": "trial_finished"}\nno json\n')
    follower = Follower(run.directory)
    follower.poll()
    assert len(follower.state.outcomes) == 1
