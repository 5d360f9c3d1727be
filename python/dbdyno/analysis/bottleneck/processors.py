"""Readings of CPUs: those of a server, those of a host, one alone, and the quota of a group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dbdyno.analysis.bottleneck.model import FigureName, LimitCode
from dbdyno.analysis.bottleneck.readings import Figures, Reading, Subject
from dbdyno.analysis.bottleneck.sums import Member, ResourceSums, whole_host
from dbdyno.analysis.bottleneck.thresholds import MEAN_CPU_MAX, MOST_OF_IT, ONE_THREAD_CORES
from dbdyno.resources import CPU_TIMES, GENERATOR, LOCAL_HOST, PROCESS_CPU_TIMES, SERVER

_IDLE = ("cpu.idle_s", "cpu.iowait_s")
"""What a hypervisor gives to other machines is not idle: no server could have had it."""
_RUN_QUEUE = "process.run_queue_wait_s"


@dataclass(frozen=True)
class Processors:
    """The CPUs that a member may use, by how busy they were on average."""

    busy_share: float
    count: float
    by_number: dict[str, float]
    is_of_server: bool = False
    """Whether they are those that a server has of its own, not all of the host."""

    @property
    def busy_cores(self) -> float:
        """How many of them were busy."""
        return self.busy_share * self.count


def cpu_readings(
    sums: ResourceSums, server_cpus: Sequence[int], sessions: float
) -> Iterator[Reading]:
    """Yield what CPUs say.

    ``server_cpus`` are those of a server that has some of its own, ``sessions`` how many
    transactions were under way on average.
    """
    for host in sorted({member.host for member in sums.of_role("host")}):
        servers = [each for each in sums.of_role(SERVER) if each.host == host]
        pinned = server_cpus if host == LOCAL_HOST else ()
        processors = processors_of(sums, host, pinned)
        if processors is not None:
            yield _busy(sums, host, servers, processors, sessions)
            yield from _one_alone(sums, servers, processors, sessions)
    for role in (SERVER, GENERATOR):
        for member in sums.of_role(role):
            yield from _quota(sums, member)


def processors_of(sums: ResourceSums, host: str, numbers: Sequence[int]) -> Processors | None:
    """Return these CPUs of a host, or all of them; None where nobody watched it."""
    place = whole_host(host)
    by_number = {
        label: sums.per_s(place, f"cpu[{label}].busy_s") or 0.0
        for label in sums.labels(place, "cpu")
    }
    own = {label: by_number[label] for label in map(str, numbers) if label in by_number}
    if own:
        return Processors(sum(own.values()) / len(own), len(own), own, is_of_server=True)
    all_of_it, idle = sums.per_s(place, *CPU_TIMES), sums.per_s(place, *_IDLE)
    if not all_of_it or idle is None:
        return None
    return Processors(1 - idle / all_of_it, all_of_it, by_number)


def _busy(
    sums: ResourceSums,
    host: str,
    servers: Sequence[Member],
    processors: Processors,
    sessions: float,
) -> Reading:
    """Read a host's CPUs: they are a server's limit where that used most of them."""
    # On which CPUs a generator was is not known, where only some of them are looked at.
    are_known = not processors.is_of_server
    generators = [each for each in sums.of_role(GENERATOR) if each.host == host and are_known]
    cores = {member: sums.per_s(member, *PROCESS_CPU_TIMES) or 0.0 for member in servers}
    largest = max(servers, key=lambda member: cores[member], default=None)
    generator_cores = sum(sums.per_s(each, *PROCESS_CPU_TIMES) or 0.0 for each in generators)
    server_cores = sum(cores.values())
    other_cores = max(0.0, processors.busy_cores - server_cores - generator_cores)
    # What is used by servers that nobody watched cannot be told from others.
    others = FigureName.OTHER_CORES if servers else FigureName.UNWATCHED_CORES
    context: Figures = {
        FigureName.SERVER_CORES: server_cores if servers else None,
        FigureName.GENERATOR_CORES: generator_cores if are_known else None,
        others: other_cores,
    }
    is_of_one = largest is not None and cores[largest] >= MOST_OF_IT * processors.busy_cores
    if largest is not None and is_of_one:
        subject = Subject(LimitCode.SERVER_CPU, largest.name, host)
        waits = _waiting(sums, host, [largest], sessions)
        if len(servers) > 1:
            context = {FigureName.MEMBER_CORES: cores[largest], **context}
    else:
        subject = Subject(LimitCode.HOST_CPU, "", host)
        # Nobody knows whose threads waited where programs that were not watched used most of it: a
        # server that is reached by URL, say.
        is_of_others = not servers and other_cores >= MOST_OF_IT * processors.busy_cores
        members = [] if is_of_others else [*servers, *generators]
        waits = _waiting(sums, host, members, sessions)
    return Reading(subject, {FigureName.CPU_BUSY: min(1.0, processors.busy_share)}, waits, context)


def _waiting(sums: ResourceSums, host: str, members: Sequence[Member], sessions: float) -> Figures:
    """Return how many threads of ours waited for a CPU, or else that some of the host's did."""
    waiting = [sums.per_s(member, _RUN_QUEUE) for member in members]
    known = [each for each in waiting if each is not None]
    if known:
        return _threads(sum(known), sessions)
    return {FigureName.CPU_PRESSURE: sums.per_s(whole_host(host), "pressure.cpu_some_s")}


def _threads(waiting: float | None, sessions: float) -> Figures:
    """Return threads that wait, and what that is of sessions' time.

    Where sessions wait for something else most of the time, a CPU is not what holds them up.
    """
    if waiting is None:
        return {FigureName.CPU_WAITING: None}
    # Threads in the background, and a generator between transactions, wait as well.
    share = min(1.0, waiting / sessions) if sessions else 0.0
    return {FigureName.CPU_WAITING: waiting, FigureName.CPU_WAIT_SHARE: share}


def _one_alone(
    sums: ResourceSums, servers: Sequence[Member], processors: Processors, sessions: float
) -> Iterator[Reading]:
    """Read the busiest CPU, of servers that use no more than one thread does."""
    least, most = ONE_THREAD_CORES
    if len(processors.by_number) < 2:
        return
    busiest = min(1.0, max(processors.by_number.values()))
    for member in servers:
        cores = sums.per_s(member, *PROCESS_CPU_TIMES)
        if cores is None:
            continue
        is_one = least <= cores <= most and processors.busy_share < MEAN_CPU_MAX
        yield Reading(
            Subject(LimitCode.ONE_CPU, member.name, member.host),
            {FigureName.BUSIEST_CPU: busiest if is_one else 0.0},
            _threads(sums.per_s(member, _RUN_QUEUE), sessions),
            {FigureName.SERVER_CORES: cores, FigureName.CPU_BUSY: processors.busy_share},
        )


def _quota(sums: ResourceSums, member: Member) -> Iterator[Reading]:
    periods = sums.per_s(member, "control_group.cpu_periods")
    throttled = sums.per_s(member, "control_group.cpu_throttled_periods")
    if not periods or throttled is None:
        return
    held_back = sums.per_s(member, "control_group.cpu_throttled_s") or 0.0
    # A thread of a group that is held back waits in a run queue, and is counted there.
    waiting = max(held_back, sums.per_s(member, _RUN_QUEUE) or 0.0)
    yield Reading(
        Subject(LimitCode.CPU_QUOTA, member.name, member.host),
        {FigureName.THROTTLED_PERIODS: throttled / periods},
        {FigureName.QUOTA_WAITING: waiting},
        {FigureName.SERVER_CORES: sums.per_s(member, *PROCESS_CPU_TIMES)},
    )
