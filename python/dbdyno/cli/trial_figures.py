"""What is shown of the trial at hand: cell and round, phase, and the figures of a moment ago."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from dbdyno.cli.cpu_figures import CpuFigures, line_of
from dbdyno.cli.window_figures import Figures, WindowFigures
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.peers.call.words import counted
from dbdyno.protocol.events import Connected, End, Started, TrialEvent, WarmupEnded
from dbdyno.protocol.intervals import Interval
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.report.partial_service import FEWER_CLIENTS

LATE_S = 1.0
"""An interval that is told so long after the time for it is of a while ago."""


def now_in_words(duration_s: float, now: Figures, ago_s: float = 0.0) -> str:
    """Return what is shown of the last interval that was told, which ended so long ago."""
    throughput, p95 = in_words(now)
    when = f"last {_seconds(duration_s)}"
    if ago_s > duration_s + LATE_S:
        when = f"{_seconds(duration_s)}, ended {ago_s:.0f} s ago"
    return f"{when}: {throughput} transactions/s, response time p95 {p95}"


def in_words(figures: Figures) -> tuple[str, str]:
    """Return throughput and p95 of response time as they are shown, marked as in the report."""
    per_s = figures.transactions_per_s
    mark = FEWER_CLIENTS if figures.has_fewer_clients else ""
    return "–" if per_s is None else f"{per_s:,.0f}", mark + _p95(figures.response_p95_ms)


def _p95(p95_ms: float | None) -> str:
    if p95_ms is None:
        return "–"
    return "> 2 h" if math.isinf(p95_ms) else f"{p95_ms:,.{_decimals(p95_ms)}f} ms"


def _decimals(value_ms: float) -> int:
    """Return so many decimals that at least three digits are shown, and never more than two."""
    return 2 if value_ms < 10 else 1 if value_ms < 100 else 0


def _seconds(duration_s: float) -> str:
    return f"{round(duration_s, 1 if duration_s >= 0.1 else 2):g} s"


def phase_in_words(window_s: float, plan: TrialPlan, early_s: float = 0.0) -> str:
    """Return the phase at so many seconds after the beginning of the window."""
    if window_s < 0:
        words = _part("warm-up", plan.warmup_s - early_s + window_s, plan.warmup_s)
        return words if plan.warmup_least_s is None else f"{words} at the most"
    if window_s < plan.duration_s:
        return _part("window", window_s, plan.duration_s)
    return "drain: what is under way may end"


def _part(phase: str, done_s: float, duration_s: float) -> str:
    return f"{phase}, {max(done_s, 0.0):.0f} of {_seconds(duration_s)}"


@dataclass(frozen=True)
class Place:
    """Where a trial stands in its run."""

    rounds: int
    attempt: int = 1

    def of(self, trial: PlannedTrial) -> str:
        """Return the cell, the round and the attempt, where there are several."""
        parts = [trial.label()]
        if trial.round:
            parts.append(f"round {trial.round} of {max(self.rounds, trial.round)}")
        if self.attempt > 1:
            parts.append(f"attempt {self.attempt}")
        return ", ".join(parts)


class TrialFigures:
    """Follows one trial by the events of its generator and by its watchers' readings.

    The phase is told by the clock: a client of SQLite that waits for a lock keeps its intervals
    back.
    """

    def __init__(
        self, trial: PlannedTrial, place: Place, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock_s = clock_s
        self._plan = trial.generator_plan
        self._place = place.of(trial)
        self._figures = WindowFigures(self._plan.asking_clients)
        self._state = "connecting"
        self._window_starts_s: float | None = None
        self._early_s = 0.0
        self._last: tuple[Interval, Figures] | None = None
        self.cpu = CpuFigures(clock_s)

    def add(self, event: TrialEvent) -> None:
        """Take an event in."""
        self.cpu.follow(event, self._plan)
        match event:
            case Connected():
                self._state = f"{counted(event.clients, 'client')} connected"
            case Started():
                self._window_starts_s = self._clock_s() + self._plan.warmup_s
            case WarmupEnded() if self._window_starts_s is not None:
                self._window_starts_s -= event.early_s
                self._early_s = event.early_s
            case Interval():
                self._last = event, self._figures.add(event)
            case End():
                self._state, self._window_starts_s, self._last = "the load has ended", None, None

    def window(self) -> Figures:
        """Return throughput and response time of the window."""
        return self._figures.window()

    def lines(self, doing: str, width: int) -> list[str]:
        """Return what is shown; ``doing`` is what is done before or after the load."""
        starts_s = self._window_starts_s
        if doing or starts_s is None:
            return [f"{self._place}: {doing or self._state}"]
        window_s = self._clock_s() - starts_s
        lines = [f"{self._place}: {phase_in_words(window_s, self._plan, self._early_s)}"]
        last = self._last
        if last is not None:
            interval, figures = last
            lines.append(now_in_words(interval.duration_s, figures, window_s - interval.end_s))
        duration_s, uses = self.cpu.now()
        cpu = line_of(f"last {_seconds(duration_s)}: CPUs busy: ", uses, width)
        lines.append(cpu or line_of("CPUs: ", uses, width))
        return [line for line in lines if line]
