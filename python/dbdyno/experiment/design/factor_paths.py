"""What a factor may set: its path in the experiment file, and what was meant by a wrong one."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.experiment.design.varied_target import MEMBERS, PRIVATE_FIELDS, VARIABLES, why_not
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.generator import VariedGenerator
from dbdyno.experiment.file.limits import ResourceLimits
from dbdyno.experiment.file.procedure import Load
from dbdyno.experiment.file.quantity import parse_setting_name
from dbdyno.experiment.file.session import Session
from dbdyno.experiment.file.target import ClusterTarget, Target
from dbdyno.experiment.model import ExperimentFile, Subject
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
    "generators": "generators",
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
        "generators": VariedGenerator,
    }
    if file.workload.pgbench is not None:
        models["workload"] = PgbenchSize
    elif file.workload.tpcc is not None:
        models["workload"] = Tpcc
    elif file.workload.sql is None:
        models["workload"] = Sysbench
    return models


PARTS_OF_TARGET = ("version", "basedir", "library_path", "option_file", "url", "host", "database")
"""What somebody may write who wants to compare servers."""

HOW_TO_COMPARE_SERVERS = (
    "to compare servers or versions, give each a name, targets: {old: {mysql: {basedir: ...}}, "
    "new: ...}, and vary the name, factors: {target: [old, new]}"
)


def path_of_known_name(name: str, models: Models) -> str:
    """Return what a factor sets that is a list alone; FieldError where its name does not say."""
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


def split_path(
    path: str, location: Location, targets: Mapping[str, Target], models: Models
) -> tuple[Subject, str]:
    """Return the subject of a path and the field in it; FieldError where it cannot be varied."""
    prefix, _, field = path.partition(".")
    if path == "target":
        return "target", ""
    if path == "generators":
        return "generators", ""
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
