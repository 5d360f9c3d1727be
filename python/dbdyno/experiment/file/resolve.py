"""Make an ``Experiment`` of an ``ExperimentFile``: fill in what follows, refuse contradictions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from dbdyno.database.hosts import single_host_urls
from dbdyno.database.url import database_of_url
from dbdyno.experiment.design.cells import resolve_cases, resolve_combinations
from dbdyno.experiment.design.check_search import check_search
from dbdyno.experiment.design.checks import check_workload
from dbdyno.experiment.design.cluster_checks import check_cluster
from dbdyno.experiment.design.factors import resolve_factors
from dbdyno.experiment.design.following import with_following
from dbdyno.experiment.design.generator_checks import check_choice_of_generators, check_generators
from dbdyno.experiment.design.reference import resolve_reference
from dbdyno.experiment.design.variables import refuse_unused_variables
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.generator import generator_sets
from dbdyno.experiment.file.resolve_procedure import resolve_procedure
from dbdyno.experiment.file.session import asked_values, refuse_in_sqlite
from dbdyno.experiment.file.smoke import check_section
from dbdyno.experiment.file.target import (
    ClusterTarget,
    PrivateTarget,
    Target,
    TargetChoice,
    UrlTarget,
    database_of,
)
from dbdyno.experiment.model import Experiment, ExperimentFile, Factor
from dbdyno.experiment.workload.own import resolve_own_workloads
from dbdyno.experiment.workload.resolve import choose_workload, resolve_workload

AnyPrivate = TypeVar("AnyPrivate", bound=PrivateTarget)


def resolve(file: ExperimentFile, path: Path, text: str) -> Experiment:
    """Return the experiment; FieldError where fields contradict each other."""
    choose_workload(file)
    if file.smoke is not None:
        check_section(file.smoke, file.field_names())
    targets = _resolve_targets(file, path.parent)
    factors = with_following(
        resolve_factors(file, targets, path.parent), targets, is_alone=file.target is not None
    )
    _check_choice_of_target(targets, factors)
    check_choice_of_generators(file, factors)
    check_search(file, factors)
    combinations = resolve_combinations(file, factors)
    _check_arrivals(file, factors)
    _check_sqlite(file, targets, factors)
    _check_commands(targets, factors)
    workload = resolve_workload(file, targets, factors, path.parent)
    experiment = Experiment(
        path=path,
        text=text,
        name=file.experiment,
        question=file.question,
        workload=workload,
        own_workloads=resolve_own_workloads(file, workload, targets, path.parent),
        targets=targets,
        factors=factors,
        load=file.load,
        session=file.session,
        procedure=resolve_procedure(file.procedure, targets),
        generator_sets=generator_sets(file.generators),
        watch=file.watch,
        hooks=file.hooks,
        report=file.report,
        search=file.search,
        reference=resolve_reference(file.procedure, factors, combinations),
        combinations=combinations,
        cases=resolve_cases(file, factors),
    )
    check_workload(experiment)
    check_generators(experiment)
    refuse_unused_variables(experiment)
    return experiment


def _resolve_targets(file: ExperimentFile, directory: Path) -> dict[str, Target]:
    if file.target is not None and file.targets is not None:
        raise FieldError(("targets",), "target is there as well; keep one of the two")
    if file.targets is not None:
        return {
            name: _resolve_target(choice, ("targets", name), directory)
            for name, choice in file.targets.items()
        }
    if file.target is None:
        raise FieldError(("target",), "is missing; add it, as in target: {sqlite: {}}")
    target = _resolve_target(file.target, ("target",), directory)
    return {_kind(target): target}


def _resolve_target(choice: TargetChoice, location: Location, directory: Path) -> Target:
    chosen = choice.chosen()
    if len(chosen) != 1:
        raise FieldError(
            location,
            "must be exactly one of sqlite, mysql, postgresql, cluster and url, as in {sqlite: {}}",
        )
    target = chosen[0]
    if not isinstance(target, UrlTarget):
        _refuse_parts_of_url(choice, location)
    else:
        _check_nodes(target, location)
        _check_place_of_checks(target, location)
        if target.commands.named():
            target = target.model_copy(update={"directory": directory.absolute()})
    if isinstance(target, ClusterTarget):
        return _resolve_cluster(target, (*location, "cluster"), directory)
    return (
        _resolve_paths(target, location, directory) if isinstance(target, PrivateTarget) else target
    )


def _resolve_cluster(target: ClusterTarget, location: Location, directory: Path) -> ClusterTarget:
    """Return the cluster with absolute paths; FieldError for servers that cannot be together."""
    check_cluster(target, location)
    members = {}
    for role, group in target.members.items():
        update: dict[str, object] = {}
        if group.sql is not None:
            place = (*location, "members", role)
            update = {
                group.kind: _resolve_paths(
                    group.sql, place, directory, is_elsewhere=bool(group.elsewhere)
                )
            }
        if group.command is not None:
            place = (*location, "members", role, "command", "files")
            files = _templates(group.command.files, place, directory)
            update = {"command": group.command.model_copy(update={"files": files})}
        members[role] = group.model_copy(update=update)
    setup = _templates(target.setup, (*location, "setup"), directory)
    return target.model_copy(
        update={"members": members, "setup": setup, "home": directory.absolute()}
    )


def _templates(paths: Mapping[str, Path], place: Location, directory: Path) -> dict[str, Path]:
    """Return templates with absolute paths; FieldError for one that is not there."""
    absolute = {name: (directory / path).absolute() for name, path in paths.items()}
    for name, path in absolute.items():
        if not path.is_file():
            raise FieldError(
                (*place, name),
                f"there is no file {path}; the path is relative to the experiment file",
            )
    return absolute


_OF_URL_ONLY = {
    "password_env": "dbdyno makes the password of its own servers",
    "commands": "dbdyno sets and restarts its own servers itself",
    "variables": "dbdyno sets and restarts its own servers itself",
    "nodes": "a private server has no nodes",
    "nodes_password_env": "a private server has no nodes",
    "check_url": "a private server is checked where clients connect, and a cluster has a check_url "
    "of its own",
}
"""By field, why a server that dbdyno starts does not have it."""


def _refuse_parts_of_url(choice: TargetChoice, location: Location) -> None:
    for field, reason in _OF_URL_ONLY.items():
        if getattr(choice, field) is not None:
            raise FieldError((*location, field), f"belongs to a target by url: {reason}; remove it")


def _check_place_of_checks(target: UrlTarget, location: Location) -> None:
    url, kind = target.check_url, database_of_url(target.url)
    if url is not None and database_of_url(url) != kind:
        raise FieldError(
            (*location, "check_url"), f"is no {kind} server; name one that has the same tables"
        )


def _check_nodes(target: UrlTarget, location: Location) -> None:
    kind = database_of_url(target.url)
    for index, node in enumerate(target.nodes):
        place = (*location, "nodes", index)
        if len(single_host_urls(node)) > 1:
            raise FieldError(place, "names several hosts; write a URL for each node")
        if database_of_url(node) != kind:
            raise FieldError(place, f"is no {kind} server, as the layer is; name the layer's nodes")
        if node in target.nodes[:index]:
            raise FieldError(place, "is there already; write each node once")


def _whole(path: Path) -> Path:
    """Return an absolute path without ``..``, which plans and reports would show."""
    plain = Path(os.path.normpath(path.absolute()))
    # In a folder that is a link, what ``..`` leads to is not what stands before it.
    return plain if plain.resolve() == path.resolve() else path.absolute()


def _resolve_paths(
    target: AnyPrivate, location: Location, directory: Path, *, is_elsewhere: bool = False
) -> AnyPrivate:
    """Return the target with absolute paths; in the file they are relative to the file.

    Of a server on another machine, only the option file is here.
    """
    option_file = target.option_file and _whole(directory / target.option_file)
    if option_file and not option_file.is_file():
        raise FieldError(
            (*location, _kind(target), "option_file"),
            f"there is no file {option_file}; the path is relative to the experiment file",
        )
    if is_elsewhere:
        return target.model_copy(update={"option_file": option_file}) if option_file else target
    basedir = target.basedir and _whole(directory / target.basedir)
    library_path = tuple(_whole(directory / folder) for folder in target.library_path)
    for index, folder in enumerate(library_path):
        if not folder.is_dir():
            raise FieldError(
                (*location, _kind(target), "library_path", index),
                f"there is no folder {folder}; the path is relative to the experiment file",
            )
    settings = dict(target.settings)
    if "plugin_dir" in settings:
        # A server would look for it in its own installation, and shows it with a slash behind it.
        plugins = os.path.normpath((directory / settings["plugin_dir"]).absolute())
        settings["plugin_dir"] = f"{plugins}/"
    paths = {
        "option_file": option_file,
        "basedir": basedir,
        "library_path": library_path,
        "settings": settings,
    }
    # A field that is not given stays so: a factor may set it.
    return target.model_copy(update={name: path for name, path in paths.items() if path})


def _kind(target: Target | PrivateTarget) -> str:
    """Return what a target is, which is also the name of one that is alone."""
    if isinstance(target, ClusterTarget):
        return "cluster"
    return target.url.partition(":")[0] if isinstance(target, UrlTarget) else database_of(target)


def _check_choice_of_target(targets: Mapping[str, Target], factors: tuple[Factor, ...]) -> None:
    if len(targets) > 1 and not any(factor.chooses_target for factor in factors):
        raise FieldError(
            ("factors", "target"),
            f"is missing; choose among the targets, the baseline first: "
            f"target: [{', '.join(targets)}]",
        )


def _check_arrivals(file: ExperimentFile, factors: tuple[Factor, ...]) -> None:
    """Refuse an open loop without a rate, and a rate in a closed loop."""
    varied = {factor.sets: factor for factor in factors}
    has_rate = file.load.rate_per_s is not None or "load.rate" in varied
    arrivals: set[object] = {file.load.arrivals}
    location: Location = ("load", "arrivals")
    if "load.arrivals" in varied:
        factor = varied["load.arrivals"]
        arrivals = {level.value for level in factor.levels}
        location = ("factors", factor.name)
    if has_rate and "closed" in arrivals:
        raise FieldError(location, "closed has no rate; remove the rate, or write poisson")
    if not has_rate and arrivals & {"constant", "poisson"}:
        raise FieldError(location, "an open loop needs a rate; add load.rate, as in rate: 500")


def _check_sqlite(
    file: ExperimentFile, targets: Mapping[str, Target], factors: tuple[Factor, ...]
) -> None:
    if any(_kind(target) == "sqlite" for target in targets.values()):
        levels = [
            (factor.name, factor.sets, [level.value for level in factor.levels])
            for factor in factors
        ]
        refuse_in_sqlite(asked_values({"load": file.load, "session": file.session}, levels))


def _check_commands(targets: Mapping[str, Target], factors: tuple[Factor, ...]) -> None:
    """Refuse names in commands that stand for nothing."""
    settings = [factor.field for factor in factors if factor.subject == "server"]
    for name, target in targets.items():
        if isinstance(target, UrlTarget):
            try:
                target.commands.check_names([*target.variables, *settings])
            except ValueError as error:
                where: Location = ("target",) if len(targets) == 1 else ("targets", name)
                raise FieldError((*where, "commands"), str(error)) from None
