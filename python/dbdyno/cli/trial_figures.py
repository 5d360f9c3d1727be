"""What is shown of the trial at hand: cell and round, phase, and the figures of a moment ago."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dbdyno.cli.cpu_figures import CpuFigures, line_of
from dbdyno.cli.window_figures import Figures, WindowFigures
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.peers.call.words import counted
from dbdyno.protocol.events import Connected, End, Started, TrialEvent, WarmupEnded
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.protocol.trial_plan import TrialPlan


def now_in_words(duration_s: float, now: Figures) -> str:
    """Return what is shown of the last interval."""
    throughput, p95 = in_words(now)
    return f"last {_seconds(duration_s)}: {throughput} transactions/s, response time p95 {p95}"


def in_words(figures: Figures) -> tuple[str, str]:
    """Return throughput and p95 of response time as they are shown."""
    per_s = figures.transactions_per_s
    return "–" if per_s is None else f"{per_s:,.0f}", _p95(figures.response_p95_ms)


def _p95(p95_ms: float | None) -> str:
    if p95_ms is None:
        return "–"
    return "> 2 h" if math.isinf(p95_ms) else f"{p95_ms:,.{_decimals(p95_ms)}f} ms"


def _decimals(value_ms: float) -> int:
    """Return so many decimals that at least three digits are shown, and never more than two."""
    return 2 if value_ms < 10 else 1 if value_ms < 100 else 0


def _seconds(duration_s: float) -> str:
    return f"{round(duration_s, 1 if duration_s >= 1 else 2):g} s"


def phase_in_words(interval: Interval, plan: TrialPlan) -> str:
    """Return the phase that an interval belongs to, and how far it is at the interval's end."""
    match interval.phase:
        case Phase.WARMUP:
            return _warmup(max(plan.warmup_s + interval.end_s, 0.0), plan)
        case Phase.WINDOW:
            return _part("window", interval.end_s, plan.duration_s)
        case Phase.DRAIN:
            return "drain: what is under way may end"


def _warmup(done_s: float, plan: TrialPlan) -> str:
    words = _part("warm-up", done_s, plan.warmup_s)
    return words if plan.warmup_least_s is None else f"{words} at the most"


def _part(phase: str, done_s: float, duration_s: float) -> str:
    return f"{phase}, {min(done_s, duration_s):.0f} of {_seconds(duration_s)}"


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
    """Follows one trial by the events of its generator and by its watchers' readings."""

    def __init__(self, trial: PlannedTrial, place: Place) -> None:
        self._plan = trial.generator_plan
        self._place = place.of(trial)
        self._figures = WindowFigures()
        self._phase = "connecting"
        self._last = ""
        self.cpu = CpuFigures()

    def add(self, event: TrialEvent) -> None:
        """Take an event in."""
        plan = self._plan
        match event:
            case Connected():
                self._phase = f"{counted(event.clients, 'client')} connected"
            case Started():
                self._phase = (
                    _warmup(0, plan) if plan.warmup_s else _part("window", 0, plan.duration_s)
                )
                self.cpu.window_begins(plan.warmup_s, plan.duration_s)
            case WarmupEnded():
                self.cpu.window_is_earlier(event.early_s)
            case Interval():
                now = self._figures.add(event)
                self._phase = phase_in_words(event, plan)
                self._last = now_in_words(event.duration_s, now)
            case End():
                self._phase, self._last = "the load has ended", ""

    def window(self) -> Figures:
        """Return throughput and response time of the window."""
        return self._figures.window()

    def lines(self, doing: str, width: int) -> list[str]:
        """Return what is shown; ``doing`` is what is done before or after the load."""
        lines = [f"{self._place}: {doing or self._phase}"]
        if self._last and not doing:
            duration_s, uses = self.cpu.now()
            cpu = line_of(f"last {_seconds(duration_s)}: CPUs busy: ", uses, width)
            lines += [self._last, cpu or line_of("CPUs: ", uses, width)]
        return [line for line in lines if line]
