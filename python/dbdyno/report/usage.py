"""What was used of each resource in each cell, as it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.usage import LEFT_OVER, CellUsage, Resource, Usage, UsageKey
from dbdyno.report import figures
from dbdyno.report.language import message, say
from dbdyno.resources import LOCAL_HOST

NETWORK = (Resource.NETWORK_RECEIVE_BYTES_PER_S, Resource.NETWORK_SEND_BYTES_PER_S)
_SPACE = "\N{NO-BREAK SPACE}"
_ORDER = {resource: place for place, resource in enumerate(Resource)}
_DEVICES = {resource for resource in Resource if resource.value.startswith(("disk_", "network_"))}


@dataclass(frozen=True)
class UsageCell:
    """The mean as it is written, its exact value, and the p95."""

    mean: str
    p95: str
    value: float


@dataclass(frozen=True)
class UsageRow:
    """A resource, and what each cell used of it; None where that is not known."""

    label: str
    cells: tuple[UsageCell | None, ...]


@dataclass(frozen=True)
class UsageGroup:
    """All that is known of one host and of what ran there."""

    host: str
    rows: tuple[UsageRow, ...]


def tells_network(usage: CellUsage) -> bool:
    """Tell whether the network of a server, or of another host, is known of a cell."""
    return any(key.resource in NETWORK and (key.member or key.host != LOCAL_HOST) for key in usage)


def groups(findings: Findings) -> list[UsageGroup]:
    """Return the rows host by host, in the order of the cells; nothing where nothing is known."""
    keys = dict.fromkeys(key for usage in findings.usage.values() for key in usage)
    hosts = dict.fromkeys(key.host for key in keys)
    found = [
        UsageGroup(host, tuple(_rows(findings, [key for key in keys if key.host == host])))
        for host in hosts
    ]
    return [group for group in found if group.rows]


def _rows(findings: Findings, keys: list[UsageKey]) -> list[UsageRow]:
    by_cell = [findings.usage.get(summary.cell, {}) for summary in findings.cells]
    has_servers_of_their_own = any(map(tells_network, by_cell))
    rows = []
    for key in sorted(keys, key=_place):
        # Servers whose network is known have a table of their own.
        is_elsewhere = key.member and (key.device or has_servers_of_their_own)
        if key.resource is Resource.CPU_COUNT or is_elsewhere:
            continue
        found = [usage.get(key) for usage in by_cell]
        # A disk or an interface that nobody used would be three rows of zeros.
        if key.resource in _DEVICES and not any(each.p95 for each in found if each):
            continue
        count = {
            round(usage[of].mean)
            for usage in by_cell
            if (of := UsageKey(key.host, "", "", Resource.CPU_COUNT)) in usage
        }
        rows.append(UsageRow(_label(key, count), tuple(_cell(key, each) for each in found)))
    return rows


def _place(key: UsageKey) -> tuple[bool, str, bool, str, int]:
    """Put the host first, then its disks, its interfaces, and who runs there."""
    is_network = key.resource.value.startswith("network_")
    return bool(key.member), key.member, is_network, key.device, _ORDER[key.resource]


_LABELS: Mapping[Resource, str] = {
    Resource.CPU_CORES: message("busy CPUs"),
    Resource.BUSIEST_CPU_SHARE: message("busiest CPU"),
    Resource.STOLEN_SHARE: message("steal"),
    Resource.IO_PRESSURE_SHARE: message("IO pressure"),
    Resource.MEMORY_AVAILABLE_BYTES: message("memory available, GiB"),
    Resource.DISK_READ_BYTES_PER_S: message("disk {device}, read, MB/s"),
    Resource.DISK_WRITE_BYTES_PER_S: message("disk {device}, written, MB/s"),
    Resource.DISK_AWAIT_S: message("disk {device}, time of a request (await), ms"),
    Resource.NETWORK_RECEIVE_BYTES_PER_S: message("network {device}, received, MB/s"),
    Resource.NETWORK_SEND_BYTES_PER_S: message("network {device}, sent, MB/s"),
    Resource.PROCESS_CPU_CORES: message("{member}, CPUs"),
}
"""What a row is called; what a disk and a network interface do always has a device."""


def _label(key: UsageKey, cpu_count: set[int]) -> str:
    if key.resource is Resource.CPU_CORES and len(cpu_count) == 1:
        return say("busy CPUs of {count}", count=next(iter(cpu_count)))
    return say(_LABELS[key.resource], device=key.device, member=key.member)


def _cores(value: float) -> str:
    return f"{value:.2f}"


def _of(unit: float) -> Callable[[float], str]:
    return lambda value: figures.milliseconds(value / unit)


_WRITTEN: Mapping[Resource, Callable[[float], str]] = {
    Resource.CPU_CORES: _cores,
    Resource.PROCESS_CPU_CORES: _cores,
    Resource.BUSIEST_CPU_SHARE: figures.share,
    Resource.STOLEN_SHARE: figures.share,
    Resource.IO_PRESSURE_SHARE: figures.share,
    Resource.MEMORY_AVAILABLE_BYTES: _of(1 << 30),
    Resource.DISK_AWAIT_S: _of(1e-3),
}
"""How a figure is written; what moves is written in MB/s."""


def _cell(key: UsageKey, usage: Usage | None) -> UsageCell | None:
    return None if usage is None else written(key.resource, usage)


def written(resource: Resource, usage: Usage) -> UsageCell:
    """Return a resource's mean with its p95 or p5."""
    write = _WRITTEN.get(resource, _of(1e6))
    mark = "p5" if resource in LEFT_OVER else "p95"
    return UsageCell(write(usage.mean), f"{mark}{_SPACE}{write(usage.p95)}", usage.mean)
