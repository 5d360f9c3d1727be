"""What a reader must know of the means: over which rounds they are, and which are zero and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.report import figures


def notes(findings: Findings) -> list[str]:
    """Return a sentence for each thing that is not as usual; usually none."""
    return [*_left_out(findings), *_idle(findings)]


def _left_out(findings: Findings) -> Iterator[str]:
    """Tell which rounds the means are over, where that is not every valid trial's."""
    cells = [cell for cell in findings.cells if cell.rounds]
    if not any(len(cell.rounds) < len(cell.throughput_by_round) for cell in cells):
        return
    shared, _ = Counter(cell.rounds for cell in cells).most_common(1)[0]
    apart = [cell for cell in cells if cell.rounds != shared]
    yield (
        f"Means and effects are of rounds {figures.ranges(shared)}, in which all cells "
        f"{'but those named here ' if apart else ''}have a valid trial."
    )
    for cell in apart:
        yield (
            f"{cell.cell.label()}: the mean is of its own rounds {figures.ranges(cell.rounds)}, "
            "and its ratio to the others is not the effect."
        )


def _idle(findings: Findings) -> Iterator[str]:
    """Tell why a mean is zero, and what the other rounds came to."""
    for cell in findings.cells:
        if not cell.idle_rounds:
            continue
        noun = "round" if len(cell.idle_rounds) == 1 else "rounds"
        yield (
            f"{cell.cell.label()}: not a single {findings.measure.counted} in {noun} "
            f"{figures.ranges(cell.idle_rounds)}, so that the geometric mean is zero and has no "
            f"interval{_others(cell, findings)}."
        )


def _others(cell: CellSummary, findings: Findings) -> str:
    done = [findings.measure.of(rate) for _, rate in cell.throughput_by_round if rate > 0]
    if not done:
        return ""
    low, high = figures.rate(min(done)), figures.rate(max(done))
    return f"; the other rounds: {low}" + (f" to {high}" if low != high else "")
