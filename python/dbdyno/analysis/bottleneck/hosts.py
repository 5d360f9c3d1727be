"""Readings of hosts: memory, disks and network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dbdyno.analysis.bottleneck.model import FigureName, LimitCode
from dbdyno.analysis.bottleneck.readings import Reading, Subject
from dbdyno.analysis.bottleneck.sums import Member, ResourceSums, whole_host
from dbdyno.analysis.bottleneck.waits import io_share
from dbdyno.resources import SERVER, SWAPPED

_RETRANSMISSIONS = ("tcp.segments_sent_again", "tcp.segments_out")

_GROUP_DISK = "control_group.disk"

LinkSpeeds = Mapping[tuple[str, str], int]
"""By host and interface, in Mbit/s; a virtual one has none."""


def host_readings(sums: ResourceSums, speeds: LinkSpeeds, sessions: float) -> Iterator[Reading]:
    """Yield what hosts say; ``sessions`` are how many transactions were under way on average."""
    for place in sums.of_role("host"):
        yield _memory(sums, place)
        for disk in sums.labels(place, "disk"):
            yield _disk(sums, place, disk, sessions)
        yield from _network(sums, place, speeds)
    for member in sums.of_role(SERVER):
        yield from _group_memory(sums, member)
        yield from _group_disks(sums, member, sessions)


def _memory(sums: ResourceSums, place: Member) -> Reading:
    return Reading(
        Subject(LimitCode.MEMORY, "", place.host),
        {FigureName.SWAPPED_PER_S: sums.per_s(place, *SWAPPED)},
        {FigureName.MEMORY_PRESSURE: sums.per_s(place, "pressure.memory_some_s")},
    )


def _group_memory(sums: ResourceSums, member: Member) -> Iterator[Reading]:
    events = sums.per_s(member, "control_group.memory_limit_events")
    if events is not None:
        yield Reading(
            Subject(LimitCode.MEMORY, member.name, member.host),
            {FigureName.MEMORY_EVENTS_PER_S: events},
            {
                FigureName.MEMORY_PRESSURE: sums.per_s(
                    whole_host(member.host), "pressure.memory_some_s"
                )
            },
        )


def _disk(sums: ResourceSums, place: Member, disk: str, sessions: float) -> Reading:
    """Read one disk. That it is busy is not enough; ``growth`` asks what more load brings."""

    def rate(*names: str) -> float | None:
        return sums.per_s(place, *(f"disk[{disk}].{name}" for name in names))

    requests, waited_s = rate("reads", "writes"), rate("read_wait_s", "write_wait_s")
    flushes, flush_wait_s = rate("flushes") or 0.0, rate("flush_wait_s") or 0.0
    all_of_them = (requests or 0.0) + flushes
    members = [each for each in sums.of_role(SERVER) if each.host == place.host]
    await_ms = 1000 * ((waited_s or 0.0) + flush_wait_s) / all_of_them if all_of_them else 0.0
    return Reading(
        Subject(LimitCode.DISK, "", place.host, disk),
        {FigureName.DISK_BUSY: rate("busy_s"), FigureName.DISK_DEPTH: rate("queue_s")},
        {FigureName.IO_PRESSURE: sums.per_s(place, "pressure.io_some_s")},
        {
            FigureName.DISK_AWAIT: await_ms,
            FigureName.DISK_REQUESTS: all_of_them,
            FigureName.IO_SHARE: _io_share(sums, members, sessions),
        },
    )


def _io_share(sums: ResourceSums, members: Sequence[Member], sessions: float) -> float | None:
    """Return the largest share of sessions' time in waits for IO, of those servers that tell it."""
    shares = (io_share(sums, member, sessions) for member in members)
    return max((share for share in shares if share is not None), default=None)


def _group_disks(sums: ResourceSums, member: Member, sessions: float) -> Iterator[Reading]:
    """Read what control groups leave a server of disks.

    A disk does not show that: the kernel holds requests back before it hands them to the disk.
    """
    pressure = sums.per_s(whole_host(member.host), "pressure.io_some_s")
    for disk in sums.labels(member, _GROUP_DISK):
        used = sums.metrics(member, f"{_GROUP_DISK}[{disk}]")
        shares = [found.per_s for name, found in used.items() if name.endswith("_limit_used_s")]
        requests = (f"{_GROUP_DISK}[{disk}].{name}" for name in ("reads", "writes"))
        yield Reading(
            Subject(LimitCode.DISK, member.name, member.host, disk),
            {FigureName.DISK_LIMIT_USED: max(shares, default=None)},
            {FigureName.IO_PRESSURE: pressure},
            {
                FigureName.DISK_REQUESTS: sums.per_s(member, *requests),
                FigureName.IO_SHARE: _io_share(sums, [member], sessions),
            },
        )


def _network(sums: ResourceSums, place: Member, speeds: LinkSpeeds) -> Iterator[Reading]:
    again, out = (sums.per_s(place, name) for name in _RETRANSMISSIONS)
    lost = None if again is None or out is None else again / out if out else 0.0
    for interface in sums.labels(place, "network"):
        speed = speeds.get((place.host, interface))
        ways = [
            sums.per_s(place, f"network[{interface}].{way}_bytes") for way in ("receive", "send")
        ]
        if speed is not None:
            used = max((each or 0.0) for each in ways) * 8 / (speed * 1e6)
            yield Reading(
                Subject(LimitCode.NETWORK_LINK, "", place.host, interface),
                {FigureName.LINK_USED: used},
                {FigureName.RETRANSMITTED: lost},
            )
    by_softirq = [
        (sums.per_s(place, f"cpu[{label}].softirq_s"), sums.per_s(place, f"cpu[{label}].busy_s"))
        for label in sums.labels(place, "cpu")
    ]
    known = [(softirq, busy) for softirq, busy in by_softirq if softirq is not None]
    if known:
        softirq, busy = max(known)
        yield Reading(
            Subject(LimitCode.NETWORK_CPU, "", place.host),
            {FigureName.CPU_SOFTIRQ: softirq, FigureName.BUSIEST_CPU: busy},
            {FigureName.RETRANSMITTED: lost},
        )
