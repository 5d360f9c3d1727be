"""What is known of each target over all of its trials: product, build, limits.

The names of facts are codes; where a fact has a unit, its name ends with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.facts import ControlGroupFacts, ServerFacts

SERVER_FACTS = ("product", "version", "durability")
TargetFact: TypeAlias = str | int | float | tuple[str, ...]
TargetFacts: TypeAlias = Mapping[str, TargetFact]


def summarise_targets(valid: Iterable[WindowTotals]) -> tuple[TargetFacts, ...]:
    """Return what is known of each target, as far as it is the same in all its valid trials."""
    found: dict[str, list[TargetFacts]] = {}
    for measured in valid:
        planned, server = measured.trial.planned, measured.trial.server
        told = {name: getattr(server, name) for name in SERVER_FACTS}
        facts: dict[str, TargetFact] = {"target": planned.target}
        facts |= {name: value for name, value in told.items() if value is not None}
        facts |= _installation(server)
        facts |= _limits(server.control_group)
        found.setdefault(planned.target, []).append(facts)
    return tuple(
        {
            name: value
            for name, value in first.items()
            if all(each.get(name) == value for each in rest)
        }
        for first, *rest in found.values()
    )


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
