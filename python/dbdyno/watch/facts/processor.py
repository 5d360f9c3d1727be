"""Looks up what processors a machine has, how they are laid out, and what drives their clock."""

from __future__ import annotations

import os
import platform
from collections import Counter
from pathlib import Path

import psutil

from dbdyno.control_groups import read
from dbdyno.facts.processor import Cache, CpuFacts, NumaNode
from dbdyno.watch.facts.reading import fields, number

_CPUS = Path("/sys/devices/system/cpu")
_FIRST_CPU_FREQUENCY = _CPUS / "cpu0" / "cpufreq"
_NODES = Path("/sys/devices/system/node")
_CPU_INFORMATION = Path("/proc/cpuinfo")

FLAGS = frozenset(
    {
        # Encryption and checksums, which servers and TLS take from the processor.
        *("aes", "vaes", "pclmulqdq", "vpclmulqdq", "sha_ni", "sse4_2", "rdrand"),
        *("pmull", "sha1", "sha2", "sha512", "crc32"),
        # Searching and copying.
        *("avx2", "avx512f", "avx512bw", "erms", "fsrm", "asimd", "sve", "atomics"),
        # Clocks, and how much a change of address spaces costs.
        *("constant_tsc", "nonstop_tsc", "rdtscp", "pcid", "invpcid", "pdpe1gb", "hypervisor"),
    }
)
"""Of some hundred flags, those that databases and load generators make use of."""

_CACHE_KINDS = {"Data": "d", "Instruction": "i", "Unified": ""}
_BINARY_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def cpu_facts() -> CpuFacts:
    """Return everything about processors, and about NUMA nodes."""
    first = fields(_CPU_INFORMATION)
    flags = (first.get("flags") or first.get("Features") or "").split()
    nodes = _numa_nodes()
    return CpuFacts(
        cpu_model=first.get("model name"),
        cpu_vendor=first.get("vendor_id"),
        cpu_architecture=platform.machine(),
        cpu_microcode=first.get("microcode"),
        cpu_count=psutil.cpu_count(logical=True),
        cpu_cores=psutil.cpu_count(logical=False),
        cpu_sockets=_sockets(),
        cpu_threads_per_core=_threads_per_core(),
        cpu_usable_count=len(os.sched_getaffinity(0)),
        cpu_frequency_max_mhz=_frequency_max_mhz(),
        cpu_governor=read(_FIRST_CPU_FREQUENCY / "scaling_governor"),
        cpu_frequency_driver=read(_FIRST_CPU_FREQUENCY / "scaling_driver"),
        cpu_turbo=_turbo(),
        cpu_idle_driver=read(_CPUS / "cpuidle" / "current_driver"),
        cpu_isolated=read(_CPUS / "isolated"),
        cpu_tickless=read(_CPUS / "nohz_full"),
        cpu_caches=_caches(),
        cpu_flags=tuple(flag for flag in flags if flag in FLAGS),
        cpu_vulnerabilities=_vulnerabilities(),
        numa_nodes=len(nodes) or None,
        numa=nodes,
    )


def has_hypervisor() -> bool:
    """Tell whether the processor says that it is not a real one."""
    return " hypervisor" in fields(_CPU_INFORMATION).get("flags", "")


def _cpu_folders() -> list[Path]:
    return list(_CPUS.glob("cpu[0-9]*"))


def _sockets() -> int | None:
    sockets = {read(cpu / "topology" / "physical_package_id") for cpu in _cpu_folders()}
    return len(sockets - {None}) or None


def _threads_per_core() -> int | None:
    cores = Counter(read(cpu / "topology" / "thread_siblings_list") for cpu in _cpu_folders())
    return max((count for core, count in cores.items() if core is not None), default=None)


def _frequency_max_mhz() -> float | None:
    frequency_khz = number(_FIRST_CPU_FREQUENCY / "cpuinfo_max_freq")
    return frequency_khz / 1000 if frequency_khz else None


def _turbo() -> str | None:
    """Return on or off; one driver says whether it is off, the others whether it is on."""
    off = read(_CPUS / "intel_pstate" / "no_turbo")
    on = read(_CPUS / "cpufreq" / "boost")
    if off is None and on is None:
        return None
    return "on" if off == "0" or on == "1" else "off"


def _caches() -> tuple[Cache, ...]:
    """Return each kind of cache, and how many of it there are: CPUs that share one count once."""
    found = set()
    for index in _CPUS.glob("cpu[0-9]*/cache/index[0-9]*"):
        level, size = read(index / "level"), read(index / "size")
        if level and size:
            name = f"L{level}{_CACHE_KINDS.get(read(index / 'type') or '', '')}"
            shared = read(index / "shared_cpu_list") or index.parts[-3]
            found.add((name, int(size[:-1]) * _BINARY_UNITS[size[-1]], shared))
    instances = Counter((name, size_bytes) for name, size_bytes, _ in found)
    return tuple(Cache(name, size, count) for (name, size), count in sorted(instances.items()))


def _vulnerabilities() -> dict[str, str]:
    files = sorted(_CPUS.glob("vulnerabilities/*"))
    return {file.name: state for file in files if (state := read(file)) is not None}


def _numa_nodes() -> tuple[NumaNode, ...]:
    nodes = ((int(path.name.removeprefix("node")), path) for path in _NODES.glob("node[0-9]*"))
    return tuple(_numa_node(number_of_node, path) for number_of_node, path in sorted(nodes))


def _numa_node(number_of_node: int, path: Path) -> NumaNode:
    # ``Node 0 MemTotal:       14641356 kB``
    memory = fields(path / "meminfo").get(f"Node {number_of_node} MemTotal", "").split()
    return NumaNode(
        number=number_of_node,
        cpus=read(path / "cpulist") or "",
        memory_total_bytes=int(memory[0]) * 1024 if memory else None,
        distances=tuple(map(int, (read(path / "distance") or "").split())),
    )
