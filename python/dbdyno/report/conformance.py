"""Conformance to TPC-C, shown: a table of the requirements in the page, some lines in the terminal.

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
from dbdyno.report.words.tpcc import (
    DISCLAIMER,
    PACED,
    UNPACED,
    allowed,
    in_words,
    observed,
    title,
)

CELLS_ABREAST = 4
"""So many cells have room beside each other in a table; more are folded away."""
LINES_SHOWN = 4

LIFE = (
    "Input and skipped districts are counted over whole trials, warm-up and drain included; "
    "all else in the window."
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


def measured(findings: Findings) -> list[CellSummary]:
    """Return the cells of which a conformance is known."""
    return [cell for cell in findings.cells if cell.conformance is not None]


def _conformances(findings: Findings) -> list[Conformance]:
    return [cell.conformance for cell in findings.cells if cell.conformance is not None]


def what_it_is(findings: Findings) -> str:
    """Say what the throughput is called, what it counts, and what it is not."""
    names = {each.is_paced: None for each in _conformances(findings)}
    called = " or ".join(PACED if is_paced else UNPACED for is_paced in names)
    return (
        f"{called}: New-Orders per minute of the window, those rolled back on purpose included. "
        f"{DISCLAIMER}"
    )


def tables(findings: Findings) -> list[CellsAbreast]:
    """Return the requirements of all cells, so many cells a table as have room."""
    cells = measured(findings)
    return [
        _abreast(cells[first : first + CELLS_ABREAST])
        for first in range(0, len(cells), CELLS_ABREAST)
    ]


def _abreast(cells: Sequence[CellSummary]) -> CellsAbreast:
    of_cells = [
        {(each.group, each.name): each for each in cell.conformance.requirements}
        for cell in cells
        if cell.conformance is not None
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
    return CellsAbreast(tuple(cells), tuple(groups))


def _row(name: str, found: Sequence[Requirement | None]) -> Row:
    known = [each for each in found if each is not None]
    limits = dict.fromkeys(allowed(each) or figures.ABSENT for each in known)
    return Row(name, known[0].clause, " or ".join(limits), tuple(found))


def standing(requirement: Requirement) -> str:
    """Return how a figure stands to its limits, or why that cannot be said."""
    return requirement.reason or requirement.standing.value


def of_highest(conformance: Conformance) -> float:
    """Return throughput as a share of the most that paced terminals can ask for."""
    return conformance.per_warehouse / HIGHEST_PER_WAREHOUSE


def judged(conformance: Conformance) -> int:
    """Return how many requirements could be judged."""
    known = (Standing.INSIDE, Standing.BY_CHANCE, Standing.OUTSIDE)
    return len(conformance.of_standing(*known))


def lines(findings: Findings) -> Iterator[str]:
    """Yield what the terminal says of TPC-C, cells that are told in the same words together."""
    cells = measured(findings)
    if not cells:
        return
    yield what_it_is(findings)
    told: dict[str, list[str]] = {}
    for cell in cells:
        if cell.conformance is not None:
            told.setdefault(_in_brief(cell.conformance), []).append(cell.cell.label())
    for text, labels in list(told.items())[:LINES_SHOWN]:
        place = "" if len(told) == 1 else f" of {'; '.join(labels)}"
        yield f"TPC-C conformance{place}: {text}"
    if len(told) > LINES_SHOWN:
        yield f"{len(told) - LINES_SHOWN} more that conform otherwise: see the report."
    yield LIFE


def _in_brief(conformance: Conformance) -> str:
    """Return how many requirements are met, and which are not."""
    inside = len(conformance.of_standing(Standing.INSIDE))
    parts = [f"{inside} of {judged(conformance)} requirements that can be judged are met"]
    parts += [
        f"{each.value}: {', '.join(in_words(one) for one in found)}"
        for each in (Standing.OUTSIDE, Standing.BY_CHANCE)
        if (found := conformance.of_standing(each))
    ]
    if few := conformance.of_standing(Standing.TOO_FEW):
        parts.append(f"{Standing.TOO_FEW.value}: {', '.join(title(one) for one in few)}")
    if conformance.is_paced:
        parts.append(f"{figures.share(of_highest(conformance))} of 12.86 tpmC per warehouse")
    return f"{'; '.join(parts)}."


FILTERS = (allowed, observed, standing, of_highest, judged)
"""What the template writes requirements with."""
