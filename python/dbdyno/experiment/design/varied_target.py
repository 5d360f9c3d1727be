"""Targets of which a factor changes a field: what may be changed, and the target as it is then.

A changed target is a target like any other: it is opened, checked and described as one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from dbdyno.database.url import check_url, database_of_url
from dbdyno.experiment.file.cluster import PLACE, Members
from dbdyno.experiment.file.messages import explain
from dbdyno.experiment.file.target import (
    ClusterTarget,
    PrivateTarget,
    SqliteTarget,
    Target,
    UrlTarget,
)
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.refusal import refusal, suggest

Changes = Mapping[str, str | int | float | bool]
"""Values by the path of a field within a target: ``basedir``, ``variables.shards``."""

PRIVATE_FIELDS = ("basedir", "option_file", "cpus", "numa", "transport")
PATH_FIELDS = ("basedir", "option_file")
URL = "url"
VARIABLES = "variables"
MEMBERS = "members"
LIMITS = (
    "limits.memory",
    "limits.cpus",
    "limits.reads_per_s",
    "limits.writes_per_s",
    "limits.read_bytes_per_s",
    "limits.write_bytes_per_s",
)

_OTHER_DATA = ("basedir", "option_file", VARIABLES, "count")
"""Fields of which each value has data of its own: two versions do not share files."""


def varied_fields(target: Target) -> tuple[str, ...]:
    """Return the paths of the fields that a factor may change."""
    if isinstance(target, PrivateTarget):
        return PRIVATE_FIELDS
    if isinstance(target, UrlTarget | ClusterTarget):
        variables = [f"{VARIABLES}.{name}" for name in target.variables]
        return (URL, *variables, *_fields_of_members(target))
    return ()


def _fields_of_members(target: Target) -> Iterator[str]:
    for role, group in target.members.items() if isinstance(target, ClusterTarget) else ():
        yield f"{MEMBERS}.{role}.count"
        if group.sql is not None:
            yield from (f"{MEMBERS}.{role}.{field}" for field in (*PRIVATE_FIELDS, *LIMITS))
        if group.haproxy is not None:
            yield f"{MEMBERS}.{role}.balance"


def why_not(path: str, name: str, target: Target) -> str | None:
    """Return why a field of a target can't be varied; None where it can."""
    known = varied_fields(target)
    if path in known:
        return None
    if isinstance(target, SqliteTarget):
        return f"the target {name!r} is SQLite, which has no {path}; vary server, load or workload"
    first, _, variable = path.partition(".")
    if first == VARIABLES:
        return (
            f"the target {name!r} has no variable {variable!r}; declare it with the value that it "
            f"has where nothing varies it, as in variables: {{{variable}: 1}}"
        )
    paths = ", ".join(
        field if field.startswith(f"{MEMBERS}.") else f"target.{field}" for field in known
    )
    return f"the target {name!r} has no such field to vary; {suggest(path, known)} ({paths})"


def with_changes(target: Target, changes: Changes, directory: Path) -> Target:
    """Return the target as a cell has it; ``ValueError`` in words where a value can't be."""
    for path, value in changes.items():
        target = _with_change(target, path, value, directory)
    return target


def _with_change(
    target: Target, path: str, value: str | int | float | bool, directory: Path
) -> Target:
    first, _, rest = path.partition(".")
    try:
        if isinstance(target, UrlTarget | ClusterTarget) and first == VARIABLES:
            return target.with_fields({VARIABLES: target.variables | {rest: value}})
        if isinstance(target, ClusterTarget) and first == MEMBERS:
            return _with_members(target, rest, value, directory)
        if isinstance(target, UrlTarget):
            return target.with_fields({path: _checked_url(str(value), target)})
        if isinstance(target, ClusterTarget):
            return target.with_fields({path: _checked_places(str(value), target)})
        if path in PATH_FIELDS:
            return target.with_fields({path: _existing(directory / str(value))})
        return target.with_fields({path: value})
    except ValidationError as error:
        raise ValueError(explain(error.errors()[0])) from None


def _with_members(
    target: ClusterTarget, path: str, value: str | int | float | bool, directory: Path
) -> ClusterTarget:
    """Return a cluster of which one role is changed; ``path`` is ``storage.limits.memory``."""
    role, _, field = path.partition(".")
    group = target.members[role]
    if field == "count":
        changed = group.with_fields({field: value})
        hosts = changed.hosts
        if hosts is not None and len(hosts) < changed.count and not changed.shares_hosts:
            raise refusal(f"is more than the {len(hosts)} hosts of {role}; name more")
    elif group.haproxy is not None:
        changed = group.with_fields({"haproxy": group.haproxy.with_fields({field: value})})
    else:
        assert group.sql is not None, "no other kind has such a field"
        server = group.sql
        if field == "basedir" and group.elsewhere:
            server = server.with_fields({field: _there(str(value), group)})
        elif field in PATH_FIELDS:
            server = server.with_fields({field: _existing(directory / str(value))})
        elif field == "transport" and value == "socket" and group.elsewhere:
            raise refusal(
                f"is no way to {group.elsewhere[0].host}, another machine; use tcp or tls"
            )
        elif field in LIMITS:
            limits = server.limits.with_fields({field.partition(".")[2]: value})
            server = server.with_fields({"limits": limits})
        else:
            server = server.with_fields({field: value})
        changed = group.with_fields({group.kind: server})
    return target.with_fields({MEMBERS: {**target.members, role: changed}})


def _checked_places(url: str, target: ClusterTarget) -> str:
    reason = wrong_place(url, target)
    if reason is not None:
        raise refusal(reason)
    if database_of_url(url) != target.database:
        raise refusal(f"leads to no {target.database} server, as the target's url does")
    return url


def wrong_place(url: str, target: ClusterTarget) -> str | None:
    """Return what is wrong with the places in a cluster's URL; None where nothing is."""
    known = [*target.members, "user", "database"]
    named = [name for name, _ in PLACE.findall(url)]
    unknown = [name for name in named if name not in known]
    if unknown:
        return f"names {{{unknown[0]}}}, which is no role; {suggest(unknown[0], known)}"
    if not set(named) & set(target.members):
        roles = ", ".join(f"{{{role}}}" for role in target.members)
        return f"names no role that clients connect to; write one of {roles}"
    return None


def _checked_url(url: str, target: UrlTarget) -> str:
    checked = check_url(url)
    if database_of_url(checked) != database_of_url(target.url):
        raise refusal(f"leads to no {database_of_url(target.url)} server, as the target's url does")
    return checked


def _existing(path: Path) -> Path:
    if not path.exists():
        raise refusal(f"there is no {path.absolute()}; the path is relative to the experiment file")
    return path.absolute()


def _there(path: str, group: Members) -> Path:
    """Return a path of another machine, where nobody has looked."""
    if not Path(path).is_absolute():
        raise refusal(f"{path} is a path on {group.elsewhere[0].host}; write it from / on")
    return Path(path)


class Changing(Protocol):
    """A cell or a trial: the name of its target, and what it changes of that."""

    @property
    def target(self) -> str:
        """The name of the target."""

    @property
    def target_changes(self) -> Changes:
        """What it changes."""


def target_of(experiment: Experiment, trial: Changing) -> Target:
    """Return the target of a trial, with what its cell changes.

    Each is made once: to check a cluster anew for every trial of a large matrix takes seconds.
    """
    known = experiment.varied_targets
    key = trial.target, json.dumps(trial.target_changes, sort_keys=True)
    if key not in known:
        target = experiment.targets[trial.target]
        known[key] = with_changes(target, trial.target_changes, experiment.path.parent)
    return known[key]


def first_of_each_start(trials: Iterable[PlannedTrial]) -> list[PlannedTrial]:
    """Return the first trial of each of the ways in which targets are started."""
    found: dict[str, PlannedTrial] = {}
    for trial in trials:
        found.setdefault(repr((trial.target, trial.target_changes, trial.setup)), trial)
    return list(found.values())


def start_changes(changes: Changes) -> Changes:
    """Return those changes that take a start: where clients connect to is no affair of servers."""
    return {path: value for path, value in changes.items() if path != URL}


def data_name(changes: Changes) -> str:
    """Return a short name of what changes a target's data; empty where nothing does."""
    other = {
        path: value
        for path, value in changes.items()
        if any(part in _OTHER_DATA for part in path.split("."))
    }
    if not other:
        return ""
    return hashlib.sha256(json.dumps(other, sort_keys=True).encode()).hexdigest()[:8]
