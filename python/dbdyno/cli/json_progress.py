"""What a program reads while an experiment runs: one JSON object a line."""

from __future__ import annotations

import json
import sys
import time

from dbdyno.cli.window_figures import WindowFigures
from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.protocol.events import TrialEvent
from dbdyno.protocol.intervals import Interval
from dbdyno.store.model import TrialStatus
from dbdyno.times import finite


class JsonProgress:
    """The runner's news as JSON lines on standard output, each as soon as it happens."""

    def __init__(self) -> None:
        self._figures = WindowFigures()

    def run_started(self, plan: Plan, pending: int) -> None:
        """Say how much there is to do."""
        self._say("run_started", trials=len(plan.trials), pending=pending)

    def plan_grew(self, plan: Plan) -> None:
        """Say how many trials there are now."""
        self._say("plan_grew", trials=len(plan.trials))

    def expected(self, problem: str) -> None:
        """Tell what will keep trials from beginning."""
        self._say("expected", problem=problem)

    def warn(self, warning: str) -> None:
        """Tell what is wrong and ends nothing."""
        self._say("warning", message=warning)

    def preparing(self, what: str) -> None:
        """Say what happens before or after a load."""
        self._say("phase", doing=what)

    def loading(self, rows: int, rows_total: int) -> None:
        """Say how far a load is."""
        self._say("loading", rows=rows, rows_total=rows_total)

    def trial_started(self, trial: PlannedTrial) -> None:
        """Say which trial's load begins."""
        self._figures = WindowFigures()
        levels = dict(trial.cell.levels)
        self._say(
            "trial_started", trial=trial.number, round=trial.round, kind=trial.kind, cell=levels
        )

    def event(self, trial: PlannedTrial, event: TrialEvent) -> None:
        """Tell the figures of an interval."""
        if isinstance(event, Interval):
            now = self._figures.add(event)
            self._say(
                "interval",
                trial=trial.number,
                phase=event.phase,
                start_s=event.start_s,
                duration_s=event.duration_s,
                transactions_per_s=now.transactions_per_s,
                response_p95_ms=finite(now.response_p95_ms),
            )

    def trial_finished(self, trial: PlannedTrial, status: TrialStatus, reason: str | None) -> None:
        """Say how a trial ended, with the figures of its window."""
        window = self._figures.window()
        self._say(
            "trial_finished",
            trial=trial.number,
            status=status,
            reason=reason,
            transactions_per_s=window.transactions_per_s,
            response_p95_ms=finite(window.response_p95_ms),
        )

    def stopping(self) -> None:
        """Note that the run is about to end: the next lines say so."""

    def _say(self, event: str, **fields: object) -> None:
        line = json.dumps({"unix_s": round(time.time(), 3), "event": event, **fields})
        print(line, flush=True, file=sys.stdout)
