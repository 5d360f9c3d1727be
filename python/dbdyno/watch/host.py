"""Facts of the machine, as they are when an experiment begins.

One flat mapping that can be written as JSON. Units are in the names; a fact that this machine does
not tell is None, and where it tells that there is none, the fact is "none".
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

import psutil

from dbdyno.control_groups import read
from dbdyno.watch.limits import limit_facts
from dbdyno.watch.neighbours import neighbour_facts
from dbdyno.watch.storage import Facts, storage_facts

_CPUS = Path("/sys/devices/system/cpu")
_FIRST_CPU_FREQUENCY = _CPUS / "cpu0" / "cpufreq"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_NODES = Path("/sys/devices/system/node")
_VIRTUALISATION_LIMIT_S = 5.0


def host_facts(work_directory: Path, observe_s: float = 1.0) -> Facts:
    """Return all facts; ``work_directory`` must exist. Takes ``observe_s`` to watch neighbours."""
    return {
        **_cpu_facts(),
        **_memory_facts(),
        **_system_facts(),
        **storage_facts(work_directory),
        **limit_facts(),
        **_load_facts(),
        **neighbour_facts(observe_s),
    }


def host_identity() -> Facts:
    """Return what tells this host, as it runs now, from another one or from another start of it."""
    names = ("boot_id", "kernel", "cpu_model", "cpu_count", "cpu_usable_count", "cpu_governor")
    facts = (
        _cpu_facts() | _memory_facts() | {"boot_id": read(_BOOT_ID), "kernel": platform.release()}
    )
    return {name: facts[name] for name in (*names, "memory_total_bytes")}


def _cpu_facts() -> Facts:
    return {
        "cpu_model": _cpu_information("model name"),
        "cpu_architecture": platform.machine(),
        "cpu_count": psutil.cpu_count(logical=True),
        "cpu_cores": psutil.cpu_count(logical=False),
        "cpu_usable_count": len(os.sched_getaffinity(0)),
        "cpu_frequency_max_mhz": _frequency_max_mhz(),
        "cpu_governor": read(_FIRST_CPU_FREQUENCY / "scaling_governor"),
        "cpu_frequency_driver": read(_FIRST_CPU_FREQUENCY / "scaling_driver"),
        "cpu_turbo": _turbo(),
        "numa_nodes": len(list(_NODES.glob("node[0-9]*"))) or None,
    }


def _memory_facts() -> Facts:
    memory, swap = psutil.virtual_memory(), psutil.swap_memory()
    return {
        "memory_total_bytes": memory.total,
        "memory_available_bytes": memory.available,
        "swap_total_bytes": swap.total,
        "swap_used_bytes": swap.used,
        "swappiness": read(Path("/proc/sys/vm/swappiness")),
        "transparent_huge_pages": _chosen(Path("/sys/kernel/mm/transparent_hugepage/enabled")),
    }


def _system_facts() -> Facts:
    return {
        "kernel": platform.release(),
        "distribution": _distribution(),
        "virtual_machine": _virtualisation("--vm"),
        "container": _virtualisation("--container"),
        "clock_source": read(
            Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
        ),
        "boot_id": read(_BOOT_ID),
        "tcp_congestion_control": read(Path("/proc/sys/net/ipv4/tcp_congestion_control")),
        "python_version": platform.python_version(),
    }


def _load_facts() -> Facts:
    one, five, fifteen = os.getloadavg()
    return {
        "load_average_1_minute": round(one, 2),
        "load_average_5_minutes": round(five, 2),
        "load_average_15_minutes": round(fifteen, 2),
    }


def _cpu_information(field: str) -> str | None:
    """Return a field of the first CPU in ``/proc/cpuinfo``; not all architectures have it."""
    for line in (read(Path("/proc/cpuinfo")) or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == field:
            return value.strip()
    return None


def _frequency_max_mhz() -> float | None:
    frequency_khz = read(_FIRST_CPU_FREQUENCY / "cpuinfo_max_freq")
    return int(frequency_khz) / 1000 if frequency_khz else None


def _turbo() -> str | None:
    """Return on or off; one driver says whether it is off, the others whether it is on."""
    off = read(_CPUS / "intel_pstate" / "no_turbo")
    on = read(_CPUS / "cpufreq" / "boost")
    if off is None and on is None:
        return None
    return "on" if off == "0" or on == "1" else "off"


def _chosen(path: Path) -> str | None:
    """Return the word in brackets: ``always [madvise] never``."""
    return (read(path) or "").partition("[")[2].partition("]")[0] or None


def _distribution() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _virtualisation(kind: str) -> str | None:
    """Ask systemd, whose list of hypervisors and containers is the longest; ``none`` is an answer.

    Without it, a processor still tells whether there is a hypervisor below.
    """
    program = shutil.which("systemd-detect-virt")
    if program is not None:
        answer = subprocess.run(
            [program, kind],
            capture_output=True,
            text=True,
            timeout=_VIRTUALISATION_LIMIT_S,
            check=False,
        )
        return answer.stdout.strip() or None
    has_hypervisor = " hypervisor" in (_cpu_information("flags") or "")
    return "unknown hypervisor" if kind == "--vm" and has_hypervisor else None
