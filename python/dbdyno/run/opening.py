"""Opens the directory that a run stores its result in: a new one, or one to go on with.

A result goes on with the experiment that it was begun with. What may have changed in the file
since is what cannot change any trial that is there: comments, the question, and the number of
rounds where the trials so far stay the first ones of the plan.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.experiment.file.source import Source
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import Plan
from dbdyno.published.stored import keep_published
from dbdyno.run.differences import Difference, differences
from dbdyno.run.host_loads import THIS_HOST, servers_of_hosts
from dbdyno.run.named_files import named_files
from dbdyno.store import layout
from dbdyno.store.journal import ExperimentChanged
from dbdyno.store.named_files import keep_named_files, read_named_files
from dbdyno.store.writer import ResultWriter
from dbdyno.target.local.files import file_errors
from dbdyno.watch.facts.host import host_facts
from dbdyno.watch.round_trips import round_trips_ms

CHANGEABLE = {
    "question",
    "procedure.rounds",
    "procedure.limits.campaign",
    "procedure.limits.disk",
    "procedure.limits.trial",
    "procedure.wait_for_hosts",
    "report.formats",
    "report.languages",
    "report.margin",
    "report.published",
}
"""Fields that no trial alone depends on: rounds decide how many there are, and in which order,
limits when a run ends early, and the report how it is judged and written. A trial that has waited
for a host is a trial like any other."""


@contextmanager
def lock_result(directory: Path) -> Iterator[None]:
    """Make the directory, and keep other runs out of it.

    The lock leaves nothing behind: it is on the directory, and ends with the process, however that
    ends.
    """
    if os.path.lexists(directory) and not directory.is_dir():
        raise InputError(f"{directory} is no directory; name one with --out")
    with file_errors(f"use {directory} for the result", InputError):
        directory.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"another dbdyno is at work in {directory}; wait for its end, or name another "
                "directory with --out"
            ) from None
        yield
    finally:
        os.close(descriptor)


def open_result(directory: Path, experiment: Experiment, plan: Plan) -> ResultWriter:
    """Return the result in a directory, with this plan; InputError where it has no place there."""
    result = _opened(directory, experiment, plan)
    _keep_named_files(result, experiment)
    with file_errors(f"keep the published tables in {directory}", InputError):
        keep_published(directory, experiment)
    return result


def _keep_named_files(result: ResultWriter, experiment: Experiment) -> None:
    """Keep the files that are named; InputError where one has changed since trials ran with it."""
    now = named_files(experiment.written, experiment.path.parent)
    with file_errors(f"keep the files that are named in {result.directory}", InputError):
        if not result.has_trials():
            keep_named_files(result.directory, now)
            return
        kept = {each.name: each.sha256 for each in read_named_files(result.directory) or ()}
    changed = [each.name for each in now if kept.get(each.name, each.sha256) != each.sha256]
    if changed:
        result.close()
        raise InputError(
            f"{', '.join(changed)} changed after trials had run that are in {result.directory}: "
            "put back what was there, or name another directory with --out"
        )


def _opened(directory: Path, experiment: Experiment, plan: Plan) -> ResultWriter:
    with file_errors(f"use {directory} for the result", InputError):
        if not (directory / layout.FORMAT_FILE).exists():
            return _create(directory, experiment, plan)
        result = ResultWriter.open(directory)
        as_before = _grown(result.plan, _sending_as(result.plan, plan))
        changes = _changes(result, experiment)
        if not changes and result.plan.trials == as_before.trials:
            return result
        if _goes_on(result.plan, as_before, changes):
            _change(result, experiment, as_before, changes)
            return result
        if not result.has_trials():
            result.remove()
            return _create(directory, experiment, plan)
        result.close()
        raise InputError(_refusal(result, as_before, changes))


def _create(directory: Path, experiment: Experiment, plan: Plan) -> ResultWriter:
    host = host_facts(directory, probes=experiment.watch.probe == "on")
    servers = servers_of_hosts(experiment, plan.trials).get(THIS_HOST, ())
    host = replace(host, server_round_trip_ms=round_trips_ms(servers))
    return ResultWriter.create(directory, experiment_text=experiment.text, plan=plan, host=host)


def _changes(result: ResultWriter, experiment: Experiment) -> list[Difference]:
    """Return what differs between the stored file and the one given, but for comments and layout.

    That is not all that decides on trials: their size does too, and the version of dbdyno.
    """
    was_stand_in = result.plan.is_stand_in
    if (result.experiment_text(), was_stand_in) == (experiment.text, experiment.is_stand_in):
        return []
    stored = Source(result.directory / layout.EXPERIMENT_FILE, smoke=was_stand_in)
    return list(differences(stored.written(), experiment.written))


def _sending_as(stored: Plan, given: Plan) -> Plan:
    """Return the plan given, whose trials send as those that are there.

    Where the server runs may not be seen again: it listens no more, or for another user. What the
    file says of it is compared with the stored file.
    """
    plans = [trial.generator_plan for trial in stored.trials]
    trials = tuple(
        replace(trial, generator_plan=trial.generator_plan.sending_as(plan))
        for trial, plan in zip(given.trials, plans, strict=False)
    )
    return replace(given, trials=(*trials, *given.trials[len(trials) :]))


def _grown(stored: Plan, given: Plan) -> Plan:
    """Return the plan given; of a search whose first step it is, with what has followed from it."""
    is_first_step = stored.trials[: len(given.trials)] == given.trials
    if given.search is None or stored.search != given.search or not is_first_step:
        return given
    return replace(stored, question=given.question)


def _goes_on(stored: Plan, given: Plan, changes: list[Difference]) -> bool:
    """Tell whether the trials of the one plan are the first ones of the other."""
    return all(map(_is_changeable, changes)) and given.trials[: len(stored.trials)] == stored.trials


def _is_changeable(change: Difference) -> bool:
    """Tell whether a field may change, or what it is part of: ``question.zh``."""
    parts = change.field.split(".")
    return any(".".join(parts[:end]) in CHANGEABLE for end in range(1, len(parts) + 1))


def _change(
    result: ResultWriter, experiment: Experiment, plan: Plan, changes: list[Difference]
) -> None:
    told = [asdict(change) for change in changes]
    result.journal.write(ExperimentChanged(changes=told, trials=len(plan.trials)))
    result.change_experiment(experiment.text, plan)


def _refusal(result: ResultWriter, plan: Plan, changes: list[Difference]) -> str:
    if changes:
        what = "another experiment, or of this one before it was changed"
    else:
        what = "this experiment at another size (--smoke), or as another dbdyno planned it"
        changes = _trial_differences(result.plan, plan)
    return (
        f"{result.directory} holds the result of {what}: {'; '.join(map(str, changes))}. Name "
        "another directory with --out; a result goes on only with another question, or with more "
        "rounds in interleaved order"
    )


def _trial_differences(stored: Plan, given: Plan) -> list[Difference]:
    """Return how the number of trials differs, and the first two that are not the same."""
    found = list(differences({"trials": len(stored.trials)}, {"trials": len(given.trials)}))
    for old, new in zip(stored.trials, given.trials, strict=False):
        if old != new:
            return found + list(differences(asdict(old), asdict(new), f"trial {old.number}"))
    return found
