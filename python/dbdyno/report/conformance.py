"""Conformance to TPC-C, shown: the requirements of cells side by side, some lines in the terminal.

The words that any figure of TPC-C needs beside it are here, too: what it is called, and that it is
no result of the TPC.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.tpcc.model import Conformance, Group, Requirement, Standing
from dbdyno.analysis.tpcc.requirements import HIGHEST_PER_WAREHOUSE
from dbdyno.report import figures
from dbdyno.report.language import (
    clauses,
    either,
    labelled,
    listed,
    message,
    say,
    say_count,
    sentences,
)
from dbdyno.report.words.requirements import standing_name
from dbdyno.report.words.tpcc import DISCLAIMER, PACED, UNPACED, allowed, in_words, title

CELLS_ABREAST = 4
"""So many cells have room beside each other in a table; more are folded away."""
LINES_SHOWN = 4

LIFE = message(
    "Input and skipped districts are counted over whole trials, warm-up and drain included; "
    "everything else in the window."
)


@dataclass(frozen=True)
class Row:
    """A requirement, and what each of some cells has of it; None where it has no such thing."""

    name: str
    clause: str
    allowed: str
    found: tuple[Requirement | None, ...]


@dataclass(frozen=True)
class CellsAbreast:
    """The requirements of some cells, by group."""

    cells: tuple[CellSummary, ...]
    groups: tuple[tuple[Group, tuple[Row, ...]], ...]


def measured(findings: Findings) -> list[tuple[CellSummary, Conformance]]:
    """Return the cells of which a conformance is known."""
    return [(cell, cell.conformance) for cell in findings.cells if cell.conformance is not None]


def what_it_is(findings: Findings) -> str:
    """Say what the throughput is called, what it counts, and what it is not."""
    names = either(say(PACED if found.is_paced else UNPACED) for _, found in measured(findings))
    meaning = say(
        "{names}: New-Orders per minute of the window, those rolled back on purpose included.",
        names=names,
    )
    return sentences([meaning, say(DISCLAIMER)])


def tables(findings: Findings) -> list[CellsAbreast]:
    """Return the requirements of all cells, so many cells a table as have room."""
    known = measured(findings)
    return [
        _abreast(known[first : first + CELLS_ABREAST])
        for first in range(0, len(known), CELLS_ABREAST)
    ]


def _abreast(known: Sequence[tuple[CellSummary, Conformance]]) -> CellsAbreast:
    of_cells = [
        {(each.group, each.name): each for each in conformance.requirements}
        for _, conformance in known
    ]
    keys = dict.fromkeys(key for requirements in of_cells for key in requirements)
    groups = []
    for group in Group:
        rows = tuple(
            _row(name, [requirements.get((group, name)) for requirements in of_cells])
            for of_group, name in keys
            if of_group is group
        )
        if rows:
            groups.append((group, rows))
    return CellsAbreast(tuple(cell for cell, _ in known), tuple(groups))


def _row(name: str, found: Sequence[Requirement | None]) -> Row:
    known = [each for each in found if each is not None]
    limits = either(allowed(each) or figures.ABSENT for each in known)
    return Row(name, known[0].clause, limits, tuple(found))


def of_highest(conformance: Conformance) -> float:
    """Return throughput as a share of the most that paced terminals can ask for."""
    return conformance.per_warehouse / HIGHEST_PER_WAREHOUSE


def judged(conformance: Conformance) -> int:
    """Return how many requirements could be judged."""
    known = (Standing.INSIDE, Standing.BY_CHANCE, Standing.OUTSIDE)
    return len(conformance.of_standing(*known))


def lines(findings: Findings) -> Iterator[str]:
    """Yield what the terminal says of TPC-C, cells that are told in the same words together."""
    known = measured(findings)
    if not known:
        return
    yield what_it_is(findings)
    told: dict[str, list[str]] = {}
    for cell, conformance in known:
        told.setdefault(_in_brief(conformance), []).append(cell.cell.label())
    for text, labels in list(told.items())[:LINES_SHOWN]:
        if len(told) == 1:
            yield say("TPC-C conformance: {text}.", text=text)
        else:
            yield say("TPC-C conformance of {cells}: {text}.", cells=clauses(labels), text=text)
    if len(told) > LINES_SHOWN:
        yield say_count(
            "{count} more group of cells has other results: see the report.",
            "{count} more groups of cells have other results: see the report.",
            len(told) - LINES_SHOWN,
        )
    yield say(LIFE)


def _in_brief(conformance: Conformance) -> str:
    """Return how many requirements are met, and which are not."""
    met = say_count(
        "{inside} of {count} requirement that can be judged is met",
        "{inside} of {count} requirements that can be judged are met",
        judged(conformance),
        inside=len(conformance.of_standing(Standing.INSIDE)),
    )
    parts = [met]
    for standing in (Standing.OUTSIDE, Standing.BY_CHANCE, Standing.TOO_FEW):
        tell = title if standing is Standing.TOO_FEW else in_words
        if found := conformance.of_standing(standing):
            parts.append(labelled(standing_name(standing), listed(map(tell, found))))
    if conformance.is_paced:
        share = figures.share(of_highest(conformance))
        parts.append(say("{share} of 12.86 tpmC per warehouse", share=share))
    return clauses(parts)
