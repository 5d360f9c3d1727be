"""Carries an experiment out: every trial that is missing, in the plan's order, each stored at once.

A trial that fails is stored as failed, and the matrix goes on. One that was cut short by a crash or
by Ctrl-C, or that could not begin, is stored as interrupted; the next call runs it again.
"""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from dbdyno.database.address import Address
from dbdyno.errors import DbdynoError, InputError, RunError
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.interruption import Interruption, RunInterruptedError
from dbdyno.protocol.events import TrialEvent
from dbdyno.run.consistency import check_conditions, has_conditions
from dbdyno.run.opening import lock_result, open_result
from dbdyno.run.preflight import preflight, require_none
from dbdyno.run.preparation import Facts, TrialPreparation
from dbdyno.run.progress import Progress
from dbdyno.run.sizes import disk_facts
from dbdyno.run.trial import TrialLoad, Watched
from dbdyno.store import layout
from dbdyno.store.journal import (
    RunCompleted,
    RunEndedEarly,
    RunStarted,
    TrialFinished,
    TrialStarted,
)
from dbdyno.store.model import TrialStatus
from dbdyno.store.trial_writer import TrialWriter
from dbdyno.store.writer import ResultWriter
from dbdyno.target import Server, file_errors
from dbdyno.watch import GroupWatch, host_identity

FAILURES_IN_A_ROW = 3
"""So many trials without a server or without data: the rest would fail just so."""


@dataclass(frozen=True)
class _Ready:
    """All that a trial begins with: its server, running and loaded, and what is known of it."""

    server: Server
    description: Facts
    dataset: Facts
    load: TrialLoad


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
        self._interruption = Interruption(
            progress.stopping,
            f"what was measured is kept. To go on, call the same with --out {directory}",
        )
        self._failures_in_a_row = 0
        self._has_begun = False

    @property
    def has_begun(self) -> bool:
        """Whether the directory is this experiment's, so that a report may be written into it."""
        return self._has_begun

    def run(self) -> tuple[int, ...]:
        """Run what is missing; every trial's outcome is in the result directory afterwards.

        Returns the numbers of the trials that failed, in this run or in an earlier one.

        ``RunInterruptedError`` after Ctrl-C, when all so far is stored. ``RunError`` where nothing
        more can be measured or stored, and ``InputError`` where the directory cannot be used.
        """
        with (
            self._interruption,
            lock_result(self._directory),
            file_errors(f"store more in {self._directory}, where all so far is kept"),
            closing(open_result(self._directory, self._experiment, self._plan)) as result,
        ):
            self._has_begun = True
            pending = result.pending()
            self._progress.run_started(self._plan, len(pending))
            result.journal.write(RunStarted(pending=len(pending), host=host_identity()))
            try:
                self._run_trials(result, pending)
            except BaseException as error:
                reason = str(error) or type(error).__name__
                result.journal.write(RunEndedEarly(reason=reason))
                if _is_failure(error) and not result.holds_anything():
                    result.remove()
                raise
            result.journal.write(RunCompleted())
            return result.failed()

    def _run_trials(self, result: ResultWriter, pending: tuple[PlannedTrial, ...]) -> None:
        """Run trials; snapshots stay until all are done."""
        if pending:
            problems = preflight(self._experiment, pending, self._directory)
            require_none(problems)
            for problem in problems:
                self._progress.expected(problem.message)
            with TrialPreparation(
                self._experiment, self._work_directory, self._progress, self._interruption
            ) as preparation:
                for trial in pending:
                    self._interruption.check()
                    self._run_trial(result, preparation, trial)
        if result.pending():
            self._interruption.check()
        else:
            shutil.rmtree(self._work_directory, ignore_errors=True)

    def _run_trial(
        self, result: ResultWriter, preparation: TrialPreparation, trial: PlannedTrial
    ) -> None:
        result.journal.write(TrialStarted(trial=trial.number))
        try:
            ready = self._make_ready(preparation, trial)
        except RunInterruptedError:
            raise
        except RunError as error:
            self._interruption.check()
            self._store_unprepared(result, trial, error)
            preparation.abandon(trial.target)
            return
        self._failures_in_a_row = 0
        with result.begin(
            trial, ready.load.plan, server=ready.description, dataset=ready.dataset
        ) as writer:
            self._measure(writer, preparation, trial, ready)
        if self._tell_finished(result, trial) is not TrialStatus.COMPLETED:
            preparation.abandon(trial.target)

    def _make_ready(self, preparation: TrialPreparation, trial: PlannedTrial) -> _Ready:
        """Bring a trial's server to where the trial begins, and look at it; ``RunError`` if not."""
        server, dataset = preparation.prepare(trial)
        workload = trial.generator_plan.workload
        cpus = self._experiment.generator.cpus or ()
        return _Ready(
            server,
            dataset=dataset | {"disk": {"before": disk_facts(server, workload)}},
            description=server.describe().to_dict(),
            load=TrialLoad(trial.generator_plan, Address(server.url, server.password), cpus=cpus),
        )

    def _measure(
        self, writer: TrialWriter, preparation: TrialPreparation, trial: PlannedTrial, ready: _Ready
    ) -> None:
        """Make a trial's load, look at server and tables afterwards, and store what came of it."""
        server, dataset = ready.server, ready.dataset
        self._progress.trial_started(trial)
        group = GroupWatch(server.process_ids())
        try:
            failure = self._make_load(writer, trial, ready)
        except OSError as error:
            # A full disk, say, is not the trial's fault: the next call runs it again.
            writer.finish(status=TrialStatus.INTERRUPTED, reason=str(error))
            raise
        failure = server.killed_for_memory() or failure or _what_is_wrong_with(server)
        facts, resources = group.facts(), ready.load.resources()
        if trial.server_limits.memory_bytes is not None:
            # The reason above is taken from the same counter.
            facts["out_of_memory_kills"] = server.out_of_memory_kills()
        described = ready.description | {"control_group": facts}
        if failure is None:
            after = {"after": disk_facts(server, trial.generator_plan.workload)}
            checked = {
                "disk": dataset["disk"] | after,
                # First: what it finds is the cause of what the other finds.
                "ledger": ready.load.close_books().to_dict(),
                "check": self._check(preparation, trial, server),
            }
            writer.finish(resources=resources, server=described, dataset=dataset | checked)
        else:
            requested = self._interruption.is_requested()
            status = TrialStatus.INTERRUPTED if requested else TrialStatus.FAILED
            writer.finish(status=status, reason=failure, server=described, resources=resources)

    def _make_load(self, writer: TrialWriter, trial: PlannedTrial, ready: _Ready) -> str | None:
        """Make the load to its end; return what failed."""

        def listen(event: TrialEvent) -> None:
            writer.event(event)
            self._progress.event(trial, event)

        watched: Watched | None = None
        if self._experiment.watch.host == "local":
            watched = {"server": ready.server.process_ids()}
        try:
            ready.load.make(listen, wants_stop=self._interruption.is_requested, watched=watched)
        except (RunError, InputError) as error:
            return str(error)
        return None

    def _check(self, preparation: TrialPreparation, trial: PlannedTrial, server: Server) -> Facts:
        """Look whether the tables still hold what the workload keeps in them."""
        if self._experiment.procedure.check == "none" or self._interruption.is_requested():
            return {"done": False}
        self._progress.checking()
        try:
            fingerprint = preparation.loader(server).check(preparation.dataset(trial))
            if fingerprint is not None and has_conditions(trial):
                return check_conditions(server, trial)
        except RunError as error:
            if self._interruption.is_requested():
                return {"done": False}
            return {"done": True, "passed": False, "message": str(error)}
        return {"done": True, "passed": fingerprint is not None}

    def _store_unprepared(self, result: ResultWriter, trial: PlannedTrial, error: RunError) -> None:
        plan = json.dumps(trial.generator_plan.to_document()).encode()
        writer = result.begin(trial, plan, server={}, dataset={})
        writer.finish(status=TrialStatus.INTERRUPTED, reason=f"it could not begin: {error}")
        self._tell_finished(result, trial)
        self._failures_in_a_row += 1
        if self._failures_in_a_row == FAILURES_IN_A_ROW:
            raise RunError(
                f"{FAILURES_IN_A_ROW} trials in a row could not begin, and the rest is not tried. "
                f"To try again, call the same with --out {self._directory}"
            )

    def _tell_finished(self, result: ResultWriter, trial: PlannedTrial) -> TrialStatus:
        record = result.record(trial.number)
        assert record is not None
        status, reason = record.status, record.reason
        finished = TrialFinished(trial=trial.number, status=status, reason=reason)
        result.journal.write(finished)
        self._progress.trial_finished(trial, status, reason)
        return status


def _is_failure(error: BaseException) -> bool:
    """Tell whether a run ended because something is wrong, and not because somebody wanted it."""
    return isinstance(error, DbdynoError) and not isinstance(error, RunInterruptedError)


def _what_is_wrong_with(server: Server) -> str | None:
    """Return why a server does not answer after a trial; None where it does.

    Clients that cannot connect again fail few transactions: the generator may call that complete.
    """
    try:
        server.describe()
    except RunError as error:
        return str(error)
    return None
