"""What a report over a large result costs: its CPU time, its memory, and the size of its page.

Time on a clock would be that of the machine: Polars decodes tables on all of its CPUs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from bench.figures import Figure, Spread, Target, at_most
from bench.size import Size
from bench.synthetic import write_large_result
from bench.turns import Tell
from dbdyno.errors import RunError
from dbdyno.store.layout import REPORT_FILE

LIMIT_S = 600.0
CPU_TARGET_S = at_most(20.0)
MEMORY_TARGET_MB = at_most(1000.0)
PAGE_TARGET_MB = at_most(5.0)

SECTION = "a large report"


@dataclass(frozen=True)
class ReportCost:
    """What ``dbdyno report`` took."""

    cpu_s: float
    memory_mb: float
    """At its largest."""
    page_mb: float


def large_reports(directory: Path, size: Size, tell: Tell) -> list[Figure]:
    """Measure reports of few cells with many rounds, and of many cells."""
    return [
        figure
        for shape in size.large_reports
        for figure in _large_report(directory / "x".join(map(str, shape)), shape, tell)
    ]


def _large_report(directory: Path, shape: tuple[int, int, int], tell: Tell) -> list[Figure]:
    """Write a result that was never measured, and measure its report."""
    cells, rounds, intervals = shape
    write_large_result(directory, cells=cells, rounds=rounds, intervals=intervals)
    cost = _cost(directory)
    name = f"dbdyno report, {cells} cells x {rounds} rounds x {intervals} intervals"
    tell(
        f"{name}: {cost.cpu_s:.1f} s of CPU, {cost.memory_mb:.0f} MB, a page of "
        f"{cost.page_mb:.1f} MB"
    )
    return [
        _figure(f"{name}, CPU", "s", cost.cpu_s, CPU_TARGET_S),
        _figure(f"{name}, memory", "MB", cost.memory_mb, MEMORY_TARGET_MB),
        _figure(f"{name}, page", "MB", cost.page_mb, PAGE_TARGET_MB),
    ]


def _figure(name: str, unit: str, value: float, target: Target) -> Figure:
    return Figure(SECTION, name, unit, Spread.of([value]), target)


def _cost(directory: Path) -> ReportCost:
    command = [sys.executable, "-m", "dbdyno", "report", str(directory)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    limit = Timer(LIMIT_S, process.kill)
    limit.start()
    # Of this one process; getrusage() has all children together.
    _, status, usage = os.wait4(process.pid, 0)
    limit.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RunError(f"dbdyno report ended with status {process.returncode}")
    return ReportCost(
        cpu_s=usage.ru_utime + usage.ru_stime,
        memory_mb=usage.ru_maxrss * 1024 / 1e6,
        page_mb=(directory / REPORT_FILE).stat().st_size / 1e6,
    )
