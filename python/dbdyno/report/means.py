"""What a reader must know of the means: over which rounds they are, and which are zero and why."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.report import figures
from dbdyno.report.grammar import cell_label
from dbdyno.report.language import say, say_count, sentences
from dbdyno.report.words.throughput import counted_one

MOST_NAMED = 3
"""Of more cells than these that lack rounds, one sentence tells."""


def notes(findings: Findings) -> list[str]:
    """Return a sentence for each thing that is not as usual; usually none."""
    return [*_apart(findings), *_idle(findings)]


def _apart(findings: Findings) -> Iterator[str]:
    """Tell of cells that lack rounds, whose means are not those beside verdicts."""
    if findings.is_of_two_results or findings.imported is not None:
        return
    cells = [cell for cell in findings.cells if cell.rounds]
    every = frozenset(number for cell in cells for number in cell.rounds)
    apart = [cell for cell in cells if frozenset(cell.rounds) != every]
    if len(apart) > MOST_NAMED:
        yield say(
            "{count} of {total} cells have no valid trial in some round. Each mean here is of the "
            "cell's own rounds. Effects, and the means beside verdicts, are of the rounds that "
            "both cells have.",
            count=figures.count(len(apart)),
            total=figures.count(len(cells)),
        )
        return
    for cell in apart:
        yield say(
            "{cell}: the mean here is of its own rounds {rounds}. Effects, and the means beside "
            "verdicts, are of the rounds that both cells have.",
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
