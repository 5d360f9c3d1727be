"""Carries an experiment out: every trial that is missing, in the plan's order, each stored at once.

A trial that fails is stored as failed and the matrix goes on. What a crash or Ctrl-C cut short is
kept as interrupted, and run again by the next call.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbdyno.errors import InputError, RunError
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.generator import GeneratorProcess
from dbdyno.run.interruption import Interruption, RunInterruptedError
from dbdyno.run.progress import Progress
from dbdyno.run.stand import TestStand
from dbdyno.server import Server, file_errors
from dbdyno.store import layout
from dbdyno.store.model import TrialStatus
from dbdyno.store.trial_writer import TrialWriter
from dbdyno.store.writer import ResultWriter
from dbdyno.watch import Sampler, host_facts

FAILURES_IN_A_ROW = 3
"""So many trials without a server or without data: the rest would fail just so."""

SILENCE_MARGIN_S = 30.0


@dataclass(frozen=True)
class Outcome:
    """How many of the plan's trials have which status, this run's and earlier ones' together."""

    completed: int
    failed: int


class Runner:
    """Runs one experiment into one result directory."""

    def __init__(
        self, experiment: Experiment, plan: Plan, directory: Path, progress: Progress
    ) -> None:
        self._experiment = experiment
        self._plan = plan
        self._directory = directory
        self._work_directory = directory / layout.WORK_DIRECTORY
        self._progress = progress
        self._interruption = Interruption(progress.message)
        self._failures_in_a_row = 0

    def run(self) -> Outcome:
        """Run what is missing; after Ctrl-C, ``RunInterruptedError`` when all so far is stored."""
        result = self._open_result()
        with _only_run(self._directory), self._interruption:
            pending = result.pending()
            self._progress.run_started(self._plan, len(pending))
            result.journal.write("run_started", pending=len(pending))
            try:
                self._run_trials(result, pending)
            except BaseException as error:
                result.journal.write("run_ended_early", reason=str(error) or type(error).__name__)
                raise
            finally:
                self._remove_work_directory(keep=bool(result.pending()))
            result.journal.write("run_completed")
            result.close()
        return self._count(result)

    def _open_result(self) -> ResultWriter:
        if not (self._directory / layout.FORMAT_FILE).exists():
            with file_errors(f"use {self._directory} for the result"):
                self._directory.mkdir(parents=True, exist_ok=True)
            host = host_facts(self._directory)
            return ResultWriter.create(
                self._directory, experiment_text=self._experiment.text, plan=self._plan, host=host
            )
        result = ResultWriter.open(self._directory)
        if result.plan.trials != self._plan.trials:
            raise InputError(
                f"{self._directory} holds the result of another experiment, or of this one before "
                "it was changed; name another directory with --out"
            )
        return result

    def _run_trials(self, result: ResultWriter, pending: tuple[PlannedTrial, ...]) -> None:
        if not pending:
            return
        self._work_directory.mkdir(exist_ok=True)
        with TestStand(
            self._experiment,
            self._work_directory,
            self._progress,
            self._interruption.is_requested,
        ) as stand:
            for trial in pending:
                self._interruption.check()
                self._run_trial(result, stand, trial)
                self._interruption.check()

    def _run_trial(self, result: ResultWriter, stand: TestStand, trial: PlannedTrial) -> None:
        result.journal.write("trial_started", trial=trial.number)
        try:
            server, dataset = stand.prepare(trial)
        except RunInterruptedError:
            raise
        except RunError as error:
            self._interruption.check()
            self._store_unprepared(result, trial, error)
            stand.abandon(trial.target)
            return
        self._failures_in_a_row = 0
        plan = json.dumps({"url": server.url} | trial.generator_plan).encode()
        description = server.describe().to_dict()
        with result.begin(trial, plan, server=description, dataset=dataset) as writer:
            self._progress.trial_started(trial)
            resources = self._make_load(writer, trial, server, plan)
            checked = dataset | {"check": self._check(stand, trial, server)}
            writer.finish(resources=resources, dataset=checked)
        self._tell_finished(result, trial)

    def _make_load(
        self, writer: TrialWriter, trial: PlannedTrial, server: Server, plan: bytes
    ) -> Any:  # noqa: ANN401 - a table, or None where nothing is watched
        limits = trial.generator_plan["limits"]
        silence_limit_s = SILENCE_MARGIN_S + sum(limits.values())
        with GeneratorProcess(
            plan,
            password=server.password,
            cpus=self._experiment.generator.cpus or (),
            log_path=self._work_directory / "generator.log",
            silence_limit_s=silence_limit_s + trial.generator_plan["interval_s"],
        ) as generator:
            watched = {"server": server.process_ids(), "generator": (generator.process_id,)}
            sampler = Sampler(watched) if self._experiment.watch.host == "local" else None
            if sampler is not None:
                sampler.start()
            try:
                for event in generator.events(self._interruption.is_requested):
                    if event["event"] == "error":
                        raise RunError(event["message"])
                    writer.event(event)
                    self._progress.event(trial, event)
            finally:
                if sampler is not None:
                    sampler.stop()
        return None if sampler is None else sampler.table()

    def _check(self, stand: TestStand, trial: PlannedTrial, server: Server) -> dict[str, Any]:
        """Look whether the tables still hold what the workload keeps in them."""
        if self._experiment.procedure.check == "none" or self._interruption.is_requested():
            return {"done": False}
        try:
            complete = stand.loader(server).is_complete(stand.dataset(trial))
        except RunError as error:
            return {"done": True, "passed": False, "message": str(error)}
        return {"done": True, "passed": complete}

    def _store_unprepared(self, result: ResultWriter, trial: PlannedTrial, error: RunError) -> None:
        plan = json.dumps(trial.generator_plan).encode()
        writer = result.begin(trial, plan, server={}, dataset={})
        writer.finish(status=TrialStatus.FAILED, reason=str(error))
        self._tell_finished(result, trial)
        self._failures_in_a_row += 1
        if self._failures_in_a_row == FAILURES_IN_A_ROW:
            raise RunError(f"{FAILURES_IN_A_ROW} trials in a row could not begin; last: {error}")

    def _tell_finished(self, result: ResultWriter, trial: PlannedTrial) -> None:
        record = result.record(trial.number)
        assert record is not None
        status, reason = record.status, record.reason
        result.journal.write("trial_finished", trial=trial.number, status=status, reason=reason)
        self._progress.trial_finished(trial, status, reason)

    def _remove_work_directory(self, *, keep: bool) -> None:
        if not keep:
            shutil.rmtree(self._work_directory, ignore_errors=True)

    def _count(self, result: ResultWriter) -> Outcome:
        records = [result.record(trial.number) for trial in self._plan.trials]
        statuses = [record.status for record in records if record is not None]
        return Outcome(
            completed=statuses.count(TrialStatus.COMPLETED),
            failed=statuses.count(TrialStatus.FAILED),
        )


@contextmanager
def _only_run(directory: Path) -> Iterator[None]:
    """Keep other runs out of the directory; the lock ends with the process, however that ends."""
    with (directory / layout.JOURNAL_FILE).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"another dbdyno is at work in {directory}") from None
        yield
