"""Section: what TPC-C requires and what was observed, where the workload is TPC-C."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.tpcc.model import Conformance, Requirement, Standing
from dbdyno.report import conformance, figures
from dbdyno.report.conformance import CellsAbreast, Row
from dbdyno.report.document import cells
from dbdyno.report.document.model import (
    Block,
    Body,
    Cell,
    Column,
    Details,
    Paragraph,
    Role,
    Section,
    Table,
    TableKind,
    Tone,
)
from dbdyno.report.language import say, sentences
from dbdyno.report.words.requirements import group_name, requirement_name, standing_in_words
from dbdyno.report.words.throughput import measure_heading
from dbdyno.report.words.tpcc import observed

_Known = Sequence[tuple[CellSummary, Conformance]]
_OPEN_CELLS = 4
"""The requirements of more cells are folded away."""


def section(findings: Findings) -> Section | None:
    """Return the section; None where the workload is not TPC-C."""
    known = conformance.measured(findings)
    if not known:
        return None
    tables: list[Block] = [
        _requirements(findings, table, place)
        for place, table in enumerate(conformance.tables(findings), start=1)
    ]
    if len(known) > _OPEN_CELLS:
        folded = say("Each requirement for each of {count} cells", count=len(known))
        tables = [Details(folded, tables)]
    blocks = [
        Paragraph(conformance.what_it_is(findings)),
        _throughput(findings, known),
        *tables,
        Paragraph(_meaning(), Role.MUTED),
    ]
    title = say("TPC-C conformance")
    return Section("conformance", title, blocks, name=title)


def _meaning() -> str:
    return say(
        "Too few to tell: the standard error of the share is more than half the width of what is "
        "allowed. Outside, maybe by chance: by less than three standard errors."
    )


def _throughput(findings: Findings, known: _Known) -> Table:
    interval = say("95 % interval")
    is_paced = any(found.is_paced for _, found in known)
    headings = [
        measure_heading(findings.measure) if findings.measure.kind else "NOPM",
        interval,
        say("without those rolled back"),
        interval,
        *([say("tpmC per warehouse"), say("of 12.86")] if is_paced else []),
        say("requirements met"),
        say("outside"),
        say("too few to tell"),
    ]
    is_mixed = is_paced and not all(found.is_paced for _, found in known)
    rows = [
        [
            *cells.level_headers(summary.cell, findings.factors),
            *_per_minute(found, is_named=is_mixed),
            *(_paced(found) if is_paced else []),
            *_standings(found),
        ]
        for summary, found in known
    ]
    return Table(
        label=say("New-Orders per minute"),
        caption=say("New-Orders per minute, mean over rounds and its 95 % interval"),
        columns=[*cells.level_columns(findings.factors), *map(cells.number, headings)],
        bodies=[Body(rows)],
        id="nopm",
    )


def _per_minute(found: Conformance, *, is_named: bool) -> list[Cell]:
    """Return throughput with and without rollbacks; it is named where cells have two names."""
    every, committed = found.new_orders_per_minute, found.committed_per_minute
    mean = cells.rate(every.mean)
    if is_named:
        mean = cells.words(mean.value, f"{mean.text} {found.name}")
    return [
        mean,
        cells.interval(every.mean, every.low, every.high),
        cells.rate(committed.mean),
        cells.interval(committed.mean, committed.low, committed.high),
    ]


def _paced(found: Conformance) -> list[Cell]:
    if not found.is_paced:
        return [cells.NONE, cells.NONE]
    return [cells.rate(found.per_warehouse), cells.share(conformance.of_highest(found))]


def _standings(found: Conformance) -> list[Cell]:
    """Return how many requirements are met, how many are not, and how many nobody can judge."""
    inside = len(found.of_standing(Standing.INSIDE))
    judged = conformance.judged(found)
    return [
        Cell(say("{inside} of {judged}", inside=inside, judged=judged)),
        cells.count(len(found.of_standing(Standing.OUTSIDE, Standing.BY_CHANCE))),
        cells.count(len(found.of_standing(Standing.TOO_FEW))),
    ]


def _requirements(findings: Findings, table: CellsAbreast, place: int) -> Table:
    caption = say("Requirements of TPC-C, and what was observed over all valid trials of a cell.")
    seen = say("observed")
    headings = [each.cell.label() if findings.factors else seen for each in table.cells]
    return Table(
        label=say("Requirements of TPC-C"),
        caption=sentences([caption, say(conformance.LIFE)]),
        columns=[
            Column(say("requirement")),
            Column(say("clause")),
            *map(cells.number, [say("allowed"), *headings]),
        ],
        bodies=[Body(list(map(_row, rows)), group_name(group)) for group, rows in table.groups],
        id="requirements" if place == 1 else f"requirements-{place}",
        kind=TableKind.REQUIREMENTS,
    )


def _row(row: Row) -> list[Cell]:
    return [
        cells.header(requirement_name(row.name)),
        Cell(row.clause),
        Cell(row.allowed),
        *map(_observed, row.found),
    ]


def _observed(requirement: Requirement | None) -> Cell:
    if requirement is None:
        return cells.NONE
    is_outside = requirement.standing is Standing.OUTSIDE
    return Cell(
        observed(requirement) or figures.ABSENT,
        value=requirement.observed,
        below=standing_in_words(requirement),
        tone=Tone.OUTSIDE if is_outside else Tone.NONE,
    )
