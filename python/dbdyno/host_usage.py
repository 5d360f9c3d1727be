"""What a host does at a moment: its CPUs, its disks and its network, for showing it while it is so.

The same figures are made of what a watcher has just read, and of the stored table of resources.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

_BUSY_CPU = re.compile(r"cpu\[[^]]*\]\.busy_s")
_DEVICE = re.compile(r"(disk|network)\[([^]]*)\]\.(\w+)")


@dataclass(frozen=True, kw_only=True)
class DiskUsage:
    """What a disk does; ``busy_share`` is the share of time with a request under way."""

    read_bytes_per_s: float
    write_bytes_per_s: float
    busy_share: float


@dataclass(frozen=True, kw_only=True)
class NetworkUsage:
    """What an interface carries."""

    receive_bytes_per_s: float
    send_bytes_per_s: float


@dataclass(frozen=True, kw_only=True)
class HostUsage:
    """What a host did on the mean of ``duration_s``; no CPUs where nobody tells them."""

    host: str
    duration_s: float
    busy_cpus: float | None
    cpus: int | None
    disks: Mapping[str, DiskUsage] = Field(default_factory=dict)
    networks: Mapping[str, NetworkUsage] = Field(default_factory=dict)


HOST_USAGE = TypeAdapter(HostUsage)


def usage_of(host: str, duration_s: float, values: Mapping[str, float]) -> HostUsage | None:
    """Return what a host did, by the metrics that docs/metrics.md names; None where none tells it.

    ``values`` are what was added in ``duration_s``.
    """
    busy_s = [value for metric, value in values.items() if _BUSY_CPU.fullmatch(metric)]
    devices: dict[str, dict[str, dict[str, float]]] = {"disk": {}, "network": {}}
    for metric, value in values.items():
        found = _DEVICE.fullmatch(metric)
        if found is not None:
            kind, name, what = found.groups()
            devices[kind].setdefault(name, {})[what] = value / duration_s
    usage = HostUsage(
        host=host,
        duration_s=duration_s,
        # The kernel counts in ticks: all CPUs may come out as a little more than all.
        busy_cpus=min(sum(busy_s) / duration_s, len(busy_s)) if busy_s else None,
        cpus=len(busy_s) or None,
        disks={name: _disk(per_s) for name, per_s in devices["disk"].items()},
        networks={name: _network(per_s) for name, per_s in devices["network"].items()},
    )
    return usage if busy_s or usage.disks or usage.networks else None


def _disk(per_s: Mapping[str, float]) -> DiskUsage:
    return DiskUsage(
        read_bytes_per_s=per_s.get("read_bytes", 0.0),
        write_bytes_per_s=per_s.get("write_bytes", 0.0),
        busy_share=min(per_s.get("busy_s", 0.0), 1.0),
    )


def _network(per_s: Mapping[str, float]) -> NetworkUsage:
    return NetworkUsage(
        receive_bytes_per_s=per_s.get("receive_bytes", 0.0),
        send_bytes_per_s=per_s.get("send_bytes", 0.0),
    )
