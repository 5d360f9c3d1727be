"""Goes through the trials that are missing: each begun, measured, stored and told of."""

from __future__ import annotations

import json
from collections.abc import Callable

from dbdyno.errors import RunError
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.experiment.workload.registry import dataset_key
from dbdyno.interruption import Interruption, RunInterruptedError
from dbdyno.run.attempts import Attempts
from dbdyno.run.hooks import Hooks
from dbdyno.run.log import RunLog
from dbdyno.run.measurement import Measurement
from dbdyno.run.pacing import Pacing
from dbdyno.store.journal import TrialFinished
from dbdyno.store.model import TrialStatus
from dbdyno.store.writer import ResultWriter

FAILURES_IN_A_ROW = 3
"""So many trials without a server or without data: the rest would fail just so."""


class Campaign:
    """The trials of one call, in their order, with the experiment's hooks around them."""

    def __init__(
        self,
        result: ResultWriter,
        measurement: Measurement,
        hooks: Hooks,
        pacing: Pacing,
        log: RunLog,
        interruption: Interruption,
        attempts: Attempts,
    ) -> None:
        self._result = result
        self._measurement = measurement
        self._hooks = hooks
        self._pacing = pacing
        self._log = log
        self._interruption = interruption
        self._attempts = attempts
        self._failures_in_a_row = 0
        self._begin_alike = False

    def run(
        self, trials: tuple[PlannedTrial, ...], more: Callable[[], tuple[PlannedTrial, ...]]
    ) -> None:
        """Run these trials, and those that follow from them; ``more`` returns none in the end.

        ``RunError`` where it makes no sense to try the rest.
        """
        ways = [_way_to_begin(trial) for trial in trials]
        self._begin_alike = all(way == ways[0] for way in ways)
        self._hooks.call("before_experiment")
        try:
            while trials:
                self._run_step(trials)
                trials = more()
        finally:
            self._hooks.call_after("after_experiment")

    def _run_step(self, trials: tuple[PlannedTrial, ...]) -> None:
        befores, afters = (None, *trials), (*trials[1:], None)
        for before, trial, after in zip(befores, trials, afters, strict=False):
            self._interruption.check()
            self._pacing.before(trial)
            is_first = before is None or before.cell != trial.cell
            self._run_trial(trial, is_first_of_cell=is_first)
            self._hooks.call_after("after_trial", trial)
            if after is None or after.cell != trial.cell:
                self._hooks.call_after("after_cell", trial)

    def _run_trial(self, trial: PlannedTrial, *, is_first_of_cell: bool) -> None:
        """Run a trial, again where it failed and may be tried again."""
        attempts = self._attempts.left(trial.number)
        for attempt in attempts:
            self._log.trial_begun(trial, attempt)
            is_called = False
            try:
                if is_first_of_cell and attempt == attempts[0]:
                    self._hooks.call("before_cell", trial)
                self._hooks.call("before_trial", trial)
                self._measurement.wait_for_hosts(trial)
                is_called = True
                self._measurement.carry_out(self._result, trial)
            except RunInterruptedError:
                raise
            except RunError as error:
                self._interruption.check()
                if is_called and self._begin_alike and not self._result.has_trials():
                    # The others would fail just so.
                    raise
                self._store_unprepared(trial, error)
                self._measurement.abandon(trial)
                return
            self._failures_in_a_row = 0
            status = self._tell_finished(trial)
            if status is not TrialStatus.COMPLETED:
                self._measurement.abandon(trial)
            if status is not TrialStatus.FAILED:
                return

    def _store_unprepared(self, trial: PlannedTrial, error: RunError) -> None:
        plan = json.dumps(trial.generator_plan.to_document()).encode()
        writer = self._result.begin(trial, plan, server={}, dataset={})
        writer.finish(status=TrialStatus.INTERRUPTED, reason=f"it could not begin: {error}")
        self._tell_finished(trial)
        self._failures_in_a_row += 1
        if self._failures_in_a_row == FAILURES_IN_A_ROW:
            raise RunError(
                f"{FAILURES_IN_A_ROW} trials in a row could not begin, and the rest is not tried. "
                f"To try again, call the same with --out {self._result.directory}"
            )

    def _tell_finished(self, trial: PlannedTrial) -> TrialStatus:
        record = self._result.record(trial.number)
        assert record is not None
        status, reason = record.status, record.reason
        self._log.write(TrialFinished(trial=trial.number, status=status, reason=reason))
        self._log.trial_finished(trial, status, reason)
        return status


def _way_to_begin(trial: PlannedTrial) -> tuple[object, ...]:
    """Return what decides whether a trial's server comes up and has its tables."""
    data = dataset_key(trial.generator_plan.workload)
    return trial.target, trial.target_changes, trial.setup, trial.online, data
