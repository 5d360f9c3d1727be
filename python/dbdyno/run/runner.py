"""Carries an experiment out: every trial that is missing, in the plan's order, each stored at once.

A trial that fails is stored as failed, and the matrix goes on. One that was cut short by a crash or
by Ctrl-C, or that could not begin, is stored as interrupted; the next call runs it again.
"""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from dbdyno.contained_files import named_directory, refuse_links_out
from dbdyno.database.waits import waits_said_to
from dbdyno.errors import DbdynoError, InputError
from dbdyno.experiment.design.varied_target import target_of
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.interruption import Interruption, RunInterruptedError
from dbdyno.run.attempts import Attempts, find_attempts
from dbdyno.run.campaign import Campaign
from dbdyno.run.elsewhere import Reached, generator_hosts
from dbdyno.run.growth import grow_plan
from dbdyno.run.hooks import Hooks
from dbdyno.run.leftovers import end_leftovers
from dbdyno.run.log import RunLog
from dbdyno.run.measurement import Measurement
from dbdyno.run.members_elsewhere import remove_files_elsewhere
from dbdyno.run.opening import lock_result, open_result
from dbdyno.run.other_hosts import other_hosts
from dbdyno.run.pacing import Pacing
from dbdyno.run.preflight import preflight, require_none
from dbdyno.run.preparation import TrialPreparation
from dbdyno.run.progress import Progress
from dbdyno.run.rehearsal import rehearse, rehearse_statements
from dbdyno.store import layout
from dbdyno.store.journal import (
    RunCompleted,
    RunEndedEarly,
    RunStarted,
    read_journal,
)
from dbdyno.store.writer import ResultWriter
from dbdyno.target.local.files import file_errors
from dbdyno.watch.facts.host import host_identity


class Runner:
    """Runs one experiment into one result directory."""

    def __init__(
        self, experiment: Experiment, plan: Plan, directory: Path, progress: Progress
    ) -> None:
        self._experiment = experiment
        self._plan = plan
        self._directory = named_directory(directory)
        self._progress = progress
        self._interruption = Interruption(
            progress.stopping,
            f"what was measured is kept. To go on, call the same with --out {directory}",
        )
        self._has_begun = False
        self._attempts = Attempts(experiment.procedure.attempts)

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
            journal, log = result.journal, RunLog(result.journal, self._progress)
            past = read_journal(self._directory / layout.JOURNAL_FILE, [])
            end_leftovers(past, log.write)
            attempts = self._experiment.procedure.attempts
            self._attempts = find_attempts(past, result.failed(), attempts)
            result.repeat(self._attempts.made)
            # A run may have been killed between a step of a search and the next one.
            grow_plan(self._experiment, result, log)
            pending = result.pending()
            self._progress.run_started(result.plan, len(pending))
            log.write(RunStarted(pending=len(pending), host=host_identity()))
            try:
                with waits_said_to(log.waiting):
                    self._run_trials(result, pending, log)
            except BaseException as error:
                journal.write(RunEndedEarly(reason=str(error) or type(error).__name__))
                if _is_failure(error):
                    self._remove_what_is_of_no_use(result, log, error)
                raise
            log.write(RunCompleted())
            return result.failed()

    def _remove_what_is_of_no_use(
        self, result: ResultWriter, log: RunLog, error: BaseException
    ) -> None:
        """Remove a result without trials; also with snapshots where the file must be corrected."""
        if isinstance(error, InputError) and not result.has_trials():
            self._remove_files_elsewhere(result, log)
            result.remove()
        elif not result.holds_anything():
            result.remove()

    def _remove_files_elsewhere(self, result: ResultWriter, log: RunLog) -> None:
        models = (target_of(self._experiment, trial) for trial in result.plan.trials)
        remove_files_elsewhere(models, self._directory / layout.WORK_DIRECTORY, log.warn)

    def _run_trials(
        self, result: ResultWriter, pending: tuple[PlannedTrial, ...], log: RunLog
    ) -> None:
        """Run trials; snapshots stay until all are done."""
        work_directory = self._directory / layout.WORK_DIRECTORY
        refuse_links_out(work_directory)
        if pending:
            problems = preflight(self._experiment, pending, self._directory)
            require_none(problems)
            for problem in problems:
                self._progress.expected(problem.message)
            with (
                generator_hosts(self._experiment, pending, self._interruption.check) as reached,
                TrialPreparation(
                    self._experiment, work_directory, log, self._interruption
                ) as preparation,
            ):
                known = other_hosts(
                    self._experiment.watch, reached.facts, result.other_hosts(), log.warn
                )
                result.write_other_hosts(known)
                rehearse(self._experiment, pending, preparation, log)
                rehearse_statements(self._experiment, pending, preparation)
                self._campaign(result, preparation, log, reached).run(
                    pending, lambda: self._next_step(result, log)
                )
        if result.pending():
            self._interruption.check()
        else:
            self._remove_files_elsewhere(result, log)
            shutil.rmtree(work_directory, ignore_errors=True)

    def _next_step(self, result: ResultWriter, log: RunLog) -> tuple[PlannedTrial, ...]:
        """Return the trials that a search asks for next; none where some could not begin."""
        if result.pending():
            return ()
        grow_plan(self._experiment, result, log)
        return result.pending()

    def _campaign(
        self,
        result: ResultWriter,
        preparation: TrialPreparation,
        log: RunLog,
        reached: Reached,
    ) -> Campaign:
        experiment, interruption = self._experiment, self._interruption
        hooks = Hooks(
            experiment,
            self._directory,
            tell=log.write,
            warn=log.warn,
            check=interruption.check,
        )
        return Campaign(
            result,
            Measurement(experiment, preparation, log, interruption, reached),
            hooks,
            Pacing(experiment.procedure, self._directory, log, interruption.check),
            log,
            interruption,
            self._attempts,
        )


def _is_failure(error: BaseException) -> bool:
    """Tell whether a run ended because something is wrong, and not because somebody wanted it."""
    return isinstance(error, DbdynoError) and not isinstance(error, RunInterruptedError)
