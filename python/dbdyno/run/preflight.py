"""Looks for what would end a run in its middle before anything is loaded, and tells all of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from dbdyno.errors import DbdynoError, InputError, RunError
from dbdyno.experiment.design.varied_target import first_of_each_start, target_of
from dbdyno.experiment.file.limits import show_bytes
from dbdyno.experiment.file.target import UrlTarget
from dbdyno.experiment.file.watch import Watch
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.remote.way import Way
from dbdyno.run.host_loads import THIS_HOST, client_needs, ways_to_generators
from dbdyno.run.levels import ServerLevels
from dbdyno.run.needs import cpus_here, tables_here_bytes
from dbdyno.target.capabilities import ReadingSettings
from dbdyno.target.local.files import check_space
from dbdyno.target.local.process import check_cpus
from dbdyno.target.opening import open_target
from dbdyno.target.problem import Problem, noting
from dbdyno.watch.client_limits import own_client_limits, shortages


def preflight(
    experiment: Experiment, trials: Sequence[PlannedTrial], directory: Path
) -> list[Problem]:
    """Return what is wrong with targets, settings, CPUs and the place of the result.

    Nothing is changed.
    """
    problems: list[Problem] = []
    with noting(problems, "generators: "):
        for cpus in dict.fromkeys(cpus_here(experiment, trials)):
            check_cpus(cpus)
    problems += _of_hosts(experiment)
    problems += _of_clients(experiment, trials)
    with noting(problems):
        _check_place(experiment, trials, directory)
    with noting(problems):
        _check_disk_limit(experiment, trials)
    problems += _of_starts(experiment, trials, directory)
    return list(dict.fromkeys(problems))


def _of_starts(
    experiment: Experiment, trials: Sequence[PlannedTrial], directory: Path
) -> list[Problem]:
    """Say what is in the way of each way of starting each target.

    What costs the trials of all of them ends the run.
    """
    levels = ServerLevels(experiment)
    found: list[list[Problem]] = []
    for target in dict.fromkeys(trial.target for trial in trials):
        is_by_url = isinstance(experiment.targets[target], UrlTarget)
        where = f"target {target}: " if len(experiment.targets) > 1 and not is_by_url else ""
        own = (trial for trial in trials if trial.target == target)
        for trial in first_of_each_start(own):
            problems: list[Problem] = []
            with noting(problems, where):
                server = open_target(target_of(experiment, trial), target, directory)
                problems += (
                    replace(problem, message=f"{where}{problem.message}")
                    for problem in server.preflight(trial.setup)
                )
            if not problems and levels.factors and isinstance(server, ReadingSettings):
                with noting(problems):
                    levels.check(trial, *server.read(trial.setup.server.settings))
            found.append(problems)
    everything = [problem for problems in found for problem in problems]
    if all(found):
        return [replace(problem, costs_trials=False) for problem in everything]
    return everything


def _of_hosts(experiment: Experiment) -> Iterator[Problem]:
    """Say which hosts of generators, and which to watch, have no address here; none is called."""
    ways = {"generators": ways_to_generators(experiment), "watch": _ways_to_watch(experiment.watch)}
    for use, to_hosts in ways.items():
        unknown = [way.name for way in to_hosts if not way.is_known]
        if unknown:
            words = f"no address is known here of {', '.join(unknown)}; name them in ~/.ssh/config"
            yield Problem(f"{use}: {words}", is_input=True)


def _ways_to_watch(watch: Watch) -> list[Way]:
    command = watch.ssh.replace("{", "{{").replace("}", "}}") + " {host}"
    return [Way(host, command) for host in watch.hosts if watch.host != "none"]


def _of_clients(experiment: Experiment, trials: Sequence[PlannedTrial]) -> list[Problem]:
    """Say what this machine has too few of for the clients of the generators on it."""
    needs = client_needs(experiment, trials).get(THIS_HOST)
    if needs is None:
        return []
    return [Problem(words, is_input=True) for words in shortages(own_client_limits(), needs)]


def require_none(problems: Sequence[Problem]) -> None:
    """Raise one error that tells all problems that would end a run."""
    error = error_of(problems)
    if error is not None:
        raise error


def error_of(problems: Sequence[Problem]) -> DbdynoError | None:
    """Return one error that tells all problems that would end a run; None where none would."""
    problems = [problem for problem in problems if not problem.costs_trials]
    if not problems:
        return None
    kind = InputError if any(problem.is_input for problem in problems) else RunError
    if len(problems) == 1:
        return kind(problems[0].message)
    lines = "".join(f"\n  - {problem.message}" for problem in problems)
    return kind(f"{len(problems)} things are in the way, and nothing was started:{lines}")


def _check_place(experiment: Experiment, trials: Sequence[PlannedTrial], directory: Path) -> None:
    """Refuse a place that cannot be written to, or that the tables and their copies do not fit."""
    place = next(
        path for path in (directory.absolute(), *directory.absolute().parents) if path.exists()
    )
    if not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"{place} cannot be written to; name another directory with --out")
    if place.is_dir():
        check_space("loading the tables", tables_here_bytes(experiment, trials), place)


def _check_disk_limit(experiment: Experiment, trials: Sequence[PlannedTrial]) -> None:
    """Refuse tables and copies that are larger than the experiment's own limit."""
    limit_bytes = experiment.procedure.limits.disk_bytes
    needed_bytes = tables_here_bytes(experiment, trials)
    if limit_bytes is not None and needed_bytes > limit_bytes:
        raise InputError(
            f"limits.disk is {show_bytes(limit_bytes)}, and the tables with their snapshots take "
            f"about {show_bytes(needed_bytes)}; raise it, or load less"
        )
