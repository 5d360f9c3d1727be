"""When generators are told that the window begins, and what is said of their answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Event

import pytest

from dbdyno.errors import RunError
from dbdyno.generator.pool.pool import Pool
from dbdyno.generator.warmup import SteadyWarmup
from dbdyno.protocol.events import (
    Connected,
    End,
    Started,
    TrialEvent,
    WarmupEnded,
    WindowKept,
    WindowMoved,
    WindowStart,
)
from dbdyno.protocol.intervals import Phase
from dbdyno.protocol.trial_plan import STEADY_INTERVALS_MIN, TrialPlan
from tests.unit.run.generator_events import interval

MOST = 60
GO_S = 1000.0
"""The load begins; the window is planned a minute later."""
AHEAD_S = 0.6
ANSWER_AFTER_S = 0.1
"""An interval is told so long after its end."""

STEADY = [100] * MOST
RISING = [100 + 10 * second for second in range(MOST)]


def plan(least_s: float = 0.0) -> TrialPlan:
    return TrialPlan(
        workload={"sysbench": {}},
        clients=1,
        workers=1,
        warmup_s=MOST,
        warmup_least_s=least_s,
        duration_s=3.0,
        seed=1,
        error_budget=0.0,
    )


def start(seconds: float) -> WindowStart:
    return WindowStart(unix_ns=0, monotonic_ns=int((GO_S + seconds) * 1e9))


class Trial:
    """A generator by script: it answers what it is told, and goes on."""

    def __init__(
        self, committed: Sequence[int], *, too_late: int = 0, least_s: float = 0.0
    ) -> None:
        self.told: list[int] = []
        self._committed = committed
        self._too_late = too_late
        self._now_s = GO_S
        warmup = SteadyWarmup(
            plan(least_s), self.told.append, lambda: AHEAD_S, clock=lambda: self._now_s
        )
        self.said = list(warmup.follow(self._events()))

    def _events(self) -> Iterator[TrialEvent]:
        yield Started(window_start=start(MOST))
        second, answered = 0, 0
        while not (answered < len(self.told) and second == MOST + self.told[-1]):
            if second == MOST:
                break
            self._now_s = GO_S + second + 1 + ANSWER_AFTER_S
            times = [1000] * self._committed[second]
            yield interval(0, second - MOST, times, phase=Phase.WARMUP)
            second += 1
            if answered < len(self.told) and answered < self._too_late:
                answered += 1
                yield WindowKept(index=self.told[-1], reason="that interval has begun")
        if answered < len(self.told):
            yield WindowMoved(index=self.told[-1], window_start=start(MOST + self.told[-1]))
        yield interval(0, 0, [1000])
        yield End(status="completed", elapsed_s=1.0)

    @property
    def ended(self) -> WarmupEnded:
        (ended,) = [event for event in self.said if isinstance(event, WarmupEnded)]
        place = self.said.index(ended)
        later = self.said[place + 1 :]
        assert [event.phase for event in later if hasattr(event, "phase")] == [Phase.WINDOW]
        assert not any(isinstance(event, WindowMoved) for event in self.said)
        return ended


def test_a_steady_warm_up_ends_with_the_next_interval_of_which_all_can_be_told() -> None:
    trial = Trial(STEADY)
    # It is told at 20.1 s: the interval that begins at 21 s is more than 0.6 s away.
    begins = STEADY_INTERVALS_MIN + 1
    assert trial.told == [begins - MOST]
    assert trial.ended == WarmupEnded(
        ended="steady",
        duration_s=begins,
        change=trial.ended.change,
        early_intervals=MOST - begins,
        early_s=MOST - begins,
        window_start=start(begins),
    )
    assert trial.ended.change is not None
    assert trial.ended.change.intervals == STEADY_INTERVALS_MIN


def test_a_warm_up_takes_as_long_as_it_is_to_take_at_least() -> None:
    assert Trial(STEADY, least_s=35.0).ended.duration_s == 35
    assert Trial(STEADY, least_s=34.5).ended.duration_s == 35


def test_a_warm_up_that_is_not_steady_comes_to_its_bound() -> None:
    trial = Trial(RISING)
    assert trial.told == []
    assert (trial.ended.ended, trial.ended.duration_s) == ("bound", MOST)
    assert trial.ended.window_start is None
    assert trial.ended.change is not None
    assert trial.ended.change.low > 0.1


def test_what_is_steady_just_before_the_bound_is_steady_and_nothing_is_told() -> None:
    trial = Trial([*RISING[:40], *[RISING[40]] * 20])
    told = trial.told
    late = Trial([*RISING[:42], *[RISING[42]] * 18])
    assert told or trial.ended.ended == "steady"
    assert (late.ended.ended, late.ended.early_intervals) == ("steady", -sum(late.told))


@pytest.mark.parametrize("too_late", [1, 2])
def test_what_is_told_too_late_is_told_again_longer_before(too_late: int) -> None:
    trial = Trial(STEADY, too_late=too_late)
    told_s = [STEADY_INTERVALS_MIN + ANSWER_AFTER_S + number for number in range(too_late + 1)]
    assert trial.told == [
        math.ceil(told + AHEAD_S * 2**number) - MOST for number, told in enumerate(told_s)
    ]
    kept = [event for event in trial.said if isinstance(event, WindowKept)]
    assert [event.index for event in kept] == trial.told[:-1]
    assert trial.ended.early_intervals == -trial.told[-1]


class Scripted:
    """A member of a pool that says what it is to say, once it is told when the window begins."""

    start_ahead_s = 0.0

    def __init__(self, index: int, answer: WindowMoved | WindowKept) -> None:
        self._index = index
        self._answer = replace(answer, generator_index=index)
        self._may_start = Event()

    def trial_events(self, wants_stop: Callable[[], bool]) -> Iterator[TrialEvent]:
        assert not wants_stop()
        yield Connected(clients=1, elapsed_s=0.1, server_version="1", generator_index=self._index)
        assert self._may_start.wait(60.0)
        yield Started(window_start=start(MOST), generator_index=self._index)
        yield interval(self._index, -9, [1000], phase=Phase.WARMUP)
        yield self._answer
        yield interval(self._index, 0, [1000])
        yield End(status="completed", elapsed_s=1.0, generator_index=self._index)

    def start_at(self, time_ns: int) -> None:
        """Begin now."""
        self._may_start.set()

    def begin_window_at(self, index: int) -> None:
        """Answer in any case."""

    def stop(self) -> None:
        """Go on."""

    def end_by_force(self) -> object:
        """Go on."""
        return None


MOVED = WindowMoved(index=-8, window_start=start(52))
KEPT = WindowKept(index=-8, reason="that interval has begun")


def said_by_pool(*answers: WindowMoved | WindowKept) -> list[TrialEvent]:
    members = [Scripted(*each) for each in enumerate(answers)]
    pool = Pool(members, interval_s=1.0, connect_limit_s=60.0, on_loss="fail")
    return list(pool.trial_events(lambda: False))


@pytest.mark.parametrize("answer", [MOVED, KEPT])
def test_a_pool_answers_once_for_all_before_the_window(answer: WindowMoved | WindowKept) -> None:
    said = said_by_pool(answer, answer, answer)
    answers = [event for event in said if isinstance(event, WindowMoved | WindowKept)]
    assert answers == [answer]
    events = [getattr(event, "phase", event.event) for event in said]
    assert events == [
        *("connected", "started", Phase.WARMUP, answer.event, Phase.WINDOW, "end"),
    ]


def test_windows_that_would_not_be_the_same_end_the_trial() -> None:
    with pytest.raises(RunError, match="generator 2 of 2: could not end its warm-up with the oth"):
        said_by_pool(MOVED, KEPT)
