"""Resolve the factors of an experiment file: what each one sets, and its levels as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from dbdyno.database.secrets import HOLDS_A_SECRET, shown_setting
from dbdyno.experiment.design.varied_target import (
    MEMBERS,
    PRIVATE_FIELDS,
    VARIABLES,
    why_not,
    with_changes,
)
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.generator import VariedGenerator
from dbdyno.experiment.file.limits import ResourceLimits
from dbdyno.experiment.file.messages import explain
from dbdyno.experiment.file.procedure import Load
from dbdyno.experiment.file.quantity import parse_setting, parse_setting_name
from dbdyno.experiment.file.session import Session
from dbdyno.experiment.file.target import (
    ClusterTarget,
    PrivateTarget,
    SqliteTarget,
    Target,
    UrlTarget,
    database_of,
)
from dbdyno.experiment.model import (
    Apply,
    ExperimentFile,
    Factor,
    FactorMapping,
    Level,
    Scalar,
    Subject,
)
from dbdyno.experiment.workload.pgbench import PgbenchSize
from dbdyno.experiment.workload.sysbench import Sysbench
from dbdyno.experiment.workload.tpcc import Tpcc
from dbdyno.refusal import nearest, suggest

KNOWN_NAMES = {
    "clients": "load.clients",
    "threads": "load.clients",
    "terminals": "load.clients",
    "rate": "load.rate",
    "isolation": "session.isolation",
    "target": "target",
}
"""What a factor sets that is written as a list alone."""

Models = dict[Subject, type[FileModel]]
"""The models whose fields a factor may set."""

OF_GENERATORS = ("cpus",)
"""The fields of the generators that a factor may set."""


def models_of(file: ExperimentFile) -> Models:
    """Return the models of an experiment; of SQL of one's own nothing can be varied."""
    models: Models = {
        "load": Load,
        "session": Session,
        "limits": ResourceLimits,
        "generators": VariedGenerator,
    }
    if file.workload.pgbench is not None:
        models["workload"] = PgbenchSize
    elif file.workload.tpcc is not None:
        models["workload"] = Tpcc
    elif file.workload.sql is None:
        models["workload"] = Sysbench
    return models


def resolve_factors(
    file: ExperimentFile, targets: Mapping[str, Target], directory: Path
) -> tuple[Factor, ...]:
    """Return the factors in the order of the file; FieldError where one cannot be applied.

    ``directory`` is that of the experiment file.
    """
    factors = tuple(
        _Reader(targets, models_of(file), directory).factor(name, written)
        for name, written in file.factors.items()
    )
    for earlier, factor in _same_subject(factors):
        raise FieldError(
            ("factors", factor.name),
            f"sets {factor.sets}, which the factor {earlier.name!r} sets already; remove one",
        )
    for factor in factors:
        _refuse_fixed_value(factor, file, targets)
    return factors


PARTS_OF_TARGET = ("version", "basedir", "library_path", "option_file", "url", "host", "database")
"""What somebody may write who wants to compare servers."""

HOW_TO_COMPARE_SERVERS = (
    "to compare servers or versions, give each a name, targets: {old: {mysql: {basedir: ...}}, "
    "new: ...}, and vary the name, factors: {target: [old, new]}"
)


@dataclass(frozen=True)
class _Reader:
    """Reads factors with what they may set at hand."""

    targets: Mapping[str, Target]
    models: Models
    directory: Path

    def factor(self, name: str, written: Sequence[Scalar] | FactorMapping) -> Factor:
        """Return the factor of a name as it is applied."""
        location: Location = ("factors", name)
        apply: Apply = "restart"
        if isinstance(written, FactorMapping):
            path, path_location = written.sets, (*location, "sets")
            values, level_location = written.levels, (*location, "levels")
            apply = written.apply
        else:
            path, path_location = _path_of_known_name(name, self.models), location
            values, level_location = list(written), location
        subject, field = _split_path(path, path_location, self.targets, self.models)
        if apply == "online" and subject != "server":
            raise FieldError(
                (*location, "apply"), f"{path} is no setting of a server; remove apply: online"
            )
        if subject in ("server", "limits"):
            _refuse_servers_by_url(self.targets, subject, path_location, apply)
        if subject == "limits":
            _refuse_embedded(self.targets, path_location)
        if apply == "online":
            _refuse_online(self.targets, (*location, "apply"))
        levels = []
        for index, value in enumerate(values):
            try:
                levels.append(self._level(subject, field, value))
            except ValueError as error:
                raise FieldError((*level_location, index), str(error)) from None
        _refuse_repeated(levels, level_location)
        return Factor(name, subject, field, tuple(levels), apply)

    def _level(self, subject: Subject, field: str, value: Scalar) -> Level:
        """Return the level; ValueError with a message for the reader."""
        if subject == "server":
            text = str(parse_setting(value))
            if shown_setting(field, text) != text:
                raise ValueError(f"{field} {HOLDS_A_SECRET}")
            return Level(text)
        if subject == "target" and not field:
            if value not in self.targets:
                raise ValueError(f"there is no target {value!r}; {suggest(value, self.targets)}")
            return Level(value)
        if subject == "target":
            for target in self.targets.values():
                with_changes(target, {field: value}, self.directory)
            return Level(value)
        try:
            self.models[subject].model_validate({field: value})
        except ValidationError as error:
            raise ValueError(explain(error.errors()[0])) from None
        return Level(value)


def _path_of_known_name(name: str, models: Models) -> str:
    if name in PARTS_OF_TARGET:
        raise FieldError(("factors", name), f"cannot be varied; {HOW_TO_COMPARE_SERVERS}")
    if name not in KNOWN_NAMES:
        # A path says whose field it is.
        subject, _, field = name.rpartition(".")
        path = f"{subject or _likely_subject(name, models)}.{field}"
        raise FieldError(
            ("factors", name),
            f"a list alone needs a known name ({suggest(name, KNOWN_NAMES)}); otherwise write "
            f"{field}: {{sets: {path}, levels: [...]}}",
        )
    return KNOWN_NAMES[name]


def _likely_subject(name: str, models: Models) -> Subject:
    """Return whose field a name may be; a server has more settings than can be known here."""
    subjects = (subject for subject, model in models.items() if name in model.field_names())
    return next(subjects, "server")


def _split_path(
    path: str, location: Location, targets: Mapping[str, Target], models: Models
) -> tuple[Subject, str]:
    prefix, _, field = path.partition(".")
    if path == "target":
        return "target", ""
    if prefix == "server" and field in PARTS_OF_TARGET:
        raise FieldError(location, f"{path!r} cannot be varied; {HOW_TO_COMPARE_SERVERS}")
    if prefix in ("server", "target") and field.startswith("limits."):
        raise FieldError(location, f"{path!r} cannot be varied; did you mean {field!r}?")
    if prefix == "server" and field:
        return "server", _setting_of(field, location, targets)
    if prefix == MEMBERS and field:
        return "target", _field_of_target(path, location, targets)
    if prefix == "target" and field.partition(".")[0] in _FIELDS_OF_TARGET:
        return "target", _field_of_target(field, location, targets)
    if prefix == "generators" and field in OF_GENERATORS:
        return "generators", field
    for subject, model in models.items():
        if prefix == subject and field in model.field_names():
            return subject, field
    if prefix == "workload" and "workload" not in models:
        raise FieldError(
            location,
            "SQL of one's own cannot be varied in this release; vary server, load or target",
        )
    raise FieldError(location, f"{path!r} cannot be varied; {_suggest_path(path, models)}")


def _setting_of(field: str, location: Location, targets: Mapping[str, Target]) -> str:
    """Return the setting, of a cluster with the role of the servers that have it."""
    role, _, setting = field.partition(".")
    for name, target in targets.items():
        if isinstance(target, ClusterTarget):
            group = target.members.get(role)
            if group is None or group.sql is None or not setting:
                roles = [role for role, group in target.members.items() if group.sql is not None]
                raise FieldError(
                    location,
                    f"the target {name!r} is a cluster: name the role of the servers, as in "
                    f"server.{next(iter(roles), 'storage')}.{setting or field}",
                )
    return _setting_name(field, location)


_FIELDS_OF_TARGET = (*PRIVATE_FIELDS, "url", VARIABLES)


def _field_of_target(field: str, location: Location, targets: Mapping[str, Target]) -> str:
    """Return a field that every target has; FieldError for the first that has it not."""
    for name, target in targets.items():
        reason = why_not(field, name, target)
        if reason is not None:
            raise FieldError(location, reason)
    return field


def _suggest_path(path: str, models: Models) -> str:
    """Suggest what is meant by a path that is misspelt, or by the name of a field alone."""
    if path.partition(".")[0] in ("target", "targets") or path in PARTS_OF_TARGET:
        return HOW_TO_COMPARE_SERVERS
    prefix, _, field = path.rpartition(".")
    subject = nearest(prefix, ["server", *models])
    if subject == "server" and field:
        # A server has more settings than can be known here: only the prefix can be put right.
        return f"did you mean 'server.{field}'?"
    for owner, model in models.items():
        if owner == subject:
            near = nearest(field, model.field_names())
            names = ", ".join(f"{owner}.{name}" for name in model.field_names())
            return f"did you mean '{owner}.{near}'?" if near else f"known: {names}"
    paths = {name: f"{owner}.{name}" for owner in models for name in models[owner].field_names()}
    paths |= KNOWN_NAMES
    near = nearest(field, paths)
    advice = (
        "write server.<setting>, limits.<field>, load.<field>, session.<field>, workload.<field> "
        "or target"
    )
    return f"did you mean {paths[near]!r}? Otherwise {advice}" if near else advice


def _setting_name(field: str, location: Location) -> str:
    try:
        return str(parse_setting_name(field))
    except ValueError as error:
        raise FieldError(location, str(error)) from None


def _refuse_servers_by_url(
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


def _refuse_online(targets: Mapping[str, Target], location: Location) -> None:
    for name, target in targets.items():
        if database_of(target) == "sqlite":
            raise FieldError(
                location,
                f"the target {name!r} is SQLite: each connection sets its pragmas for itself; "
                "remove apply: online",
            )


def _refuse_embedded(targets: Mapping[str, Target], location: Location) -> None:
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


def _refuse_repeated(levels: Sequence[Level], location: Location) -> None:
    labels = [level.label for level in levels]
    for index, label in enumerate(labels):
        if label in labels[:index]:
            raise FieldError(
                (*location, index), f"the level {label} is there already; each level must differ"
            )


def _same_subject(factors: Sequence[Factor]) -> Iterable[tuple[Factor, Factor]]:
    for index, factor in enumerate(factors):
        for earlier in factors[:index]:
            if earlier.sets == factor.sets:
                yield earlier, factor


def _refuse_fixed_value(
    factor: Factor, file: ExperimentFile, targets: Mapping[str, Target]
) -> None:
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
    elif factor.chooses_target:
        place = None
    elif factor.subject == "target":
        place = _fixed_in_target(factor.field, targets)
    elif factor.subject == "generators":
        fixed = [generator.model_fields_set for generator in file.generators]
        place = "generators" if any(factor.field in fields for fields in fixed) else None
    else:
        chosen = file.workload.chosen()
        sections: dict[str, FileModel] = {"load": file.load, "session": file.session}
        written = sections.get(factor.subject, chosen[0])
        given = written.model_dump(by_alias=True, exclude_unset=True)
        place = factor.subject if factor.field in given else None
    if place:
        raise FieldError(
            ("factors", factor.name),
            f"varies {factor.sets}, which is fixed in {place}; remove one of the two",
        )


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
