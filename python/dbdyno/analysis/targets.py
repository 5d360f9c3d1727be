"""What is known of each target over all of its trials: product, build, limits.

The names of facts are codes; where a fact has a unit, its name ends with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import parse_qs, urlsplit

from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.facts import ControlGroupFacts, ServerFacts
from dbdyno.store.model import StoredTrial

SERVER_FACTS = ("product", "version", "durability")
LINES_MAX, CHARACTERS_MAX = 4, 300
"""Of what servers and commands say in their own words."""
VALUES_MAX = 6
"""Of a fact that is not the same in all trials."""

TLS_PARAMETERS = ("ssl_mode", "ssl-mode", "sslmode")
_TLS_MODES = {
    "disabled": "",
    "disable": "",
    "prefer": "preferred",
    "require": "required",
    "verify_full": "verify_identity",
}
"""One name for each mode, whichever client's name stands in the URL; empty: not encrypted."""

OneValue: TypeAlias = str | int | float
TargetFact: TypeAlias = OneValue | tuple[OneValue, ...]
TargetFacts: TypeAlias = Mapping[str, TargetFact]


def summarise_targets(valid: Iterable[WindowTotals]) -> tuple[TargetFacts, ...]:
    """Return what is known of each target over its valid trials.

    A factor may vary a fact, as it does where two versions are deployed in turn: then it has all of
    its values. One that has very many, as a command's output with a time in it, is left out.
    """
    found: dict[str, list[TargetFacts]] = {}
    for measured in valid:
        planned, server = measured.trial.planned, measured.trial.server
        told = {name: getattr(server, name) for name in SERVER_FACTS}
        facts: dict[str, TargetFact] = {"target": planned.target}
        facts |= {name: value for name, value in told.items() if value is not None}
        facts |= _installation(server)
        facts |= _reached(measured.trial)
        facts |= _limits(server.control_group)
        facts |= _words_of_members(server)
        found.setdefault(planned.target, []).append(facts)
    return tuple(map(_merged, found.values()))


def _merged(trials: Sequence[TargetFacts]) -> TargetFacts:
    """Return each fact with its value in all trials, or the parts that it has in any of them."""
    names = dict.fromkeys(name for each in trials for name in each)
    merged: dict[str, TargetFact] = {}
    for name in names:
        values = list(dict.fromkeys(each[name] for each in trials if name in each))
        if len(values) == 1:
            merged[name] = values[0]
        elif len(values) <= VALUES_MAX:
            merged[name] = tuple(
                dict.fromkeys(part for value in values for part in parts_of(value))
            )
    return merged


def parts_of(value: TargetFact) -> tuple[OneValue, ...]:
    """Return the parts of a fact; itself where it is one."""
    return value if isinstance(value, tuple) else (value,)


ROLE = "role "
"""Before a role, as the name of what the servers of that role say that they are."""


def _words_of_members(server: ServerFacts) -> TargetFacts:
    """Return what servers of a cluster and commands say: of each role the words that differ.

    How many servers a role has may be a factor.
    """
    words: dict[str, dict[str, None]] = {}
    for member in server.members:
        if member.words:
            words.setdefault(ROLE + member.role, {})[_first_lines(member.words)] = None
    told: dict[str, TargetFact] = {role: tuple(each) for role, each in words.items()}
    if server.command_output.strip():
        told["command_output"] = _first_lines(server.command_output)
    return told


def _first_lines(text: str) -> str:
    """Return the beginning of what somebody wrote, on one line: the trial's file has all of it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    joined = "; ".join(lines[:LINES_MAX])
    is_whole = len(lines) <= LINES_MAX and len(joined) <= CHARACTERS_MAX
    return joined if is_whole else f"{joined[:CHARACTERS_MAX]} …"


def _limits(group: ControlGroupFacts) -> TargetFacts:
    """Return the limits of a server's control group, where it has any."""
    memory_bytes = group.control_group_memory_limit_bytes
    cores = group.control_group_cpu_limit_cores
    limits: dict[str, TargetFact] = {}
    if isinstance(memory_bytes, int):
        limits["memory_limit_bytes"] = memory_bytes
    if isinstance(cores, int | float):
        limits["cpu_limit_cores"] = cores
    return limits


def _reached(trial: StoredTrial) -> TargetFacts:
    """Return by which way clients came in, and the CPUs that the server was bound to."""
    facts = {"transport": transport_of(trial), "cpus": cpus_of(trial)}
    return {name: value for name, value in facts.items() if value}


def transport_of(trial: StoredTrial) -> str | None:
    """Return how a server was reached; None of one in the generator's own process."""
    url = urlsplit(trial.url)
    if url.scheme == "sqlite":
        return None
    options = parse_qs(url.query)
    if options.get("socket"):
        return "socket"
    written = next((options[name][0] for name in TLS_PARAMETERS if name in options), "")
    mode = written.lower().replace("-", "_")
    mode = _TLS_MODES.get(mode, mode)
    return f"TLS ({mode})" if mode else "TCP"


def cpus_of(trial: StoredTrial) -> str | None:
    """Return the CPUs that a server is bound to; None of one whose process was not looked at.

    Empty: any.
    """
    is_known = trial.server.control_group.control_group_cpu_limit_cores is not None
    return ", ".join(map(str, trial.server.cpus)) or ("" if is_known else None)


def _installation(server: ServerFacts) -> TargetFacts:
    """Return what is known of the program, what it has loaded, and where its data lie."""
    loaded = (part for part in server.components if part.library is not None)
    place = server.data_file_system
    told: dict[str, str | tuple[str, ...] | None] = {
        "version_comment": server.version_comment,
        "build": server.build,
        "loaded": tuple(f"{part.name} {part.version}".strip() for part in loaded),
        "character_set": server.character_set,
        "collation": server.collation,
    }
    if place is not None:
        told["data_on"] = tuple(
            part for part in (place.type, place.disks, place.mount_options) if part
        )
    return {name: value for name, value in told.items() if value}
