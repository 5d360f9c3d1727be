"""Reads a result directory; the only way in which analysis and report come by one.

Nothing is judged here. A figure that cannot be right is stored as it was measured and found by
``analysis``; only what cannot be read at all, or was not written together, is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dbdyno.contained_files import named_directory, names_in, read_file
from dbdyno.errors import InputError
from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.json_documents import parse_document, parse_json, read_bytes
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.store import layout
from dbdyno.store.histograms import read_window
from dbdyno.store.journal import read_journal
from dbdyno.store.model import StoredResult, StoredTrial
from dbdyno.store.named_files import NamedFile, read_named_files
from dbdyno.store.record import (
    TO_MEASURE_AGAIN,
    TRIAL_PLAN,
    TrialRecord,
    check_format,
    read_host,
    read_other_hosts,
    read_plan,
    read_trial,
)
from dbdyno.store.tables import total_errors
from dbdyno.store.trial_tables import StoredTables


def read_result(directory: Path) -> StoredResult:
    """Read what is stored; ``damages`` name the files that are missing or damaged.

    Planned trials without an outcome are ``missing``; one that is being measured is among them, and
    so is one with a damaged file. InputError where format or plan are damaged, or every trial is.
    """
    return ResultReader(directory).result()


class ResultReader:
    """Reads a result trial by trial, for those who look at each while its tables are in memory.

    To read the tables of a thousand trials a second time takes as long as the first time.
    """

    def __init__(self, directory: Path) -> None:
        """Read what is stored once a result; InputError where format or plan are damaged."""
        directory = named_directory(directory)
        check_format(directory)
        self._directory = directory
        self._damages: list[str] = []
        self._damages_of_hosts: list[str] = []
        self._settings: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        self.plan = read_plan(directory / layout.PLAN_FILE)
        self.host = HostFacts()
        self.other_hosts: Mapping[str, OtherHost] = {}
        with _noting(self._damages_of_hosts):
            self.host = read_host(directory / layout.HOST_FILE)
        with _noting(self._damages_of_hosts):
            self.other_hosts = read_other_hosts(directory / layout.OTHER_HOSTS_FILE)

    def result(self, look: Callable[[StoredTrial], None] = lambda _: None) -> StoredResult:
        """Read all trials and return the whole result; ``look`` is called for each of them.

        InputError where every trial is damaged.
        """
        directory, plan = self._directory, self.plan
        trials = tuple(self._trials(look))
        damages = [*self._damages, *self._damages_of_hosts]
        read_numbers = {trial.planned.number for trial in trials}
        return StoredResult(
            directory=directory,
            plan=plan,
            experiment_text=_read_text(directory / layout.EXPERIMENT_FILE),
            named_files=_named_files(directory, damages),
            host=self.host,
            trials=trials,
            missing=tuple(trial for trial in plan.trials if trial.number not in read_numbers),
            unknown=_unknown(directory, plan),
            journal=read_journal(directory / layout.JOURNAL_FILE, damages),
            damages=tuple(damages),
            other_hosts=self.other_hosts,
        )

    def _trials(self, look: Callable[[StoredTrial], None]) -> Iterator[StoredTrial]:
        is_any_read = False
        for planned in self.plan.trials:
            trial = self._trial(planned)
            if trial is not None:
                is_any_read = True
                look(trial)
                yield trial
        if self._damages and not is_any_read:
            raise InputError(self._damages[0])

    def _trial(self, planned: PlannedTrial) -> StoredTrial | None:
        """Return a trial; None where it has no outcome, or is damaged."""
        folder = _trial_directory(self._directory, planned)
        if folder is None:
            return None
        with _noting(self._damages):
            return self._with_shared_settings(_read_whole_trial(folder, planned))
        return None

    def _with_shared_settings(self, trial: StoredTrial) -> StoredTrial:
        """Have equal settings once: those of thousands of trials take most of the memory."""
        own = trial.server.settings
        if not own:
            return trial
        shared = self._settings.setdefault(tuple(own.items()), own)
        return replace(trial, server=trial.server.model_copy(update={"settings": shared}))


@contextmanager
def _noting(damages: list[str]) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        damages.append(str(error))


def _named_files(directory: Path, damages: list[str]) -> tuple[NamedFile, ...]:
    with _noting(damages):
        return read_named_files(directory) or ()
    return ()


def _trial_directory(directory: Path, trial: PlannedTrial) -> Path | None:
    folder = layout.trial_directory(directory, trial.number)
    return folder if folder.is_dir() else None


def _unknown(directory: Path, plan: Plan) -> tuple[str, ...]:
    """Return the names among the trials that neither a trial of the plan has nor an attempt."""
    numbers = [trial.number for trial in plan.trials]
    finished = {layout.trial_directory(directory, number).name for number in numbers}
    unfinished = {layout.unfinished_directory(directory, number).name for number in numbers}
    trials = directory / layout.TRIALS_DIRECTORY
    names = sorted(names_in(trials)) if trials.is_dir() else []
    return tuple(
        name
        for name in names
        if name not in unfinished and name.partition(layout.SUPERSEDED)[0] not in finished
    )


def _read_whole_trial(folder: Path, planned: PlannedTrial) -> StoredTrial:
    try:
        return _read_trial(folder, planned)
    except InputError as error:
        raise InputError(f"{error}; {TO_MEASURE_AGAIN}") from error


def _read_trial(folder: Path, planned: PlannedTrial) -> StoredTrial:
    record, facts = read_trial(folder / layout.TRIAL_FILE)
    url, generator_plan = _read_generator_plan(folder / layout.GENERATOR_PLAN_FILE, record)
    tables = StoredTables(folder)
    tables.check()
    histograms = read_window(folder / layout.WINDOW_FILE, tables.intervals(), tables.generator())
    return StoredTrial(
        planned=planned,
        status=record.status,
        reason=record.reason,
        plan_sha256=record.plan_sha256,
        url=url,
        generator_plan=generator_plan,
        end=record.end,
        server=facts.server,
        dataset=facts.dataset,
        clock=facts.clock,
        tables=tables,
        histograms=histograms.window,
        drained=histograms.drained,
        loop_lag=histograms.loop_lag,
        errors=total_errors(tables.errors()),
        resources_zero=record.resources_zero,
        watch_failures=record.watch_failures,
        connected=record.connected,
        standings=record.standings,
        clocks=record.clocks,
        warmup=record.warmup,
    )


def _read_generator_plan(path: Path, record: TrialRecord) -> tuple[str, TrialPlan]:
    """Return the URL and the plan that a generator received; no URL of a trial that never began."""
    content = read_bytes(path)
    document = parse_json(path, content)
    if hashlib.sha256(content).hexdigest() != record.plan_sha256:
        raise InputError(
            f"{path} is not what the generator received: its SHA-256 is not the one in "
            f"{layout.TRIAL_FILE} beside it"
        )
    return str(document.get("url", "")), parse_document(path, content, TRIAL_PLAN)


def _read_text(path: Path) -> str:
    try:
        return read_file(path).decode("utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is damaged: byte {error.start} is not UTF-8") from error
