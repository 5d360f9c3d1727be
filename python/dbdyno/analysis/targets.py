"""What is known of each target over all of its trials: product, build, limits."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.analysis.validity.sameness import SERVER_FACTS
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.facts import ControlGroupFacts, ServerFacts


def summarise_targets(valid: Iterable[WindowTotals]) -> tuple[dict[str, str], ...]:
    """Return what is known of each target, as far as it is the same in all its valid trials.

    The names of the facts are codes; ``report.words.targets`` has words for each of them.
    """
    found: dict[str, list[dict[str, str]]] = {}
    for measured in valid:
        planned, server = measured.trial.planned, measured.trial.server
        told = {name: getattr(server, name) for name in SERVER_FACTS}
        known = {name: value for name, value in told.items() if value is not None}
        facts = known | _installation(server) | _limits(server.control_group)
        found.setdefault(planned.target, []).append({"target": planned.target} | facts)
    return tuple(
        {
            name: value
            for name, value in first.items()
            if all(each.get(name) == value for each in rest)
        }
        for first, *rest in found.values()
    )


def _limits(group: ControlGroupFacts) -> dict[str, str]:
    """Return the limits of a server's control group, as far as it has any."""
    memory_bytes = group.control_group_memory_limit_bytes
    cores = group.control_group_cpu_limit_cores
    limits = {}
    if isinstance(memory_bytes, int):
        limits["memory limit"] = f"{memory_bytes / (1 << 20):,.0f} MiB"
    if isinstance(cores, int | float):
        limits["CPU limit"] = f"{cores:g}"
    return limits


def _installation(server: ServerFacts) -> dict[str, str]:
    """Return what is known of the program, what it has loaded, and where its data lie."""
    loaded = (part for part in server.components if part.library is not None)
    place = server.data_file_system
    told = {
        "version comment": server.version_comment,
        "build": server.build,
        "loaded besides": ", ".join(f"{part.name} {part.version}".strip() for part in loaded),
        "character set": server.character_set,
        "collation": server.collation,
    }
    if place is not None:
        told["data on"] = ", ".join(
            part for part in (place.type, place.disks, place.mount_options) if part
        )
    return {name: value for name, value in told.items() if value}
