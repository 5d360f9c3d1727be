"""The host as a source: CPU, memory, pressure, disks and network from the kernel's files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dbdyno.resources import HOST, LOCAL_HOST
from dbdyno.watch.local.cpu import CpuTimes
from dbdyno.watch.local.disk import disk_figures, is_physical
from dbdyno.watch.local.kernel_file import KernelFile
from dbdyno.watch.local.memory import memory_levels, paging_counters
from dbdyno.watch.local.network import interface_counters, tcp_counters
from dbdyno.watch.series.source import Growth, Subject, Values

_PROC = Path("/proc")
_CPUS = Path("/sys/devices/system/cpu")
_MICROSECONDS_PER_S = 1e6

HOST_FILES = (
    *("stat", "meminfo", "vmstat", "diskstats", "net/dev", "net/snmp"),
    *("pressure/cpu", "pressure/io", "pressure/memory"),
)
"""What is read of a host, below /proc; one that its kernel does not have is left out."""


class HostFigures:
    """Makes figures of the content of ``HOST_FILES``, wherever that was read."""

    def __init__(self, is_disk: Callable[[str], bool] = is_physical) -> None:
        self._cpu = CpuTimes()
        self._is_disk = is_disk
        self._growth = Growth()

    def values(self, contents: dict[str, bytes]) -> Values:
        """Return what was added since the last call, and the levels of now."""
        counters: Values = {}
        values: Values = {}
        if "stat" in contents:
            values |= self._cpu.sample(contents["stat"])
        if "meminfo" in contents:
            values |= memory_levels(contents["meminfo"])
        if "vmstat" in contents:
            counters |= paging_counters(contents["vmstat"])
        if "diskstats" in contents:
            of_disks, levels = disk_figures(contents["diskstats"], self._is_disk)
            counters |= of_disks
            values |= levels
        if "net/dev" in contents:
            counters |= interface_counters(contents["net/dev"])
        if "net/snmp" in contents:
            counters |= tcp_counters(contents["net/snmp"])
        for resource in ("cpu", "io", "memory"):
            counters |= _pressure_counters(resource, contents.get(f"pressure/{resource}", b""))
        return values | self._growth.added(counters)


class LocalHost:
    """The host that dbdyno runs on."""

    subject = Subject(HOST, host=LOCAL_HOST)

    def __init__(self) -> None:
        opened = {name: KernelFile.if_there(_PROC / name) for name in HOST_FILES}
        self._files = {name: file for name, file in opened.items() if file is not None}
        self._frequencies = _frequency_files()
        self._figures = HostFigures()

    def sample(self) -> Values:
        """Return what was added since the last call, and the levels of now."""
        values = self._figures.values({name: file.read() for name, file in self._files.items()})
        for metric, file in self._frequencies.items():
            # A CPU may be switched off meanwhile.
            with suppress(OSError, ValueError):
                values[metric] = int(file.read()) / 1000
        return values

    def close(self) -> None:
        """Read no more."""
        for file in (*self._files.values(), *self._frequencies.values()):
            file.close()


def _frequency_files() -> dict[str, KernelFile]:
    """Return the file of each CPU that tells its frequency; virtual machines seldom have any."""
    files = {}
    for path in _CPUS.glob("cpu[0-9]*/cpufreq/scaling_cur_freq"):
        file = KernelFile.if_there(path)
        if file is not None:
            files[f"cpu[{path.parts[-3].removeprefix('cpu')}].frequency_mhz"] = file
    return files


def _pressure_counters(resource: str, content: bytes) -> Values:
    """Return for how long some task has waited, and for how long all have.

    The totals are exact, where the averages beside them lag behind.
    """
    counters = {}
    for line in content.decode().splitlines():
        kind, total_us = line.partition(" ")[0], line.rpartition("total=")[2]
        counters[f"pressure.{resource}_{kind}_s"] = int(total_us) / _MICROSECONDS_PER_S
    return counters
