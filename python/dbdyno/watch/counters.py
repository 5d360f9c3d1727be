"""Reads the counters of the host and of single processes; cheap enough for every second.

*Counters* only ever grow, and a table has how much they grew in an interval. *Levels* are as they
are at the interval's end. Times are CPU seconds, summed over all CPUs or threads.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import psutil

HOST_COUNTERS = (
    "cpu_user_s",
    "cpu_system_s",
    "cpu_interrupt_s",
    "cpu_iowait_s",
    "cpu_steal_s",
    "cpu_idle_s",
    "swap_in_bytes",
    "swap_out_bytes",
    "disk_read_bytes",
    "disk_write_bytes",
    "disk_reads",
    "disk_writes",
    "cpu_pressure_s",
    "io_pressure_s",
    "memory_pressure_s",
)
HOST_LEVELS = ("memory_available_bytes",)

PROCESS_COUNTERS = (
    "cpu_user_s",
    "cpu_system_s",
    "read_bytes",
    "write_bytes",
    "voluntary_switches",
    "involuntary_switches",
)
PROCESS_LEVELS = ("private_bytes", "shared_bytes", "threads")

Reading = dict[str, float]
"""Counters and levels by name; what this machine does not tell is not in it."""

THREADS_MAX = 300
"""Context switches are counted for each thread. With more threads than this, reading them each
second would take more than 1 % of a CPU, and they are left out."""

_TIMES_WITHOUT_GUESTS = 8
"""The times of guests come last, and are in those of users before them already."""

_SWITCHES = re.compile(rb"voluntary_ctxt_switches:\s+(\d+)")
"""Found twice in a status: voluntary ones first, then ``nonvoluntary_ctxt_switches``."""

_PRESSURE = Path("/proc/pressure")
_BLOCK_DEVICES = Path("/sys/block")


def host_reading() -> tuple[Reading, list[tuple[float, float]]]:
    """Return the host's counters and levels, and for each CPU its busy and its total time."""
    cpus = psutil.cpu_times(percpu=True)
    swap = psutil.swap_memory()
    reading = {
        "cpu_user_s": sum(cpu.user + cpu.nice for cpu in cpus),
        "cpu_system_s": sum(cpu.system for cpu in cpus),
        "cpu_interrupt_s": sum(cpu.irq + cpu.softirq for cpu in cpus),
        "cpu_iowait_s": sum(cpu.iowait for cpu in cpus),
        "cpu_steal_s": sum(cpu.steal for cpu in cpus),
        "cpu_idle_s": sum(cpu.idle for cpu in cpus),
        "swap_in_bytes": swap.sin,
        "swap_out_bytes": swap.sout,
        "memory_available_bytes": psutil.virtual_memory().available,
        **_disk_counters(),
        **_pressure_counters(),
    }
    totals_s = [sum(cpu[:_TIMES_WITHOUT_GUESTS]) for cpu in cpus]
    busy_s = [total_s - cpu.idle - cpu.iowait for cpu, total_s in zip(cpus, totals_s, strict=True)]
    return reading, list(zip(busy_s, totals_s, strict=True))


def process_reading(process: psutil.Process) -> Reading | None:
    """Return a process's counters and levels, or None where it has ended."""
    try:
        with process.oneshot():
            if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
                return None
            cpu = process.cpu_times()
            memory = process.memory_info()
            reading = {
                "cpu_user_s": cpu.user,
                "cpu_system_s": cpu.system,
                "private_bytes": memory.rss - memory.shared,
                "shared_bytes": memory.shared,
                "threads": process.num_threads(),
            }
        return reading | _io_counters(process)
    except psutil.NoSuchProcess:
        return None


def children(process_id: int) -> list[int]:
    """Return the processes that a process has started and that have not ended."""
    try:
        text = Path(f"/proc/{process_id}/task/{process_id}/children").read_text()
    except OSError:
        return []
    return [int(number) for number in text.split()]


def thread_switches(process: psutil.Process) -> dict[int, tuple[int, int]] | None:
    """Return voluntary and involuntary context switches by thread; None with too many threads.

    The figures in the process's own status are those of its first thread alone.
    """
    try:
        threads = list(Path(f"/proc/{process.pid}/task").iterdir())
    except OSError:
        return None
    if len(threads) > THREADS_MAX:
        return None
    switches = {}
    for thread in threads:
        try:
            status = (thread / "status").read_bytes()
        except OSError:
            continue
        voluntary, involuntary = map(int, _SWITCHES.findall(status))
        switches[int(thread.name)] = voluntary, involuntary
    return switches


def _disk_counters() -> Reading:
    """Add up the physical disks; volumes that lie on them would count the same bytes again."""
    disks = [
        counters
        for name, counters in psutil.disk_io_counters(perdisk=True).items()
        if _is_physical(name)
    ]
    return {
        "disk_read_bytes": sum(disk.read_bytes for disk in disks),
        "disk_write_bytes": sum(disk.write_bytes for disk in disks),
        "disk_reads": sum(disk.read_count for disk in disks),
        "disk_writes": sum(disk.write_count for disk in disks),
    }


@cache
def _is_physical(name: str) -> bool:
    return (_BLOCK_DEVICES / name / "device").exists()


def _pressure_counters() -> Reading:
    """Return for how long some task has waited; exact, where the averages beside it lag behind."""
    reading = {}
    for resource in ("cpu", "io", "memory"):
        try:
            some = (_PRESSURE / resource).read_text().splitlines()[0]
        except OSError:
            continue
        reading[f"{resource}_pressure_s"] = int(some.rpartition("total=")[2]) / 1e6
    return reading


def _io_counters(process: psutil.Process) -> Reading:
    """Return what reached the disks; only its owner and root may know that of a process."""
    try:
        counters = process.io_counters()
    except psutil.AccessDenied:
        return {}
    return {"read_bytes": counters.read_bytes, "write_bytes": counters.write_bytes}
