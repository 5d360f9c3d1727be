"""Refuse factors that a target cannot follow, and values that are both fixed and varied."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.generator import Entries, generator_sets
from dbdyno.experiment.file.limits import ResourceLimits
from dbdyno.experiment.file.target import (
    ClusterTarget,
    PrivateTarget,
    SqliteTarget,
    Target,
    UrlTarget,
    database_of,
)
from dbdyno.experiment.model import Apply, ExperimentFile, Factor, Subject


def refuse_servers_by_url(
    targets: Mapping[str, Target], subject: Subject, location: Location, apply: Apply
) -> None:
    """Refuse what takes a restart, where no command of the target does that."""
    instead = "a sqlite, mysql" if subject == "server" else "a mysql"
    for name, target in targets.items():
        if isinstance(target, UrlTarget) and not _can_set(target, subject, apply):
            ways = (
                "; or give the target commands: {apply: ..., restart: ...}, or write apply: online"
            )
            raise FieldError(
                location,
                f"the target {name!r} is a server that is already up, and dbdyno may not restart "
                f"it; use {instead} or postgresql target, or vary load or workload"
                f"{ways if subject == 'server' else ''}",
            )


def _can_set(target: UrlTarget, subject: Subject, apply: Apply) -> bool:
    """Tell whether settings reach a server that is already up."""
    return subject == "server" and (apply == "online" or target.commands.apply is not None)


def refuse_online(targets: Mapping[str, Target], location: Location) -> None:
    """Refuse settings on a running server where each connection makes them."""
    for name, target in targets.items():
        if database_of(target) == "sqlite":
            raise FieldError(
                location,
                f"the target {name!r} is SQLite: each connection sets its pragmas for itself; "
                "remove apply: online",
            )


def refuse_embedded(targets: Mapping[str, Target], location: Location) -> None:
    """Refuse limits of a server where there are several, or none."""
    for name, target in targets.items():
        if isinstance(target, ClusterTarget):
            raise FieldError(
                location,
                f"the target {name!r} is a cluster: name the role of the servers, as in "
                "members.storage.limits.memory",
            )
        if isinstance(target, SqliteTarget):
            raise FieldError(
                location, f"the target {name!r}: {SqliteTarget.refused['limits']}, or vary the load"
            )


HOW_TO_COMPARE_GENERATORS = (
    "give each set of generators a name, generators: {one: [{cpus: 0-3}], two: [{cpus: 0-1}, "
    "{cpus: 2-3}]}, and vary the name, factors: {generators: [one, two]}"
)


def refuse_generators(
    written: Entries | dict[str, Entries], field: str, location: Location
) -> None:
    """Refuse names where no set of generators has one, and fields where each set has its own."""
    if not field and not isinstance(written, dict):
        raise FieldError(
            location, f"no set of generators has a name to choose; {HOW_TO_COMPARE_GENERATORS}"
        )
    if field and isinstance(written, dict):
        raise FieldError(
            location,
            f"generators.{field} is varied in a list of one entry, and there are sets with names; "
            f"write {field} in each set, and vary the name, "
            f"factors: {{generators: [{', '.join(written)}]}}",
        )


def refuse_fixed_value(factor: Factor, file: ExperimentFile, targets: Mapping[str, Target]) -> None:
    """Refuse a value that is both fixed and varied: the reader cannot know which one counts."""
    if factor.subject == "server":
        fixed_in = [
            name
            for name, target in targets.items()
            if isinstance(target, SqliteTarget | PrivateTarget) and factor.field in target.settings
        ]
        place = f"set of the target {fixed_in[0]!r}" if fixed_in else None
    elif factor.subject == "limits":
        place = _fixed_limit(factor.field, targets)
    elif factor.chooses_target or factor.chooses_generators:
        place = None
    elif factor.subject == "target":
        place = _fixed_in_target(factor.field, targets)
    elif factor.subject == "generators":
        entries = [entry for each in generator_sets(file.generators).values() for entry in each]
        fixed = [generator.model_fields_set for generator in entries]
        place = "generators" if any(factor.field in fields for fields in fixed) else None
    else:
        chosen = file.workload.chosen()
        sections: dict[str, FileModel] = {"load": file.load, "session": file.session}
        written = sections.get(factor.subject, chosen[0])
        given = written.model_dump(by_alias=True, exclude_unset=True)
        place = factor.subject if factor.field in given else None
        if place is None and factor.subject == "workload":
            place = _fixed_workload(factor.field, file)
    if place:
        raise FieldError(
            ("factors", factor.name),
            f"varies {factor.sets}, which is fixed in {place}; remove one of the two",
        )


def _fixed_workload(field: str, file: ExperimentFile) -> str | None:
    """Return the target whose own workload has a field fixed."""
    for name, target in (file.targets or {}).items():
        if field in (target.workload or {}):
            return f"workload of the target {name!r}"
    return None


def _fixed_in_target(field: str, targets: Mapping[str, Target]) -> str | None:
    """Return the target that has a field fixed; what a URL and variables are is their default."""
    for name, target in targets.items():
        if isinstance(target, PrivateTarget) and field in target.model_fields_set:
            return f"the target {name!r}"
    return None


def _fixed_limit(field: str, targets: Mapping[str, Target]) -> str | None:
    """Return where a limit is fixed; None where no target has it."""
    for name, target in targets.items():
        limits = target.limits if isinstance(target, PrivateTarget) else ResourceLimits()
        if field in limits.model_dump(by_alias=True, exclude_unset=True):
            return f"limits of the target {name!r}"
    return None
