"""Checks of the machine: what took time or memory that the experiment counts as its own.

They see the host that dbdyno ran on, which is the server's only where both share it.
"""

from __future__ import annotations

from dbdyno.analysis.evidence import Clauses, Evidence, said
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding
from dbdyno.analysis.resources import total
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.warn import warn
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.facts.host import HostFacts
from dbdyno.resources import CPU_TIMES, SWAPPED

SWAPPED_MAX_BYTES = 2**20
STOLEN_SHARE_MAX = 0.01
NEIGHBOURS_MAX_CORES = 0.1


def swapping(measured: WindowTotals) -> Evidence | None:
    """Add up what was swapped in and out during a trial."""
    resources = measured.resources
    if resources is None:
        return None
    swapped_bytes = total(resources, *SWAPPED)
    if swapped_bytes <= SWAPPED_MAX_BYTES:
        return None
    return Evidence(EvidenceKind.SWAPPED, swapped_bytes=swapped_bytes)


def cpu_stolen(measured: WindowTotals) -> Evidence | None:
    """Compare the CPU time that the hypervisor gave to others with all of it."""
    resources = measured.resources
    if resources is None:
        return None
    all_s, stolen_s = total(resources, *CPU_TIMES), total(resources, "cpu.steal_s")
    if stolen_s <= STOLEN_SHARE_MAX * all_s:
        return None
    return Evidence(EvidenceKind.STOLEN, stolen_share=stolen_s / all_s)


def watch_incomplete(measured: WindowTotals) -> Clauses:
    """Say what could not be watched."""
    return said(*measured.trial.watch_failures)


def neighbours(host: HostFacts) -> Finding | None:
    """Find other programs that were busy on the machine when the experiment began."""
    cores = host.other_processes_cpu_cores or 0.0
    if cores <= NEIGHBOURS_MAX_CORES:
        return None
    evidence = Evidence(
        EvidenceKind.OTHERS_BUSY, busy_cores=cores, busiest=host.other_processes_busiest
    )
    return warn(Code.NEIGHBOURS, evidence)


def frequency_scaling(host: HostFacts) -> Finding | None:
    """Find a governor that lets the clock follow the load."""
    governor = host.cpu_governor
    if governor in {None, "performance"}:
        return None
    return warn(Code.FREQUENCY_SCALING, Evidence(EvidenceKind.GOVERNOR, governor=governor))
