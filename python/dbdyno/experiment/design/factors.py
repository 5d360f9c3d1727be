"""Resolve the factors of an experiment file: what each one sets, and its levels as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import ValidationError

from dbdyno.database.secrets import HOLDS_A_SECRET, shown_setting
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.generator import GeneratorCount
from dbdyno.experiment.file.limits import ResourceLimits
from dbdyno.experiment.file.messages import explain
from dbdyno.experiment.file.procedure import Load
from dbdyno.experiment.file.quantity import parse_setting, parse_setting_name
from dbdyno.experiment.file.session import Session
from dbdyno.experiment.file.target import PrivateTarget, SqliteTarget, Target, UrlTarget
from dbdyno.experiment.model import (
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


def models_of(file: ExperimentFile) -> Models:
    """Return the models of an experiment; of SQL of one's own nothing can be varied."""
    models: Models = {
        "load": Load,
        "session": Session,
        "limits": ResourceLimits,
        "generators": GeneratorCount,
    }
    if file.workload.pgbench is not None:
        models["workload"] = PgbenchSize
    elif file.workload.tpcc is not None:
        models["workload"] = Tpcc
    elif file.workload.sql is None:
        models["workload"] = Sysbench
    return models


def resolve_factors(file: ExperimentFile, targets: Mapping[str, Target]) -> tuple[Factor, ...]:
    """Return the factors in the order of the file; FieldError where one cannot be applied."""
    factors = tuple(
        _resolve_factor(name, written, targets, models_of(file))
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


def _resolve_factor(
    name: str,
    written: Sequence[Scalar] | FactorMapping,
    targets: Mapping[str, Target],
    models: Models,
) -> Factor:
    location: Location = ("factors", name)
    if isinstance(written, FactorMapping):
        path, path_location = written.sets, (*location, "sets")
        values, level_location = written.levels, (*location, "levels")
    else:
        path, path_location = _path_of_known_name(name, models), location
        values, level_location = list(written), location
    subject, field = _split_path(path, path_location, models)
    if subject in ("server", "limits"):
        _refuse_servers_by_url(targets, subject, path_location)
    if subject == "limits":
        _refuse_embedded(targets, path_location)
    levels = []
    for index, value in enumerate(values):
        try:
            levels.append(_resolve_level(subject, field, value, targets, models))
        except ValueError as error:
            raise FieldError((*level_location, index), str(error)) from None
    _refuse_repeated(levels, level_location)
    return Factor(name, subject, field, tuple(levels))


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


def _split_path(path: str, location: Location, models: Models) -> tuple[Subject, str]:
    prefix, _, field = path.partition(".")
    if path == "target":
        return "target", ""
    if prefix == "server" and field in PARTS_OF_TARGET:
        raise FieldError(location, f"{path!r} cannot be varied; {HOW_TO_COMPARE_SERVERS}")
    if prefix in ("server", "target") and field.startswith("limits."):
        raise FieldError(location, f"{path!r} cannot be varied; did you mean {field!r}?")
    if prefix == "server" and field:
        return "server", _setting_name(field, location)
    for subject, model in models.items():
        if prefix == subject and field in model.field_names():
            return subject, field
    if prefix == "workload" and "workload" not in models:
        raise FieldError(
            location,
            "SQL of one's own cannot be varied in this release; vary server, load or target",
        )
    raise FieldError(location, f"{path!r} cannot be varied; {_suggest_path(path, models)}")


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
    targets: Mapping[str, Target], subject: Subject, location: Location
) -> None:
    instead = "a sqlite, mysql" if subject == "server" else "a mysql"
    for name, target in targets.items():
        if isinstance(target, UrlTarget):
            raise FieldError(
                location,
                f"the target {name!r} is a server that is already up, and dbdyno may not restart "
                f"it; use {instead} or postgresql target, or vary load or workload",
            )


def _refuse_embedded(targets: Mapping[str, Target], location: Location) -> None:
    for name, target in targets.items():
        if isinstance(target, SqliteTarget):
            raise FieldError(
                location, f"the target {name!r}: {SqliteTarget.refused['limits']}, or vary the load"
            )


def _resolve_level(
    subject: Subject, field: str, value: Scalar, targets: Mapping[str, Target], models: Models
) -> Level:
    """Return the level; ValueError with a message for the reader."""
    if subject == "server":
        text = str(parse_setting(value))
        if shown_setting(field, text) != text:
            raise ValueError(f"{field} {HOLDS_A_SECRET}")
        return Level(text)
    if subject == "target":
        if value not in targets:
            raise ValueError(f"there is no target {value!r}; {suggest(value, targets)}")
        return Level(value)
    try:
        models[subject].model_validate({field: value})
    except ValidationError as error:
        raise ValueError(explain(error.errors()[0])) from None
    return Level(value)


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
    elif factor.subject == "target":
        place = None
    else:
        chosen = file.workload.chosen()
        sections: dict[str, FileModel] = {
            "load": file.load,
            "session": file.session,
            "generators": file.generators[0],
        }
        written = sections.get(factor.subject, chosen[0])
        given = written.model_dump(by_alias=True, exclude_unset=True)
        place = factor.subject if factor.field in given else None
    if place:
        raise FieldError(
            ("factors", factor.name),
            f"varies {factor.sets}, which is fixed in {place}; remove one of the two",
        )


def _fixed_limit(field: str, targets: Mapping[str, Target]) -> str | None:
    """Return where a limit is fixed; None where no target has it."""
    for name, target in targets.items():
        limits = target.limits if isinstance(target, PrivateTarget) else ResourceLimits()
        if field in limits.model_dump(by_alias=True, exclude_unset=True):
            return f"limits of the target {name!r}"
    return None
