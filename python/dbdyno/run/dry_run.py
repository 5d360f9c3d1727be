"""The commands that a run would start, as far as they are known before anything is started.

Passwords, folders and free ports are chosen at each start: their names stand in their place.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.experiment.design.varied_target import first_of_each_start, target_of
from dbdyno.experiment.file.cluster import (
    ClusterTarget,
    CommandMember,
    Members,
    member_name,
)
from dbdyno.experiment.file.commands import filled_in, values_of_settings
from dbdyno.experiment.file.limits import show_bytes
from dbdyno.experiment.file.member_host import MemberHost
from dbdyno.experiment.file.private import MysqlTarget, PostgresqlTarget
from dbdyno.experiment.file.quantity import show_numbers
from dbdyno.experiment.file.target import PrivateTarget, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import Cell, PlannedTrial, ServerSetup
from dbdyno.remote.way import SSH, Way
from dbdyno.run.described_hosts import DescribedHosts
from dbdyno.run.host_loads import ways_to_generators
from dbdyno.target.cluster.order import in_order
from dbdyno.target.remote.language import AGENT

A_FOLDER, A_PORT = "FOLDER", "PORT"
"""Stand for what a start chooses."""


@dataclass(frozen=True)
class Step:
    """A command as this machine calls it; for which server, generator or purpose, and where."""

    name: str
    command: str
    place: str = ""


@dataclass(frozen=True)
class Start:
    """What is started together; ``cell`` has those levels that make it."""

    cell: Cell
    steps: tuple[Step, ...]


def starts_of(
    experiment: Experiment, trials: Sequence[PlannedTrial], hosts: DescribedHosts
) -> list[Start]:
    """Return each start of servers once, then each of generators on other machines."""
    factors = {factor.name: factor.sets for factor in experiment.factors}
    servers: dict[tuple[Step, ...], Cell] = {}
    generators: dict[tuple[Step, ...], Cell] = {}
    ways = {way.host: way for way in ways_to_generators(experiment)}
    for trial in first_of_each_start(trials):
        cell = _levels(trial.cell, factors, lambda sets: not sets.startswith(NOT_OF_SERVERS))
        servers.setdefault(tuple(_of_servers(experiment, trial, hosts)), cell)
    for trial in trials:
        cell = _levels(trial.cell, factors, lambda sets: sets.startswith("generators"))
        generators.setdefault(tuple(_of_generators(ways, trial)), cell)
    return [
        Start(cell, steps)
        for found in (servers, generators)
        for steps, cell in found.items()
        if steps
    ]


NOT_OF_SERVERS = ("load.", "generators", "workload.", "session.")
"""What factors set that starts no server in another way."""


def _levels(cell: Cell, factors: Mapping[str, str], is_of: Callable[[str], bool]) -> Cell:
    return Cell(tuple(level for level in cell.levels if is_of(factors[level[0]])))


def _of_servers(
    experiment: Experiment, trial: PlannedTrial, hosts: DescribedHosts
) -> Iterator[Step]:
    target = target_of(experiment, trial)
    if isinstance(target, UrlTarget):
        yield from _of_url(target, trial.setup.server)
    elif isinstance(target, PrivateTarget):
        command = _program(target, trial.setup.server, None)
        yield Step(trial.target, command, _part_of_machine(target))
    elif isinstance(target, ClusterTarget):
        yield from _of_cluster(target, trial, hosts)


def _of_generators(ways: Mapping[str, Way], trial: PlannedTrial) -> Iterator[Step]:
    """Yield what starts generators on other machines, and what each is bound to."""
    for part in trial.generator_plan.generators:
        if part.host:
            bound = [f"CPUs {show_numbers(part.cpus)}"] if part.cpus else []
            bound += [f"to {', '.join(part.to)}"] if part.to else []
            yield Step("generator", shlex.join(ways[part.host].arguments()), "; ".join(bound))


def _of_url(target: UrlTarget, setup: ServerSetup) -> Iterator[Step]:
    """Yield the commands of a server by URL, in the order in which they are called."""
    known = values_of_settings(target.variables, setup.settings)
    named = target.commands.named()
    for what in ("apply", "restart", "describe", "stop"):
        if what in named:
            yield Step(what, shlex.join(filled_in(named[what], known)))


def _of_cluster(
    target: ClusterTarget, trial: PlannedTrial, hosts: DescribedHosts
) -> Iterator[Step]:
    """Yield the commands of a cluster's servers, as they start and then as they end."""
    addresses: dict[str, str] = {}
    ends: list[Step] = []
    for role in in_order(target.members):
        group, own = target.members[role], []
        for number in range(1, group.count + 1):
            place = group.places[number - 1] if group.places else None
            name = member_name(role, number)
            if group.command is not None:
                begin, end = _by_commands(group.command, name, place, target, addresses)
                yield begin
                ends += end
            else:
                setup = trial.setup.roles.get(role, ServerSetup())
                yield _of_member(name, group, place, setup, addresses)
            own.append(_address(group, place, hosts))
        addresses[role] = ",".join(own)
    for role, template in target.setup.items():
        yield Step(f"each {role}", f"the statements of {template.name}")
    yield from reversed(ends)


def _address(group: Members, place: MemberHost | None, hosts: DescribedHosts) -> str:
    port = A_PORT if group.command is None else str(group.command.port)
    if place is None:
        return f"127.0.0.N:{port}"
    return f"{place.address or hosts.address(place.host)}:{port}"


def _by_commands(
    model: CommandMember,
    name: str,
    place: MemberHost | None,
    target: ClusterTarget,
    addresses: Mapping[str, str],
) -> tuple[Step, list[Step]]:
    machine = model.host if place is None else place.host
    known = model.values(A_FOLDER, machine, addresses, target.variables)

    def step(command: Sequence[str]) -> Step:
        words = shlex.join(filled_in(tuple(command), known))
        return Step(name, words if model.ssh is None else shlex.join([*model.ssh, words]))

    return step(model.start), [] if model.stop is None else [step(model.stop)]


def _of_member(
    name: str,
    group: Members,
    place: MemberHost | None,
    setup: ServerSetup,
    addresses: Mapping[str, str],
) -> Step:
    if group.haproxy is not None:
        to = addresses[group.haproxy.to]
        return Step(name, f"{group.haproxy.program} -db -f haproxy.cfg, to {to}")
    sql = group.sql_at(place)
    assert sql is not None, "refused when the experiment was read"
    command, part = _program(sql, setup, group.directory), _part_of_machine(sql)
    if place is None or not place.is_elsewhere:
        return Step(name, command, part)
    # The same for each host, so that servers of a role stand in one line.
    way = f"{group.ssh or SSH} {group.python or 'python3'} -m {AGENT}"
    return Step(name, f"{way}, which starts {command}", ", ".join(filter(None, [place.host, part])))


def _program(
    target: MysqlTarget | PostgresqlTarget, setup: ServerSetup, directory: str | None
) -> str:
    """Return which program is started, from where, on which data and with which settings."""
    name = "postgres" if isinstance(target, PostgresqlTarget) else "mysqld or mariadbd"
    parts = [name + (" on the PATH" if target.basedir is None else f" of {target.basedir}")]
    if directory is not None:
        parts.append(f"data beneath {directory}")
    if target.option_file is not None:
        parts.append(f"option file {target.option_file.name}")
    parts += [f"{setting}={value}" for setting, value in setup.settings.items()]
    if setup.limits.memory_bytes is not None:
        parts.append(f"memory limit {show_bytes(setup.limits.memory_bytes)}")
    return ", ".join(parts)


def _part_of_machine(target: MysqlTarget | PostgresqlTarget) -> str:
    parts = [f"NUMA node {show_numbers(target.numa)}"] if target.numa else []
    parts += [f"CPUs {show_numbers(target.cpus)}"] if target.cpus else []
    return ", ".join(parts)
