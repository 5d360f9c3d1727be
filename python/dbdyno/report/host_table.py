"""The facts of a host for people: in groups, with units; what is not known is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.facts.processor import Cache, NumaNode
from dbdyno.facts.storage import Disk
from dbdyno.facts.system import NetworkInterface

_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
NOT_AFFECTED = "Not affected"
_SPACE = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class FactGroup:
    """Facts that belong together, each as a label and a text."""

    title: str
    rows: tuple[tuple[str, str], ...]


LABELS: Mapping[str, Mapping[str, str]] = {
    "Processors": {
        "cpu_model": "model",
        "cpu_vendor": "vendor",
        "cpu_architecture": "architecture",
        "cpu_count": "CPUs",
        "cpu_usable_count": "CPUs that dbdyno may use",
        "cpu_sockets": "sockets",
        "cpu_cores": "cores",
        "cpu_threads_per_core": "threads per core",
        "cpu_caches": "caches",
        "numa_nodes": "NUMA nodes",
        "numa": "CPUs and memory of each node",
        "cpu_governor": "frequency governor",
        "cpu_frequency_driver": "frequency driver",
        "cpu_frequency_max_mhz": "highest frequency",
        "cpu_turbo": "turbo",
        "cpu_idle_driver": "idle driver",
        "cpu_isolated": "isolated CPUs",
        "cpu_tickless": "tickless CPUs",
        "cpu_microcode": "microcode",
        "cpu_flags": "flags that matter",
        "cpu_vulnerabilities": "vulnerabilities",
    },
    "Memory": {
        "memory_total_bytes": "memory",
        "memory_available_bytes": "available",
        "memory_modules": "modules",
        "swap_total_bytes": "swap",
        "swap_used_bytes": "swap in use",
        "swappiness": "swappiness",
        "transparent_huge_pages": "transparent huge pages",
        "transparent_huge_pages_defrag": "transparent huge pages, defragmentation",
        "huge_pages_total": "huge pages",
        "huge_pages_free": "huge pages free",
        "huge_page_size_bytes": "size of a huge page",
    },
    "Storage": {
        "disks": "disks",
        "work_file_system": "file system of the result and of private servers' data",
        "work_mount_options": "mount options",
        "work_file_system_total_bytes": "size of the file system",
        "work_file_system_free_bytes": "free",
        "work_disks": "disks below it",
        "work_disk_model": "their model",
        "work_disk_size_bytes": "their size",
        "work_disk_scheduler": "I/O scheduler",
        "work_disk_rotational": "rotational",
        "work_disk_write_cache": "write cache",
        "probe_write_mib_per_s": "probe: sequential write",
        "probe_written_bytes": "probe: written",
        "probe_fsync_median_ms": "probe: write of 4 KiB and fsync, median",
        "probe_fsync_p99_ms": "probe: write of 4 KiB and fsync, p99",
        "probe_fsync_count": "probe: number of fsyncs",
    },
    "System": {
        "distribution": "distribution",
        "kernel": "kernel",
        "kernel_build": "kernel build",
        "kernel_parameters": "kernel parameters",
        "system_vendor": "vendor",
        "system_product": "product",
        "firmware_version": "firmware",
        "virtual_machine": "virtual machine",
        "container": "container",
        "tuning_profile": "tuned profile",
        "clock_source": "clock source",
        "clock_synchronised": "clock synchronised",
        "time_zone": "time zone",
        "uptime_s": "up for",
        "boot_id": "boot ID",
    },
    "Limits of dbdyno and its generator": {
        "control_group_cpu_limit_cores": "CPUs of the control group",
        "control_group_memory_limit_bytes": "memory of the control group",
        "control_group_task_limit": "threads of the control group",
        "process_open_files_limit": "open files",
        "process_threads_limit": "threads of the user",
        "process_locked_memory_limit_bytes": "locked memory",
        "process_stack_limit_bytes": "stack",
    },
    "Load before the first trial": {
        "load_average_1_minute": "load average, 1 minute",
        "load_average_5_minutes": "load average, 5 minutes",
        "load_average_15_minutes": "load average, 15 minutes",
        "cpu_busy_cores": "busy CPUs",
        "other_processes_cpu_cores": "of these, other programs",
        "other_processes_busiest": "the busiest",
    },
    "Client": {
        "dbdyno_version": "dbdyno",
        "python_version": "Python",
        "rustc_version": "Rust compiler",
        "tls_library": "TLS",
        "c_library": "C library",
        "client_libraries": "libraries",
        "locale": "locale",
    },
    "Network": {
        "network_interfaces": "interfaces",
        "server_round_trip_ms": "time in which a server accepts a connection, median",
        "tcp_congestion_control": "congestion control",
    },
    "Kernel settings": {"kernel_settings": "settings"},
}
"""Every fact has its place here, and a test sees to that."""


def fact_groups(facts: HostFacts, without: tuple[str, ...] = ()) -> list[FactGroup]:
    """Return the groups of which anything is known, without facts whose names begin so."""
    groups = (
        FactGroup(title, tuple(_rows(facts, labels, without))) for title, labels in LABELS.items()
    )
    return [group for group in groups if group.rows]


@dataclass(frozen=True)
class OtherHostTable:
    """What is known of another host of the campaign: facts, or in words why there are none."""

    title: str
    groups: list[FactGroup]
    unknown: str | None


_USES = {"generator": "a generator ran on it", "watched": "it was watched"}
_OF_ITS_GENERATOR = ("Limits of dbdyno and its generator", "Client")
_OF_THE_RESULT = ("work_", "probe_")
"""Facts of the folder that holds a result, which is not on another host."""


def other_host_tables(hosts: Mapping[str, OtherHost]) -> list[OtherHostTable]:
    """Return a table for each of the other hosts, in the order of the experiment file."""
    return [
        OtherHostTable(
            title=f"Host {name} ({_USES[host.use]})",
            groups=[] if host.facts is None else _groups_of_other(host.facts, host.use),
            unknown=host.reason,
        )
        for name, host in hosts.items()
    ]


def _groups_of_other(facts: HostFacts, use: str) -> list[FactGroup]:
    """Leave out what is there of each host, and means something only of some."""
    groups = fact_groups(facts, without=_OF_THE_RESULT)
    return [group for group in groups if use == "generator" or group.title not in _OF_ITS_GENERATOR]


def size(value_bytes: float) -> str:
    """Write a size with the largest unit of which there is at least one: ``23.5 GiB``."""
    magnitude = min(max(int(abs(value_bytes)).bit_length() - 1, 0) // 10, len(_BINARY_UNITS) - 1)
    number = f"{value_bytes / (1 << (10 * magnitude)):,.1f}".removesuffix(".0")
    return f"{number.replace('-', '−')}{_SPACE}{_BINARY_UNITS[magnitude]}"


def duration(value_s: float) -> str:
    """Write a long time in its two largest units: ``3 h 48 min``."""
    minutes = int(value_s) // 60
    days, hours = minutes // 1440, minutes // 60 % 24
    if days:
        return f"{days}{_SPACE}d {hours}{_SPACE}h"
    return f"{hours}{_SPACE}h {minutes % 60}{_SPACE}min"


_UNITS: Mapping[str, Callable[[float], str]] = {
    "_bytes": size,
    "_mib_per_s": lambda value: f"{value:,.1f}{_SPACE}MiB/s",
    "_ms": lambda value: f"{value:,.3f}{_SPACE}ms",
    "_mhz": lambda value: f"{value:,.0f}{_SPACE}MHz",
    "_s": duration,
}
"""How a number is written, by the end of its fact's name."""


def _rows(
    facts: HostFacts, labels: Mapping[str, str], without: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    for name, label in labels.items():
        if name.startswith(without):
            continue
        value = getattr(facts, name)
        if name == "kernel_settings":
            yield from value.items()
        elif value not in (None, (), {}):
            yield label, _text(name, value)


def _text(name: str, value: object) -> str:
    """Write one fact, whatever it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        units = (write for end, write in _UNITS.items() if name.endswith(end))
        return next(units, _plain)(value)
    if isinstance(value, tuple):
        return "; ".join(_part(part) for part in value) if name != "cpu_flags" else " ".join(value)
    if name == "cpu_vulnerabilities" and isinstance(value, Mapping):
        return _vulnerabilities(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {_text(name, part)}" for key, part in value.items())
    # The kernel's 0 and 1 are stored as they are.
    words = {"0": "no", "1": "yes"} if name == "work_disk_rotational" else {}
    return words.get(str(value), str(value))


def _vulnerabilities(states: Mapping[str, str]) -> str:
    """Name those that the processor has; most have nothing to do with it."""
    found = [f"{name}: {state}" for name, state in states.items() if state != NOT_AFFECTED]
    return "; ".join(found) or "none that is known"


def _plain(value: float) -> str:
    return f"{value:,}"


def _part(part: object) -> str:
    """Write one of several things of a kind."""
    match part:
        case Cache():
            each = size(part.size_bytes)
            return f"{part.name} {part.instances} × {each}"
        case NumaNode():
            memory = "" if part.memory_total_bytes is None else f", {size(part.memory_total_bytes)}"
            return f"node {part.number}: CPUs {part.cpus}{memory}"
        case Disk():
            return f"{part.name}: {_disk(part)}"
        case NetworkInterface():
            return f"{part.name}: {_interface(part)}"
    return str(part)


def _disk(disk: Disk) -> str:
    kind = {True: "rotational", False: "not rotational", None: None}[disk.rotational]
    return _known(
        disk.model,
        None if disk.size_bytes is None else size(disk.size_bytes),
        kind,
        _labelled("scheduler", disk.scheduler),
        _labelled("queue depth", disk.queue_depth),
        _labelled("cache", disk.write_cache),
        None if disk.block_size_bytes is None else f"blocks of {size(disk.block_size_bytes)}",
        None if disk.read_ahead_bytes is None else f"reads {size(disk.read_ahead_bytes)} ahead",
    )


def _interface(interface: NetworkInterface) -> str:
    speed = interface.speed_mbit_per_s
    return _known(
        None if speed is None else f"{speed:,}{_SPACE}Mbit/s",
        None if interface.duplex is None else f"{interface.duplex} duplex",
        None if interface.mtu_bytes is None else f"MTU {interface.mtu_bytes}{_SPACE}B",
        interface.driver,
        _labelled("receive queues", interface.receive_queues),
    )


def _labelled(label: str, value: object) -> str | None:
    return None if value is None else f"{label} {value}"


def _known(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part is not None)
