"""What a program reads while an experiment runs: one JSON object a line."""

from __future__ import annotations

import json
import sys
import threading
import time

from dbdyno.cli.cpu_figures import CpuFigures
from dbdyno.cli.window_figures import WindowFigures
from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.protocol.events import TrialEvent
from dbdyno.protocol.intervals import Interval
from dbdyno.store.model import TrialStatus
from dbdyno.times import finite
from dbdyno.watch.cpu_use import CpuReading
from dbdyno.watch.series.source import Subject


class JsonProgress:
    """The runner's news as JSON lines on standard output, each as soon as it happens."""

    def __init__(self) -> None:
        self._figures = WindowFigures()
        self._cpu = CpuFigures()
        self._trial: int | None = None
        self._lock = threading.Lock()

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
        self._say("phase", trial=self._trial, doing=what)

    def loading(self, rows: int, rows_total: int) -> None:
        """Say how far a load is."""
        self._say("loading", rows=rows, rows_total=rows_total)

    def waiting(self, words: str) -> None:
        """Say what has been waited for so long."""
        self._say("waiting", trial=self._trial, message=words)

    def trial_begun(self, trial: PlannedTrial, attempt: int) -> None:
        """Say which trial is made ready."""
        asking = trial.generator_plan.asking_clients
        self._figures, self._cpu, self._trial = WindowFigures(asking), CpuFigures(), trial.number
        self._say("trial_begun", trial=trial.number, attempt=attempt)

    def trial_started(self, trial: PlannedTrial) -> None:
        """Say which trial's load begins."""
        levels = dict(trial.cell.levels)
        self._say(
            "trial_started", trial=trial.number, round=trial.round, kind=trial.kind, cell=levels
        )

    def event(self, trial: PlannedTrial, event: TrialEvent) -> None:
        """Tell the figures of an interval."""
        self._cpu.follow(event, trial.generator_plan)
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
                share_in_effect=now.share_in_effect,
            )

    def cpu_used(self, reading: CpuReading) -> None:
        """Tell what a watcher has read of CPUs."""
        self._cpu.add(reading)
        uses = [_use(use.subject, use.busy_cpus, use.cpus) for use in reading.uses]
        self._say("cpu", trial=self._trial, duration_s=reading.duration_s, cpu=uses)

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
            share_in_effect=window.share_in_effect,
            cpu=[_use(use.subject, use.busy_cpus, use.cpus) for use in self._cpu.window()],
        )
        self._trial = None

    def stopping(self) -> None:
        """Note that the run is about to end: the next lines say so."""

    def _say(self, event: str, **fields: object) -> None:
        line = json.dumps({"unix_s": round(time.time(), 3), "event": event, **fields})
        # Watchers tell from threads of their own, and a line is one line.
        with self._lock:
            print(line, flush=True, file=sys.stdout)


def _use(subject: Subject, busy_cpus: float | None, cpus: int | None) -> dict[str, object]:
    """Return what is told of a member or a host; ``cpus`` is how many a host has."""
    told: dict[str, object] = {
        "member": subject.member,
        "role": subject.role,
        "host": subject.host,
        "busy_cpus": busy_cpus,
    }
    return told if cpus is None else told | {"cpus": cpus}
