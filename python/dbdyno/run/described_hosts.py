"""Machines that a file describes, in place of those that are called: for a plan without them.

::

    hosts:
      db1: {address: 10.0.0.1, cpus: 64, numa_nodes: 2, memory: 256G}
      client: {cpus: 32}

What is left out is not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from dbdyno.database.url import tcp_servers
from dbdyno.experiment.design.varied_target import first_of_each_start, target_of
from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.cluster import ClusterTarget
from dbdyno.experiment.file.limits import Memory, show_bytes
from dbdyno.experiment.file.source import Source
from dbdyno.experiment.file.target import Target, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.run.needs import Needs
from dbdyno.target.problem import Problem

Count = Annotated[int, Field(ge=1)]


class DescribedHost(FileModel):
    """One machine, as far as it is known."""

    address: str | None = Field(default=None, min_length=1)
    """At which its servers listen; without it, its name."""
    cpus: Count | None = None
    """How many logical CPUs it has, numbered from 0."""
    numa_nodes: Count | None = None
    """How many NUMA nodes it has, numbered from 0."""
    memory: Memory | None = None
    """In bytes."""


class DescribedHosts(FileModel):
    """All machines of a file, by the names that an experiment has for them."""

    hosts: dict[str, DescribedHost]

    def address(self, name: str) -> str:
        """Return the address of a machine, or else its name."""
        known = self.hosts.get(name)
        return known.address if known is not None and known.address else name


def read_hosts(path: Path) -> DescribedHosts:
    """Return the machines of a file; ``InputError`` for the first thing that is wrong."""
    return Source(path).read_as(DescribedHosts)


def problems_of_hosts(
    experiment: Experiment, trials: Sequence[PlannedTrial], needs: Needs, described: DescribedHosts
) -> list[Problem]:
    """Say which machines are not described, and what those lack that are."""
    hosts = described.hosts
    targets = [target_of(experiment, trial) for trial in first_of_each_start(trials)]
    named = dict.fromkeys([*_of_generators(experiment), *_of_watch(experiment)])
    for target in targets:
        named |= dict.fromkeys(_of_target(target))
    told = [f"host {name}: it is not described" for name in named if name not in hosts]
    for generator in experiment.generators:
        known = hosts.get(generator.host or "")
        last = max(generator.cpus or (), default=0)
        if known is not None and known.cpus is not None and last >= known.cpus:
            told.append(
                f"host {generator.host}: a generator is to have CPU {last}, and the last one there "
                f"is {known.cpus - 1}"
            )
    for target in targets:
        told += _of_numa_nodes(target, hosts)
    for name, given in needs.memory_bytes.items():
        known = hosts.get(name)
        if known is not None and known.memory is not None and given > known.memory:
            told.append(
                f"host {name}: settings give the servers there {show_bytes(given)} of memory, and "
                f"it has {show_bytes(known.memory)}"
            )
    return [Problem(words, is_input=True) for words in dict.fromkeys(told)]


def _of_generators(experiment: Experiment) -> Iterator[str]:
    yield from (each.host for each in experiment.generators if each.host is not None)


def _of_watch(experiment: Experiment) -> Iterator[str]:
    yield from experiment.watch.hosts if experiment.watch.host != "none" else ()


def _of_target(target: Target) -> Iterator[str]:
    """Yield the machines that servers are on, and those that clients connect to."""
    if isinstance(target, ClusterTarget):
        for group in target.members.values():
            yield from (place.host for place in group.places if place.is_elsewhere)
    elif isinstance(target, UrlTarget):
        hosts = (each.rpartition(":")[0] for each in tcp_servers(target.url))
        yield from (host for host in hosts if not _is_loopback(host))


def _is_loopback(host: str) -> bool:
    return host == "localhost" or host.startswith("127.") or host == "::1"


def _of_numa_nodes(target: Target, hosts: Mapping[str, DescribedHost]) -> Iterator[str]:
    """Yield which servers are to have NUMA nodes that their machines do not have."""
    if not isinstance(target, ClusterTarget):
        return
    for role, group in target.members.items():
        for place in group.places:
            known, sql = hosts.get(place.host), group.sql_at(place)
            last = max((sql.numa or ()) if sql is not None else (), default=0)
            if known is not None and known.numa_nodes is not None and last >= known.numa_nodes:
                yield (
                    f"host {place.host}: a server of {role} is to have NUMA node {last}, and the "
                    f"last one there is {known.numa_nodes - 1}"
                )
