"""Checks of this machine, on which load is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import psutil

from dbdyno.doctor.check import Check, judge
from dbdyno.facts.host import HostFacts
from dbdyno.watch.client_limits import FILES_BESIDE_CLIENTS, ClientNeeds, client_limits
from dbdyno.watch.kernel import open_files_limit

OTHERS_MAX_CORES = 0.1
STOLEN_MAX_PERCENT = 1.0
STEAL_OBSERVE_S = 0.5
FILE_SYSTEMS_IN_MEMORY = ("tmpfs", "ramfs")
CONNECTING_AT_A_TIME = 128
"""More than any server's own backlog is by default; the kernel cuts all of them off at its own."""

SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies")


@dataclass(frozen=True)
class Momentary:
    """What the facts of a host do not hold."""

    steal_percent: float
    on_battery: bool | None
    open_files_limit: int


def momentary() -> Momentary:
    """Look at the machine for a moment."""
    battery = psutil.sensors_battery()
    files = open_files_limit()
    return Momentary(
        steal_percent=psutil.cpu_times_percent(STEAL_OBSERVE_S).steal,
        on_battery=None if battery is None else battery.power_plugged is False,
        open_files_limit=1 << 30 if files is None else files,
    )


def check_host(
    facts: HostFacts, now: Momentary, clients: int, needs: ClientNeeds
) -> Iterator[Check]:
    """Judge the facts of ``watch.host_facts``, and what is so at this moment.

    ``clients`` are those of all generators, ``needs`` is what those on this host have of them.
    """
    governor = facts.cpu_governor
    yield judge(
        "CPU governor",
        governor or "unknown",
        wrong=governor not in (None, "performance"),
        advice="set it to performance (cpupower frequency-set -g performance): otherwise the clock "
        "follows the load",
    )
    yield judge(
        "CPU steal",
        f"{now.steal_percent:.1f} %",
        wrong=now.steal_percent > STOLEN_MAX_PERCENT,
        advice="the hypervisor gives CPU time to other machines; use a machine of your own",
    )
    used = facts.swap_used_bytes or 0
    yield judge(
        "swap",
        f"{used / 2**20:.0f} MiB used",
        wrong=used > 0,
        advice="memory was short: free some, then swapoff -a && swapon -a",
    )
    pages = facts.transparent_huge_pages
    yield judge(
        "transparent huge pages",
        pages or "unknown",
        wrong=pages == "always",
        advice="write madvise to /sys/kernel/mm/transparent_hugepage/enabled: databases stall when "
        "the kernel builds huge pages",
    )
    clock = facts.clock_source
    yield judge(
        "clock source",
        clock or "unknown",
        wrong=clock in SLOW_CLOCKS,
        advice="reading this clock is slow; use tsc where the machine has it",
    )
    yield judge(
        "power",
        {None: "no battery", True: "battery", False: "mains"}[now.on_battery],
        wrong=now.on_battery is True,
        advice="plug it in: on battery the CPU is slowed down",
    )
    cores = facts.other_processes_cpu_cores or 0.0
    yield judge(
        "other load",
        f"{cores:.2f} cores ({facts.other_processes_busiest or 'nothing'}); load average "
        f"{facts.load_average_1_minute}",
        wrong=cores > OTHERS_MAX_CORES,
        advice="end these programs, or wait until they are done",
    )
    place = facts.work_file_system
    yield judge(
        "file system here",
        ", ".join(filter(None, (place, facts.work_disks, facts.work_mount_options))) or "unknown",
        wrong=place in FILE_SYSTEMS_IN_MEMORY,
        advice="write results, and with them the data of private servers, to a disk: in memory "
        "nothing waits for one",
    )
    backlog = facts.kernel_settings.get("net.core.somaxconn", "")
    yield judge(
        "listen backlog",
        f"net.core.somaxconn {backlog}" if backlog else "unknown",
        wrong=backlog.isdecimal() and int(backlog) < min(clients, CONNECTING_AT_A_TIME),
        advice=f"sysctl -w net.core.somaxconn={CONNECTING_AT_A_TIME}: a server here refuses "
        "clients that connect at the same time",
    )
    needed = needs.clients_of_process + FILES_BESIDE_CLIENTS
    yield judge(
        "open files",
        f"{now.open_files_limit:,} allowed, about {needed:,} needed",
        wrong=now.open_files_limit < needed,
        fails=True,
        advice=f"ulimit -n {needed} or more, in the shell that starts dbdyno",
    )
    ports = client_limits(facts).ports
    yield judge(
        "ports",
        "unknown" if ports is None else f"{ports:,} for connections to one server",
        wrong=ports is not None and ports < needs.clients_to_server,
        fails=True,
        advice="sysctl -w net.ipv4.ip_local_port_range='1024 65535', or use several hosts",
    )
