"""Looks up kernel and distribution, what the machine is, and how good its clocks are."""

from __future__ import annotations

import ctypes
import platform
import time
from pathlib import Path

import psutil

from dbdyno.control_groups import read
from dbdyno.facts.system import SystemFacts
from dbdyno.variables import TIME_ZONE
from dbdyno.watch.facts.processor import has_hypervisor
from dbdyno.watch.facts.reading import answer

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_DMI = Path("/sys/class/dmi/id")
_CLOCKS = Path("/sys/devices/system/clocksource/clocksource0")
_COMMAND_LINE = Path("/proc/cmdline")

KERNEL_PARAMETERS = (
    *("mitigations", "nosmt", "isolcpus", "nohz", "nohz_full", "rcu_nocbs", "irqaffinity"),
    *("intel_pstate", "amd_pstate", "intel_idle.max_cstate", "processor.max_cstate", "idle"),
    *("cpuidle.off", "numa", "numa_balancing", "hugepages", "hugepagesz", "default_hugepagesz"),
    *("transparent_hugepage", "clocksource", "tsc", "elevator", "scsi_mod.use_blk_mq", "maxcpus"),
    *("preempt", "threadirqs", "skew_tick", "spectre_v2", "pti", "nopti", "iommu", "mem"),
)
"""What changes how fast a machine is. A command line may hold anything else, secrets too."""

_TIMEX_BYTES = 512
"""More than the kernel's ``struct timex`` takes on any architecture; all zero asks for nothing."""
_TIME_ERROR = 5
"""What adjtimex(2) returns where nothing keeps the clock right."""


def system_facts() -> SystemFacts:
    """Return everything about kernel, machine and clocks."""
    return SystemFacts(
        kernel=platform.release(),
        kernel_build=platform.version(),
        kernel_parameters=_kernel_parameters(),
        distribution=_distribution(),
        system_vendor=read(_DMI / "sys_vendor"),
        system_product=read(_DMI / "product_name"),
        firmware_version=read(_DMI / "bios_version"),
        virtual_machine=_virtualisation("--vm"),
        container=_virtualisation("--container"),
        tuning_profile=read(Path("/etc/tuned/active_profile")),
        clock_source=read(_CLOCKS / "current_clocksource"),
        clock_synchronised=_clock_synchronised(),
        time_zone=_time_zone(),
        boot_id=read(BOOT_ID),
        uptime_s=round(time.time() - psutil.boot_time()),
    )


def _kernel_parameters() -> str | None:
    """Return those that are known to matter, as they stand."""
    given = (read(_COMMAND_LINE) or "").split()
    return " ".join(word for word in given if word.partition("=")[0] in KERNEL_PARAMETERS) or None


def _distribution() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _virtualisation(kind: str) -> str | None:
    """Ask systemd, whose list of hypervisors and containers is the longest; ``none`` is an answer.

    Without it, a processor still tells whether there is a hypervisor below.
    """
    told = answer("systemd-detect-virt", kind)
    if told is None and kind == "--vm" and has_hypervisor():
        return "unknown hypervisor"
    return told


def _clock_synchronised() -> bool | None:
    """Ask the kernel, whom NTP's programs tell; it says so whichever of them runs."""
    adjtimex = getattr(ctypes.CDLL(None), "adjtimex", None)
    if adjtimex is None:
        return None
    state = adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    return None if state < 0 else state != _TIME_ERROR


def _time_zone() -> str:
    """Return the name of the zone and its distance from UTC: ``Asia/Shanghai, CST +0800``."""
    place = TIME_ZONE.value() or read(Path("/etc/timezone"))
    now = time.strftime("%Z %z")
    return f"{place}, {now}" if place else now
