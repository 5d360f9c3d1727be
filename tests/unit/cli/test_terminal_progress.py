"""What a terminal shows of a run, and how long it says that the run still takes."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from dbdyno.cli.live import TerminalProgress
from dbdyno.cli.time_left import in_words
from dbdyno.experiment.plan import FactorLevels, Plan, PlannedSearch
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.resources import GENERATOR, HOST, SERVER
from dbdyno.store.model import TrialStatus
from dbdyno.time_left import TimeLeft
from dbdyno.watch.cpu_use import CpuReading, CpuUse
from dbdyno.watch.series.source import Subject
from tests.unit.cli.test_cpu_figures import Clock
from tests.unit.store.result_builder import heard, make_plan, timed, trial_events

READING = CpuReading(
    1.0,
    (
        CpuUse(Subject(HOST), 1.5, 2),
        CpuUse(Subject(SERVER, "server"), 0.91),
        CpuUse(Subject(GENERATOR, "generator"), 0.35),
    ),
)
FACTORS = [FactorLevels("threads", ("1", "4"), "load.clients")]
STARTED: dict[str, Any] = {"event": "started", "window_start": {"unix_ns": 0, "monotonic_ns": 0}}
LOAD_S = 14.0


def planned(**changes: object) -> Plan:
    """Return a plan of six trials, each with a warm-up of 2 s and a window of 12 s."""
    plan = make_plan(FACTORS)
    given: dict[str, object] = {"warmup_s": 2.0, "duration_s": 12.0, **changes}
    trials = tuple(
        replace(trial, generator_plan=_with(trial.generator_plan, given)) for trial in plan.trials
    )
    return replace(plan, trials=trials)


def _with(plan: TrialPlan, changes: dict[str, object]) -> TrialPlan:
    return TrialPlan(**(vars(plan) | changes))


class Screen:
    """A terminal of so many columns, and a run that it shows."""

    def __init__(self, plan: Plan, columns: int = 100, *, no_color: bool = False) -> None:
        self.console = Console(
            file=io.StringIO(),
            color_system="truecolor",
            width=columns,
            force_terminal=True,
            highlight=False,
            no_color=no_color,
        )
        self.plan = plan
        self.clock = Clock()
        self.progress = TerminalProgress(self.console, self.clock)
        self.progress.run_started(plan, len(plan.trials))

    def begin(self, number: int = 1, attempt: int = 1) -> None:
        """Begin a trial's load, whose first event is that all are connected."""
        trial = self.plan.trials[number - 1]
        self.progress.trial_begun(trial, attempt)
        self.progress.trial_started(trial)

    def tell(self, *events: dict[str, Any]) -> None:
        for event in timed(events):
            self.progress.event(self.plan.trials[0], heard(event))

    def finish(self, number: int = 1, status: TrialStatus = TrialStatus.COMPLETED) -> None:
        self.progress.trial_finished(self.plan.trials[number - 1], status, None)

    def lines(self) -> list[str]:
        """Return what is drawn now."""
        with self.console.capture() as drawn:
            self.console.print(self.progress._draw())
        return [line.rstrip() for line in _plain(drawn.get()).splitlines()]

    def printed(self) -> list[str]:
        """Return what stays on the screen."""
        assert isinstance(self.console.file, io.StringIO)
        return [line.rstrip() for line in _plain(self.console.file.getvalue()).splitlines()]


def _plain(text: str) -> str:
    return Text.from_ansi(text).plain


def test_cell_round_and_phase_are_shown() -> None:
    screen = Screen(planned())
    screen.begin()
    shown = screen.lines()[1:]
    screen.tell(trial_events()[0])
    shown += screen.lines()[1:]
    screen.tell(STARTED)
    for passed_s in (0.0, 1.0, 1.1, 3.4, 8.4, 0.2):
        screen.clock.now_s += passed_s
        shown += screen.lines()[1:]
    screen.tell(trial_events()[-1])
    shown += screen.lines()[1:]
    assert [line.removeprefix("threads=1, round 1 of 3: ") for line in shown] == [
        "connecting",
        "8 clients connected",
        "warm-up, 0 of 2 s",
        "warm-up, 1 of 2 s",
        "window, 0 of 12 s",
        "window, 4 of 12 s",
        "window, 12 of 12 s",
        "drain: what is under way may end",
        "the load has ended",
    ]


def test_a_warm_up_that_ends_early_is_followed_by_the_window() -> None:
    screen = Screen(planned(warmup_s=60.0, warmup_least_s=1.0))
    screen.begin()
    screen.tell(STARTED)
    screen.clock.now_s += 20.0
    assert screen.lines()[1].endswith(": warm-up, 20 of 60 s at the most")
    screen.tell(
        {"event": "warmup", "ended": "steady", "duration_s": 25.0, "change": None, "early_s": 35.0}
    )
    assert screen.lines()[1].endswith(": warm-up, 20 of 60 s at the most")
    screen.clock.now_s += 9.0
    assert screen.lines()[1].endswith(": window, 4 of 12 s")


def test_an_interval_that_comes_late_is_not_called_the_last_one() -> None:
    screen = Screen(planned())
    screen.begin()
    screen.tell(STARTED)
    screen.clock.now_s += 9.0
    screen.tell(trial_events()[3])
    assert screen.lines()[2].startswith(
        "1 s, ended 6 s ago: 100 transactions/s, response time p95 "
    )


def test_figures_say_of_which_time_they_are() -> None:
    screen = Screen(planned())
    screen.begin()
    screen.tell(STARTED)
    screen.clock.now_s += 3.0
    screen.progress.cpu_used(READING)
    screen.tell(*trial_events()[1:4])
    throughput, cpu = screen.lines()[2:]
    assert throughput.startswith("last 1 s: 100 transactions/s, response time p95 ")
    assert cpu == "last 1 s: CPUs busy: host 1.50 of 2, server 0.91, generator 0.35"
    screen.progress.preparing("checking the tables")
    assert screen.lines()[1:] == ["threads=1, round 1 of 3: checking the tables"]


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    screen = Screen(planned(), columns)
    screen.begin()
    screen.tell(STARTED, *trial_events()[:5])
    screen.progress.cpu_used(READING)
    lines = screen.lines()
    assert all(len(line) <= columns for line in lines)
    words = " ".join(lines)
    assert "0 of 6 trials" in words
    assert "transactions/s" in words
    assert "p95" in words
    assert ("host 1.50 of 2" in words) == (columns >= 40)


def test_without_colours_there_are_none() -> None:
    drawn = []
    for no_color in (False, True):
        screen = Screen(planned(), no_color=no_color)
        with screen.console.capture() as captured:
            screen.console.print(screen.progress._draw())
        drawn.append(captured.get())
    assert ["38;" in text for text in drawn] == [True, False]


def test_a_trial_that_is_tried_again_counts_once() -> None:
    screen = Screen(planned())
    for attempt in (1, 2):
        screen.begin(attempt=attempt)
        assert screen.lines()[0].startswith("0 of 6 trials")
        screen.finish(status=TrialStatus.FAILED)
    assert screen.lines()[0].startswith("1 of 6 trials")
    screen.begin(2, attempt=3)
    assert screen.lines()[1].startswith("threads=4, round 1 of 3, attempt 3: ")


def test_a_row_without_room_for_cpus_has_them_below() -> None:
    screen = Screen(planned(), columns=58)
    screen.begin()
    figures = screen.progress._trial
    assert figures is not None
    figures.cpu.window_begins(in_s=-10.0, duration_s=100.0)
    screen.progress.cpu_used(READING)
    screen.finish()
    assert screen.printed()[-1] == "       CPUs busy: host 1.50 of 2, server 0.91, 1 more"


def test_a_search_says_that_it_may_go_on() -> None:
    plan = replace(planned(), search=PlannedSearch(low=1, high=64, rounds=3))
    assert Screen(plan).lines()[0].endswith(" left in this step")


def left(plan: Plan) -> tuple[Clock, TimeLeft]:
    clock = Clock()
    time_left = TimeLeft(clock)
    time_left.run_started(plan, len(plan.trials))
    return clock, time_left


def test_first_the_plan_is_believed_and_never_less_than_the_loads() -> None:
    clock, time_left = left(replace(planned(), estimated_s=100.0))
    assert in_words(time_left.left(6)) == "about 1:40"
    clock.now_s += 10.0
    assert in_words(time_left.left(6)) == "about 1:30"
    # What comes before the first load takes much longer than the plan thought.
    clock.now_s += 1000.0
    assert in_words(time_left.left(6)) == "at least 1:24"


def test_what_the_first_trial_took_to_load_is_not_expected_of_the_others() -> None:
    clock, time_left = left(planned())
    plan = planned()
    time_left.step_began()
    clock.now_s += 600.0
    time_left.loading()
    clock.now_s += 600.0
    time_left.load_began(plan.trials[0])
    clock.now_s += LOAD_S + 1.0
    time_left.trial_finished(TrialStatus.COMPLETED, 6)
    assert in_words(time_left.left(5)) == "about 1:15"


def test_later_it_is_what_trials_took_and_failed_ones_tell_nothing() -> None:
    clock, time_left = left(planned())
    plan = planned()
    for number, (beside_s, status) in enumerate(
        [
            (100.0, TrialStatus.COMPLETED),
            (-13.0, TrialStatus.FAILED),
            (-13.0, TrialStatus.FAILED),
            (6.0, TrialStatus.COMPLETED),
        ]
    ):
        time_left.load_began(plan.trials[number])
        clock.now_s += LOAD_S + beside_s
        time_left.trial_finished(status, 6 - number)
    assert in_words(time_left.left(2)) == "about 0:40"
    clock.now_s += 5.0
    assert in_words(time_left.left(2)) == "about 0:35"
    clock.now_s += 60.0
    assert in_words(time_left.left(2)) == "at least 0:34"
    assert in_words(time_left.left(0)) == "about 0:00"
