"""Where the clients of one generator connect to that are not sent to all that a URL names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dbdyno.database.hosts import take_apart
from dbdyno.experiment.design.resolved_cell import ResolvedCell
from dbdyno.experiment.design.varied_target import target_of
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.target import ClusterTarget, Target, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import Cell

Destinations = Mapping[str, tuple[str, ...]]
"""What ``to`` may name, each with what that stands for in a plan."""


def destinations(target: Target) -> Destinations | None:
    """Return what a generator may be sent to; None where a target has only one place."""
    if isinstance(target, UrlTarget):
        return {host: (host,) for host in take_apart(target.url).hosts}
    if isinstance(target, ClusterTarget):
        by_role = target.entrances()
        servers = {name: (name,) for names in by_role.values() for name in names}
        return {**_by_host(target, by_role), **by_role, **servers}
    return None


def _by_host(target: ClusterTarget, by_role: Destinations) -> Destinations:
    """Return the servers of each other machine, among those that clients connect to."""
    hosts: dict[str, tuple[str, ...]] = {}
    for role, names in by_role.items():
        for place, name in zip(target.members[role].places, names, strict=False):
            if place.is_elsewhere:
                hosts[place.host] = (*hosts.get(place.host, ()), name)
    return hosts


def chosen(to: Iterable[str], target: Target) -> tuple[str, ...]:
    """Return where a generator is sent that names some destinations: to those that are there."""
    known = destinations(target) or {}
    return tuple(dict.fromkeys(each for name in to for each in known.get(name, ())))


def check_destinations(
    experiment: Experiment, cells: Sequence[ResolvedCell], places: Mapping[str, Location]
) -> None:
    """FieldError for a destination that no cell has, and for a cell that has none of them.

    Also for a generator on a host that does not reach the servers of a cell.

    ``places`` is where each set of generators stands in the file.
    """
    for name, generators in experiment.generator_sets.items():
        mine = [cell for cell in cells if cell.generator_set == name]
        for index, generator in enumerate(generators):
            if generator.to is not None and mine:
                place = (*places[name], index, "to")
                _check(experiment, mine, generator.to, place)
            if generator.host is not None:
                _check_reach(experiment, mine, (*places[name], index, "host"))


def _check_reach(experiment: Experiment, cells: Sequence[ResolvedCell], place: Location) -> None:
    for cell in cells:
        target = target_of(experiment, cell)
        if isinstance(target, ClusterTarget) and target.network == "own":
            raise FieldError(
                place,
                f"the servers of target {cell.target} have networks that this machine "
                "alone reaches (network: own); remove host, or network",
            )


def _check(
    experiment: Experiment, cells: Sequence[ResolvedCell], to: Sequence[str], place: Location
) -> None:
    targets = {cell.cell: target_of(experiment, cell) for cell in cells}
    known: dict[str, None] = {}
    for cell in cells:
        found = destinations(targets[cell.cell])
        if found is None:
            raise FieldError(
                place,
                "chooses hosts of a target by url or servers of a cluster, and "
                f"{cell.target!r} is neither; remove it",
            )
        known |= dict.fromkeys(found)
    for name in to:
        if name not in known:
            raise FieldError(place, f"{name!r} is {_why_unknown(name, known, cells, targets)}")
    for cell in cells:
        if not chosen(to, targets[cell.cell]):
            others = ", ".join(destinations(targets[cell.cell]) or ())
            raise FieldError(
                place,
                f"is {', '.join(to)}, and the cell {cell.cell.label()} has none of them; name one "
                f"of {others} too",
            )


def _why_unknown(
    name: str,
    known: Iterable[str],
    cells: Sequence[ResolvedCell],
    targets: Mapping[Cell, Target],
) -> str:
    names = ", ".join(dict.fromkeys(repr(cell.target) for cell in cells))
    for target in targets.values():
        if isinstance(target, ClusterTarget):
            role = name.partition("-")[0]
            if name in target.servers() or name in target.members:
                return (
                    f"none of those that clients of the target {names} connect to; write "
                    f"{{{role}*}} in its url, which is {target.url}"
                )
            return f"no server of the target {names}; known: {', '.join(known)}"
    return f"no host of the target {names}; known: {', '.join(known)}"
