"""Writes a result directory: what the run is, its journal, and its trials one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from dbdyno.contained_files import (
    make_folder,
    named_directory,
    names_in,
    read_file,
    remove,
    write_file,
)
from dbdyno.errors import InputError
from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.facts.host import HOST, OTHER_HOSTS, HostFacts, OtherHost
from dbdyno.json_documents import read_document, write_document
from dbdyno.store import layout
from dbdyno.store.journal import Journal, TrialRecovered
from dbdyno.store.model import TrialStatus
from dbdyno.store.record import (
    PLAN,
    TO_MEASURE_AGAIN,
    TRIAL,
    TrialRecord,
    check_format,
    raise_format,
    read_other_hosts,
    write_format,
)
from dbdyno.store.trial_writer import TrialWriter, recover


class ResultWriter:
    """A result directory that is being filled. One process at a time may hold it."""

    def __init__(self, directory: Path, plan: Plan) -> None:
        self.directory = directory
        self.plan = plan
        self.journal = Journal(directory / layout.JOURNAL_FILE)
        self._repeated: set[int] = set()

    @classmethod
    def create(cls, directory: Path, *, experiment_text: str, plan: Plan, host: HostFacts) -> Self:
        """Begin a new result; InputError when something is in the directory already.

        Where that fails, on a full disk say, nothing stays that would be in the way the next time.
        """
        directory = named_directory(directory)
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise InputError(f"{directory} exists and is not empty: name another directory")
        try:
            cls._write_beginning(directory, experiment_text, plan, host)
        except OSError:
            _remove_own(directory)
            raise
        return cls(directory, plan)

    @staticmethod
    def _write_beginning(
        directory: Path, experiment_text: str, plan: Plan, host: HostFacts
    ) -> None:
        make_folder(directory / layout.TRIALS_DIRECTORY)
        write_file(directory / layout.EXPERIMENT_FILE, experiment_text)
        write_document(directory / layout.PLAN_FILE, PLAN, plan)
        write_document(directory / layout.HOST_FILE, HOST, host)
        # This comes last, because it is what makes the directory a result.
        write_format(directory)

    @classmethod
    def open(cls, directory: Path) -> Self:
        """Go on with a result; a trial that a crash cut short is kept as an interrupted one.

        InputError when the directory is no result or of another version.
        """
        directory = named_directory(directory)
        check_format(directory)
        result = cls(directory, read_document(directory / layout.PLAN_FILE, PLAN))
        for trial in result.plan.trials:
            unfinished = layout.unfinished_directory(directory, trial.number)
            if os.path.lexists(unfinished):
                recover(unfinished, trial.number)
                result.journal.write(TrialRecovered(trial=trial.number))
        return result

    def experiment_text(self) -> str:
        """Return the experiment file as it was given last."""
        return read_file(self.directory / layout.EXPERIMENT_FILE).decode("utf-8")

    def change_experiment(self, experiment_text: str, plan: Plan) -> None:
        """Put another experiment file and plan in place; all trials so far must be the plan's too.

        A crash between the two leaves a file that differs from the plan: the next run, which
        compares both with its own, then does this again.
        """
        write_file(self.directory / layout.EXPERIMENT_FILE, experiment_text)
        write_document(self.directory / layout.PLAN_FILE, PLAN, plan)
        self.plan = plan

    def other_hosts(self) -> dict[str, OtherHost]:
        """Return what is known of other hosts so far."""
        return read_other_hosts(self.directory / layout.OTHER_HOSTS_FILE)

    def write_other_hosts(self, hosts: dict[str, OtherHost]) -> None:
        """Keep what is known of other hosts; without any, nothing is written."""
        if hosts:
            write_document(self.directory / layout.OTHER_HOSTS_FILE, OTHER_HOSTS, hosts)

    def pending(self) -> tuple[PlannedTrial, ...]:
        """Return the trials that have yet to run, in order: no outcome so far, or interrupted."""
        return tuple(trial for trial in self.plan.trials if self._is_pending(trial.number))

    def failed(self) -> tuple[int, ...]:
        """Return the numbers of the trials that failed, which are not run again."""
        records = (self.record(trial.number) for trial in self.plan.trials)
        return tuple(
            record.number for record in records if record and record.status is TrialStatus.FAILED
        )

    def _is_pending(self, number: int) -> bool:
        record = self.record(number)
        if record is None or record.status is TrialStatus.INTERRUPTED:
            return True
        return record.status is TrialStatus.FAILED and number in self._repeated

    def repeat(self, numbers: Iterable[int]) -> None:
        """Have trials that failed run once more."""
        self._repeated.update(numbers)

    def record(self, number: int) -> TrialRecord | None:
        """Return how a trial ended; None where it has no stored outcome yet."""
        path = layout.trial_directory(self.directory, number) / layout.TRIAL_FILE
        try:
            return read_document(path, TRIAL) if path.exists() else None
        except InputError as error:
            raise InputError(f"{error}; {TO_MEASURE_AGAIN}") from error

    def begin(
        self,
        planned: PlannedTrial,
        generator_plan: bytes,
        *,
        server: Mapping[str, Any],
        dataset: Mapping[str, Any],
    ) -> TrialWriter:
        """Begin a trial; ``generator_plan`` is just what the generator receives, byte for byte."""
        raise_format(self.directory)
        self._repeated.discard(planned.number)
        return TrialWriter(self.directory, planned, generator_plan, server=server, dataset=dataset)

    def has_trials(self) -> bool:
        """Tell whether any trial has left something, also one that was cut short."""
        return bool(names_in(self.directory / layout.TRIALS_DIRECTORY))

    def holds_anything(self) -> bool:
        """Tell whether a later run would find here what it need not do again: trials, snapshots."""
        return self.has_trials() or (self.directory / layout.WORK_DIRECTORY).exists()

    def remove(self) -> None:
        """Remove what a run left that measured nothing, so that another may begin in its place."""
        self.close()
        _remove_own(self.directory)

    def close(self) -> None:
        """Close the journal. Trials are closed by themselves."""
        self.journal.close()


def _remove_own(directory: Path) -> None:
    """Remove what dbdyno itself put there; anything else stays."""
    for name in layout.TOP_LEVEL:
        with suppress(OSError):
            remove(directory / name)
