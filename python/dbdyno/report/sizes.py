"""The tables' sizes, shown: a table in the page, and one in the terminal where cells differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from dbdyno.analysis.compare.model import Comparison
from dbdyno.analysis.findings import CellSummary, Findings, SizeSummary
from dbdyno.analysis.units import bytes_in_words
from dbdyno.experiment.plan import Cell, Contrast
from dbdyno.report import figures
from dbdyno.report.language import clauses, message, say, say_count
from dbdyno.report.terminal_table import terminal_table
from dbdyno.report.words.sizes import gap_in_words

ALIKE = 0.01
"""Sizes that differ by no more than this share of the larger one are told in the page only."""

DEFINITION = message(
    "On disk: the tables with their indexes when a trial began, without a server's logs. "
    "Logically: the bytes of all values in all rows, written as text, without indexes. The ratio "
    "is the logical size divided by the size on disk; beside it stands one divided by it."
)


def in_bytes(value: float | None) -> str:
    """Write a size in units that are easy to read."""
    return figures.ABSENT if value is None else bytes_in_words(value)


def grown(value: float | None) -> str:
    """Write what something grew by, with its sign."""
    if value is None:
        return figures.ABSENT
    return f"+{bytes_in_words(value)}" if value > 0 else bytes_in_words(value)


def logical(size: SizeSummary) -> str:
    """Write a logical size; one that is an estimate says so."""
    return ("≈ " if size.is_estimate else "") + in_bytes(size.logical_bytes)


def ratio(size: SizeSummary) -> str:
    """Write how many logical bytes a byte on disk holds."""
    return figures.ABSENT if size.ratio is None else f"{size.ratio:.2f}"


def size_remarks(findings: Findings) -> list[str]:
    """Return why figures are missing and what they leave out, with the cells of each."""
    told: dict[str, list[str]] = {}
    for cell, size in _sized(findings):
        for remark in _remarks(size):
            told.setdefault(remark, []).append(cell.cell.label())
    everywhere = len(list(_sized(findings)))
    return [
        remark
        if len(labels) == everywhere
        else say("{remark} ({cells})", remark=remark, cells=clauses(labels))
        for remark, labels in told.items()
    ]


def _remarks(size: SizeSummary) -> Iterator[str]:
    for gap in size.gaps:
        yield say("Not known – {gap}.", gap=gap_in_words(gap))
    if size.nodes > 1:
        yield say_count(
            "The size on disk is that of all tables in the database of {count} node, and a row "
            "counts as often as nodes have it: there is no ratio.",
            "The size on disk is that of all tables in the databases of {count} nodes, and a row "
            "counts as often as nodes have it: there is no ratio.",
            size.nodes,
        )
    for note in size.notes:
        yield say("{note}.", note=note[:1].upper() + note[1:])


def size_sources(findings: Findings) -> list[str]:
    """Return what servers were asked for the sizes on disk."""
    return list(dict.fromkeys(name for _, size in _sized(findings) for name in size.sources))


def terminal_sizes(findings: Findings) -> Table | None:
    """Return the sizes by cell, where cells differ in them."""
    sized = list(_sized(findings))
    if not _differ([size for _, size in sized]):
        return None
    table = terminal_table(say("cell"))
    for heading in (
        say("size on\ndisk"),
        say("logical\nsize"),
        say("ratio"),
        say("growth\nper trial"),
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for cell, size in sized:
        cells = (in_bytes(size.disk_bytes), logical(size), ratio(size), grown(size.growth_bytes))
        table.add_row(Text(cell.cell.label()), *map(Text, cells))
    return table


def sizes_compared(comparisons: Sequence[Comparison], findings: Findings) -> str:
    """Return how large the tables of each level are against the baseline's; "" where alike.

    Where that depends on other factors, it is the table of sizes that says it.
    """
    found: dict[Contrast, list[tuple[float, float]]] = {}
    for each in comparisons:
        own, other = (_disk_bytes(findings, cell) for cell in (each.cell, each.baseline))
        if own and other:
            found.setdefault(each.contrast, []).append((own, other))
    said = [
        say(
            "{factor}={level} {size}, {baseline} {other} ({effect})",
            factor=comparisons[0].factor,
            level=level,
            size=bytes_in_words(own),
            baseline=baseline,
            other=bytes_in_words(other),
            effect=figures.effect(100 * (own / other - 1))[0],
        )
        for (level, baseline), pairs in found.items()
        for own, other in pairs[:1]
        if abs(own / other - 1) > ALIKE and _are_alike([one / two for one, two in pairs])
    ]
    return say("{sentence}.", sentence=clauses(said)) if said else ""


def _disk_bytes(findings: Findings, cell: Cell) -> float | None:
    known = findings.by_cell.get(cell)
    return None if known is None or known.size is None else known.size.disk_bytes


def _are_alike(ratios: Sequence[float]) -> bool:
    return max(ratios) - min(ratios) <= ALIKE * max(ratios)


def _sized(findings: Findings) -> Iterator[tuple[CellSummary, SizeSummary]]:
    return ((cell, cell.size) for cell in findings.cells if cell.size is not None)


def _differ(sizes: list[SizeSummary]) -> bool:
    for figure in ("disk_bytes", "logical_bytes"):
        values = [getattr(size, figure) for size in sizes]
        known = [value for value in values if value is not None]
        if known and (len(known) < len(values) or min(known) < (1 - ALIKE) * max(known)):
            return True
    return False
