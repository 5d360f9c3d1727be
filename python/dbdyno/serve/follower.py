"""Follows one result directory: its journal, the trial at hand, and what is stored of the others.

It is called again and again by one thread. What it finds goes into its feed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.protocol.intervals import Phase
from dbdyno.serve.course import Course
from dbdyno.serve.feed import Feed, Ghost, Head
from dbdyno.serve.liveness import boot_id, is_locked
from dbdyno.serve.points import Point
from dbdyno.serve.precision import Precision, precisions
from dbdyno.serve.run_state import RunState, Standing
from dbdyno.serve.stored import read_stored, window_throughput_per_s
from dbdyno.serve.tail import LineTail
from dbdyno.serve.trial_view import TrialView
from dbdyno.store import layout
from dbdyno.store.journal import (
    JournalEvent,
    TrialFinished,
    TrialRecovered,
    TrialStarted,
    read_journal_event,
)
from dbdyno.store.model import TrialStatus
from dbdyno.store.record import check_format, read_plan

BATCH = 500
"""So many intervals are handed on at a time."""
BACKLOG = 40
"""So many trials that were over before anybody looked are read back, for the last minutes."""
GHOSTS = 3
"""So many earlier rounds of a cell are drawn behind a trial."""
READ_AT_A_TIME = 50
"""So many trials are looked at for their throughput in one call."""
KILLED_S = 3.0
"""A run of this machine is gone that has lost its lock and has said nothing for so long."""
SILENT_S = 90.0
"""One of another machine has missed three heartbeats by then."""


class Follower:
    """One result. InputError where it is none, or cannot be read."""

    def __init__(self, directory: Path) -> None:
        check_format(directory)
        self.directory = directory
        self.feed = Feed()
        self.is_gone = False
        """Whether it could not be read any more."""
        self._start_again()

    def _start_again(self) -> None:
        """Know nothing: before the first call, and where the journal is another one."""
        plan_file = self.directory / layout.PLAN_FILE
        self._plan_mark = plan_file.stat().st_mtime_ns
        self.state = RunState(read_plan(plan_file))
        self.trial: TrialView | None = None
        self.throughputs_per_s: dict[int, float | None] = {}
        self.precisions: list[Precision] = []
        self._precise_plan: Plan | None = None
        self.recent: deque[Point] = deque(maxlen=10)
        self._journal = LineTail(self.directory / layout.JOURNAL_FILE)
        self._is_caught_up = False

    def poll(self) -> None:
        """Take in all that is new."""
        self._read_plan_again()
        events = list(self._events())
        if self._journal.beginnings > 1:
            self.close()
            self.feed.clear()
            self._start_again()
            events = list(self._events())
        if self._is_caught_up:
            for event in events:
                self.state.take(event)
                self._follow_event(event)
        else:
            for event in events:
                self.state.take(event)
            self._catch_up()
            self._is_caught_up = True
        self._follow_trial()
        self._read_throughputs()

    def close(self) -> None:
        """Let go of all files."""
        self._journal.close()
        if self.trial is not None:
            self.trial.close()

    def standing(self) -> Standing:
        """Return how the run stands."""
        return standing_of(self.state, self.directory, self.heard_unix_s())

    def heard_unix_s(self) -> float:
        """Return when the run gave its last sign of life."""
        of_trial = 0.0 if self.trial is None else self.trial.heard_unix_s
        return max(self.state.last_unix_s, of_trial)

    def _read_plan_again(self) -> None:
        plan_file = self.directory / layout.PLAN_FILE
        mark = plan_file.stat().st_mtime_ns
        if mark != self._plan_mark:
            self.state.plan, self._plan_mark = read_plan(plan_file), mark

    def _events(self) -> Iterator[JournalEvent]:
        for line in self._journal.lines():
            try:
                yield read_journal_event(line)
            except ValueError:
                continue

    def _follow_event(self, event: JournalEvent) -> None:
        match event:
            case TrialStarted():
                self._begin()
            case TrialFinished() | TrialRecovered():
                self._finish(event.trial)

    def _catch_up(self) -> None:
        """Read back the trials that were over before anybody looked, and begin with the one now."""
        ended = [self._planned(number) for number in self.state.outcomes]
        backlog = [trial for trial in ended if trial is not None][-BACKLOG:]
        for trial in backlog[:-1]:
            stored = read_stored(self.directory, trial)
            self._add(() if stored is None else stored.points)
        if backlog:
            self._show_stored(backlog[-1])
        if self.state.is_at_trial:
            self._begin()

    def _begin(self) -> None:
        planned = self.state.planned
        if self.trial is not None:
            self.trial.close()
        self.trial = None if planned is None else TrialView(self.directory, planned)

    def _finish(self, number: int) -> None:
        """Take in the rest of a trial that is over."""
        planned = self._planned(number)
        if planned is None:
            return
        if self.trial is None or self.trial.planned.number != number:
            self._show_stored(planned)
            return
        self._follow_trial()
        self._complete(self.trial)

    def _show_stored(self, planned: PlannedTrial) -> None:
        """Show a trial that nobody has followed."""
        self.trial = TrialView(self.directory, planned)
        self._complete(self.trial)

    def _complete(self, trial: TrialView) -> None:
        """Take from what is stored whatever was not heard of a trial."""
        trial.close()
        stored = read_stored(self.directory, trial.planned)
        if stored is None:
            return
        if trial.started_ms != stored.started_ms:
            trial.started_ms, trial.last = stored.started_ms, None
            self._show(trial)
        trial.usages = {usage.host: usage for usage in stored.usages}
        trial.has_ended = True
        last = trial.last
        rest = [point for point in stored.points if last is None or point.order > last.order]
        for point in rest:
            trial.count(point)
        self._add(rest)

    def _follow_trial(self) -> None:
        trial = self.trial
        if trial is None or trial.has_ended:
            return
        is_new = not trial.started_ms
        if not trial.has_begun():
            return
        if is_new:
            self._show(trial)
        points = trial.new_points()
        while batch := list(islice(points, BATCH)):
            self._add(batch)

    def _show(self, trial: TrialView) -> None:
        plan = trial.planned.generator_plan
        self.feed.show(
            Head(
                trial.planned.number,
                trial.started_ms,
                plan.warmup_s,
                plan.duration_s,
                tuple(self._ghosts(trial.planned)),
            )
        )

    def _ghosts(self, planned: PlannedTrial) -> Iterator[Ghost]:
        """Yield the courses of the last earlier rounds of a trial's cell, by their round."""
        earlier = [
            each
            for each in self.state.plan.trials
            if each.cell == planned.cell
            and each.number < planned.number
            and self.state.outcomes.get(each.number) is TrialStatus.COMPLETED
        ]
        for each in earlier[-GHOSTS:]:
            stored = read_stored(self.directory, each)
            course = Course()
            for point in () if stored is None else stored.points:
                if point.phase != Phase.DRAIN:
                    course.add(point)
            yield str(each.round), tuple(bucket.row() for bucket in course.buckets)

    def _add(self, points: Iterable[Point]) -> None:
        batch = list(points)
        self.recent.extend(batch)
        self.feed.add(batch)

    def _read_throughputs(self) -> None:
        """Look at completed trials that nobody has looked at, and tell how exact that makes it."""
        completed = {
            number
            for number, status in self.state.outcomes.items()
            if status is TrialStatus.COMPLETED
        }
        missing = sorted(completed - self.throughputs_per_s.keys())[:READ_AT_A_TIME]
        gone = self.throughputs_per_s.keys() - completed
        for number in gone:
            del self.throughputs_per_s[number]
        for number in missing:
            self.throughputs_per_s[number] = window_throughput_per_s(self.directory, number)
        if missing or gone or self._precise_plan is not self.state.plan:
            self._precise_plan = self.state.plan
            known = {number: rate for number, rate in self.throughputs_per_s.items() if rate}
            self.precisions = precisions(self.state.plan, known)

    def _planned(self, number: int) -> PlannedTrial | None:
        return next((each for each in self.state.plan.trials if each.number == number), None)


def standing_of(state: RunState, directory: Path, heard_unix_s: float) -> Standing:
    """Return how a run stands; one that holds no lock and has said nothing for long is silent."""
    if state.standing is not Standing.RUNNING or is_locked(directory):
        return state.standing
    limit_s = KILLED_S if state.boot_id == boot_id() else SILENT_S
    is_silent = time.time() - heard_unix_s > limit_s
    return Standing.SILENT if is_silent else Standing.RUNNING
