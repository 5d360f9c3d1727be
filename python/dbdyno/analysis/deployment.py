"""Where the servers of a cluster were, for each target and each level that places servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.database.hosts import take_apart
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.protocol.generators import GeneratorPart
from dbdyno.store.facts import MemberFacts


@dataclass(frozen=True)
class GeneratorPlace:
    """Where one of several generators ran, and what it was for."""

    host: str = ""
    """Empty: on the runner's machine."""
    cpus: tuple[int, ...] = ()
    """Those that it could use; empty: any."""
    to: tuple[str, ...] = ()
    """The servers that its clients connected to; empty: all of them."""


def place_of(part: GeneratorPart) -> GeneratorPlace:
    """Return where a generator ran."""
    return GeneratorPlace(part.host, part.cpus, part.to)


@dataclass(frozen=True)
class Deployment:
    """The servers and generators of the cells with some levels."""

    target: str
    levels: Cell
    """Of those factors that place servers or generators."""
    entries: tuple[str, ...]
    """The servers that clients connect to."""
    servers: tuple[tuple[str, str], ...]
    """Of each role how many servers it had, and where: ``3: db1 (2), db2``."""
    generators: tuple[GeneratorPlace, ...]


def find_deployments(
    valid: Iterable[WindowTotals], factors: Sequence[FactorLevels]
) -> tuple[Deployment, ...]:
    """Return where servers were in valid trials; nothing of targets that are no clusters."""
    placing = {factor.name for factor in factors if factor.places_servers}
    trials: dict[tuple[str, Cell], list[WindowTotals]] = {}
    for measured in valid:
        planned = measured.trial.planned
        levels = Cell(tuple(level for level in planned.cell.levels if level[0] in placing))
        if any(member.address for member in measured.trial.server.members):
            trials.setdefault((planned.target, levels), []).append(measured)
    return tuple(
        Deployment(
            target,
            levels,
            tuple(dict.fromkeys(name for each in members for name in _entries(each))),
            tuple(_places([each.trial.server.members for each in members])),
            tuple(map(place_of, members[0].trial.generator_plan.generators)) or (GeneratorPlace(),),
        )
        for (target, levels), members in trials.items()
    )


def _places(trials: Sequence[Sequence[MemberFacts]]) -> Iterable[tuple[str, str]]:
    """Yield each role with the places that its servers had in the trials.

    Servers in a network of their own have other addresses in each trial: their number is left.
    """
    by_role: dict[str, dict[str, int]] = {}
    for members in trials:
        for role, hosts in _hosts_by_role(members).items():
            place = ", ".join(map(_counted, hosts, hosts.values()))
            by_role.setdefault(role, {})[f"{hosts.total()}: {place}"] = hosts.total()
    for role, places in by_role.items():
        is_moving = len(places) > 1 and len(set(places.values())) == 1
        yield role, str(next(iter(places.values()))) if is_moving else "; ".join(places)


def _entries(measured: WindowTotals) -> Iterable[str]:
    """Return the servers that a trial's clients connected to by their names."""
    names = {member.address: member.name for member in measured.trial.server.members}
    hosts = take_apart(measured.trial.url).hosts
    return [names.get(host, host) for host in hosts]


def _hosts_by_role(members: Sequence[MemberFacts]) -> dict[str, Counter[str]]:
    hosts: dict[str, Counter[str]] = {}
    for member in members:
        if member.address:
            hosts.setdefault(member.role, Counter())[member.address.rpartition(":")[0]] += 1
    return hosts


def _counted(host: str, count: int) -> str:
    return host if count == 1 else f"{host} ({count})"
