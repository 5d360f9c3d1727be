"""Checks of the machine: what took time or memory that the experiment counts as its own.

They see the host that dbdyno ran on, which is the server's only where both share it.
"""

from __future__ import annotations

from dbdyno.analysis.findings import Finding
from dbdyno.analysis.resources import total
from dbdyno.analysis.validity.catalogue import warn
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.facts.host import HostFacts
from dbdyno.resources import CPU_TIMES, SWAPPED

SWAPPED_MAX_BYTES = 2**20
STOLEN_SHARE_MAX = 0.01
NEIGHBOURS_MAX_CORES = 0.1


def swapping(measured: WindowTotals) -> str | None:
    """Add up what was swapped in and out during a trial."""
    resources = measured.resources
    if resources is None:
        return None
    swapped_bytes = total(resources, *SWAPPED)
    if swapped_bytes <= SWAPPED_MAX_BYTES:
        return None
    return f"{swapped_bytes / 2**20:.0f} MiB were swapped in or out"


def cpu_stolen(measured: WindowTotals) -> str | None:
    """Compare the CPU time that the hypervisor gave to others with all of it."""
    resources = measured.resources
    if resources is None:
        return None
    all_s, stolen_s = total(resources, *CPU_TIMES), total(resources, "cpu.steal_s")
    if stolen_s <= STOLEN_SHARE_MAX * all_s:
        return None
    return f"{stolen_s / all_s:.1%} of the CPU time went to other machines"


def watch_incomplete(measured: WindowTotals) -> str | None:
    """Say what could not be watched."""
    return "; ".join(measured.trial.watch_failures) or None


def neighbours(host: HostFacts) -> Finding | None:
    """Find other programs that were busy on the machine when the experiment began."""
    cores = host.other_processes_cpu_cores or 0.0
    if cores <= NEIGHBOURS_MAX_CORES:
        return None
    return warn(Code.NEIGHBOURS, f"{cores:.2f} cores: {host.other_processes_busiest}")


def frequency_scaling(host: HostFacts) -> Finding | None:
    """Find a governor that lets the clock follow the load."""
    governor = host.cpu_governor
    if governor in {None, "performance"}:
        return None
    return warn(Code.FREQUENCY_SCALING, f"governor {governor}")
