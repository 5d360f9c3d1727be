"""What a report over a large result costs: its CPU time, its memory, and the size of its page.

Time on a clock would be that of the machine: Polars decodes tables on all of its CPUs.
"""

from __future__ import annotations

from pathlib import Path

from bench.command import cost_of
from bench.figures import Figure, Spread, Target, at_most
from bench.size import Size
from bench.synthetic import write_large_result
from bench.turns import Tell
from dbdyno.store.layout import REPORT_FILE

CPU_TARGET_S = at_most(20.0)
MEMORY_TARGET_MB = at_most(1000.0)
PAGE_TARGET_MB = at_most(5.0)

SECTION = "a large report"


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
    cost = cost_of("report", str(directory))
    page_mb = (directory / REPORT_FILE).stat().st_size / 1e6
    name = f"dbdyno report, {cells} cells x {rounds} rounds x {intervals} intervals"
    tell(f"{name}: {cost.cpu_s:.1f} s of CPU, {cost.memory_mb:.0f} MB, a page of {page_mb:.1f} MB")
    return [
        _figure(f"{name}, CPU", "s", cost.cpu_s, CPU_TARGET_S),
        _figure(f"{name}, memory", "MB", cost.memory_mb, MEMORY_TARGET_MB),
        _figure(f"{name}, page", "MB", page_mb, PAGE_TARGET_MB),
    ]


def _figure(name: str, unit: str, value: float, target: Target) -> Figure:
    return Figure(SECTION, name, unit, Spread.of([value]), target)
