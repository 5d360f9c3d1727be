"""What a reader must know of the means: over which rounds they are, and which are zero and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.report import figures
from dbdyno.report.grammar import cell_label
from dbdyno.report.language import say, say_count, sentences
from dbdyno.report.words.throughput import counted_one


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
    if apart:
        yield say(
            "Means and effects are of rounds {rounds}, in which all cells but those named here "
            "have a valid trial.",
            rounds=figures.ranges(shared),
        )
    else:
        yield say(
            "Means and effects are of rounds {rounds}, in which all cells have a valid trial.",
            rounds=figures.ranges(shared),
        )
    for cell in apart:
        yield say(
            "{cell}: the mean is of its own rounds {rounds}, and its ratio to the others is not "
            "the effect.",
            cell=cell_label(cell.cell),
            rounds=figures.ranges(cell.rounds),
        )


def _idle(findings: Findings) -> Iterator[str]:
    """Tell why a mean is zero, and what the other rounds came to."""
    for cell in findings.cells:
        if not cell.idle_rounds:
            continue
        idle = say_count(
            "{cell}: not a single {transaction} in round {rounds}, so the geometric mean is zero "
            "and has no interval.",
            "{cell}: not a single {transaction} in rounds {rounds}, so the geometric mean is zero "
            "and has no interval.",
            len(cell.idle_rounds),
            cell=cell_label(cell.cell),
            transaction=counted_one(findings.measure),
            rounds=figures.ranges(cell.idle_rounds),
        )
        yield sentences([idle, _others(cell, findings)])


def _others(cell: CellSummary, findings: Findings) -> str:
    done = [findings.measure.of(rate) for _, rate in cell.throughput_by_round if rate > 0]
    if not done:
        return ""
    low, high = figures.rate(min(done)), figures.rate(max(done))
    if low == high:
        return say("The other rounds: {rate}.", rate=low)
    return say("The other rounds: {low} to {high}.", low=low, high=high)
