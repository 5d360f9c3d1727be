"""The watcher of this machine: the host, and the members of a trial whose processes run on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial

from dbdyno.resources import LOCAL_HOST
from dbdyno.watch.local.control_group import ControlGroup
from dbdyno.watch.local.host import LocalHost
from dbdyno.watch.local.own_network import OwnNetwork, own_namespaces
from dbdyno.watch.local.processes import Processes
from dbdyno.watch.series.source import Source, Subject
from dbdyno.watch.series.watcher import OpenSources, Watcher


@dataclass(frozen=True)
class LocalMember:
    """A server or a generator, and its processes on this machine."""

    role: str
    name: str
    process_ids: tuple[int, ...]


def watch_local(members: Iterable[LocalMember], interval_s: float = 1.0) -> Watcher:
    """Return what watches this host and the processes of members, which start others."""
    sources: list[OpenSources] = [_local_host]
    threads: dict[str, dict[Subject, int]] = {}
    running = [member for member in members if member.process_ids]
    own_networks = own_namespaces(member.process_ids[0] for member in running)
    for member in running:
        subject = Subject(member.role, member.name)
        of_role = threads.setdefault(member.role, {})
        first = member.process_ids[0]
        sources.append(_opener(partial(Processes, subject, member.process_ids, of_role)))
        sources.append(_opener(partial(ControlGroup, subject, first)))
        if first in own_networks:
            sources.append(_opener(partial(OwnNetwork, subject, first)))
    return Watcher(LOCAL_HOST, sources, interval_s, reads_last=True)


def _opener(make: Callable[[], Source]) -> OpenSources:
    return lambda: nullcontext([make()])


@contextmanager
def _local_host() -> Iterator[list[Source]]:
    host = LocalHost()
    try:
        yield [host]
    finally:
        host.close()
