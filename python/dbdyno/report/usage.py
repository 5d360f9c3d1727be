"""The table of resources: a row for each thing that was used, a column for each cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.usage import LEFT_OVER, Resource, Usage, UsageKey
from dbdyno.report import figures
from dbdyno.report.language import message, say

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
    rows = []
    for key in sorted(keys, key=_place):
        # What servers received and sent stands in a table of theirs.
        if key.resource is Resource.CPU_COUNT or (key.member and key.device):
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
    Resource.STOLEN_SHARE: message("CPU time taken by other machines (steal)"),
    Resource.IO_PRESSURE_SHARE: message("time in which some task waited for a disk (IO pressure)"),
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
    if usage is None:
        return None
    write = _WRITTEN.get(key.resource, _of(1e6))
    mark = "p5" if key.resource in LEFT_OVER else "p95"
    return UsageCell(write(usage.mean), f"{mark}{_SPACE}{write(usage.p95)}", usage.mean)
