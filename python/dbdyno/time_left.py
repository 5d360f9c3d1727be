"""How long a run will still take: by the plan's estimate first, later by what was seen."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, median_low

from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.store.model import TrialStatus


@dataclass(frozen=True)
class Left:
    """What is left; ``is_least`` where it already takes longer than was expected."""

    duration_s: float
    is_least: bool = False


class TimeLeft:
    """Follows a run. Never less is left than the loads take that are still to be made.

    A trial takes the median of those that were completed: the first of a dataset loads it, and
    others find it there. While there is one alone, what it took to load the dataset is left out.
    A trial that failed tells nothing.
    """

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._planned_s = 0.0
        """The plan's estimate of all trials that have not ended."""
        self._load_s = 0.0
        self._completed_s: list[float] = []
        self._since_s = self._step_s = clock_s()
        """When the last trial ended, or the run began; and when the present step did."""
        self._is_loading = False
        self._loading_s = 0.0
        self._load_ends_s: float | None = None
        """When the load of the trial at hand will have ended; None before it begins."""

    def run_started(self, plan: Plan, pending: int) -> None:
        """Take the plan's estimate."""
        self._since_s = self._step_s = self._clock_s()
        self._planned_s = plan.estimated_s * pending / len(plan.trials)
        self.plan_grew(plan)

    def plan_grew(self, plan: Plan) -> None:
        """Look at the trials' loads."""
        self._load_s = fmean(_load_s(trial) for trial in plan.trials)

    def step_began(self) -> None:
        """Note that something else is done, before a load or after it."""
        now_s = self._clock_s()
        if self._is_loading:
            self._loading_s += now_s - self._step_s
        self._step_s, self._is_loading = now_s, False

    def loading(self) -> None:
        """Note that the present step loads the dataset."""
        self._is_loading = True

    def load_began(self, trial: PlannedTrial) -> None:
        """Note that a trial's load begins."""
        self.step_began()
        self._load_ends_s = self._clock_s() + _load_s(trial)

    def trial_finished(self, status: TrialStatus, trials_before: int) -> None:
        """Learn from a trial; so many had not ended before it did."""
        self.step_began()
        now_s = self._clock_s()
        if status is TrialStatus.COMPLETED:
            is_first = not self._completed_s
            loading_s = self._loading_s if is_first else 0.0
            self._completed_s.append(now_s - self._since_s - loading_s)
        self._planned_s *= 1 - 1 / max(trials_before, 1)
        self._since_s, self._loading_s, self._load_ends_s = now_s, 0.0, None

    def left(self, trials: int) -> Left:
        """Return how long it will take, with so many trials that have not ended."""
        if not trials:
            return Left(0.0)
        expected_s, least_s = self._expected_s(trials), self._least_s(trials)
        return Left(max(expected_s, least_s), is_least=expected_s < least_s)

    def _expected_s(self, trials: int) -> float:
        spent_s = self._clock_s() - self._since_s
        if not self._completed_s:
            return self._planned_s - spent_s
        return median_low(self._completed_s) * trials - spent_s

    def _least_s(self, trials: int) -> float:
        """Return what the loads take that are still to be made, and other trials as usual."""
        now_s, ends_s = self._clock_s(), self._load_ends_s
        load_s = self._load_s if ends_s is None else max(ends_s - now_s, 0.0)
        other_s = median_low(self._completed_s) if self._completed_s else self._load_s
        return load_s + other_s * (trials - 1)


def _load_s(trial: PlannedTrial) -> float:
    """Return how long a trial's load takes at least."""
    plan = trial.generator_plan
    warmup_s = plan.warmup_s if plan.warmup_least_s is None else plan.warmup_least_s
    return warmup_s + plan.duration_s
