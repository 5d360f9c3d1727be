"""Which factor goes where: decided once, so that every chart and table of a report agrees.

One numeric factor runs along the x axis, one other factor is told apart by colour and marker, and
any further factor gives a panel to each of its levels. So does a factor that sets the transactions
themselves, of which one kind may take a hundred times as long as another: its panels have
throughput axes of their own. Where several factors were varied one at a time, each has tables and
charts of throughput in which it is the coloured one. A level keeps its colour and its marker in
every chart. Colours are names of CSS variables; the style sheet says what they are in light, dark
and print.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analysis.findings import CellSummary
from dbdyno.analysis.tpcc.requirements import DELIVERY_DEFERRED, TITLES
from dbdyno.experiment.plan import Cell, FactorLevels, level_in_words
from dbdyno.report.language import listed, message, say
from dbdyno.report.levels import numeric_levels
from dbdyno.store.layout import ALL_TRANSACTIONS

MOST_EMPTY = 0.5
"""Where a larger share of the combinations was not run, factors were varied one at a time."""

CASE, VARIANT = "(case)", "(variant)"
"""The factors that stand for many, where these were varied one at a time. Their levels say all."""

SERIES_COLOURS = 8
"""How many ``--series-N`` colours the style sheet defines."""

SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    "triangle-right",
    "triangle-left",
)


@dataclass(frozen=True)
class Mark:
    """How a level is drawn: a CSS colour and the name of a marker."""

    colour: str
    shape: str


def mark_of_index(index: int) -> Mark:
    """Return the mark of the n-th level; the first 64 marks are all different."""
    hue = index % SERIES_COLOURS
    shape = (index + index // SERIES_COLOURS) % len(SHAPES)
    return Mark(f"var(--series-{hue + 1})", SHAPES[shape])


@dataclass(frozen=True)
class Grammar:
    """The factors by their place in the charts; a factor with a single level has none."""

    across: FactorLevels | None
    colour: FactorLevels | None
    panels: tuple[FactorLevels, ...]
    merged: tuple[FactorLevels, ...] = ()
    """The factors whose levels together are those of ``colour``; none where it is one factor."""
    is_partial: bool = False
    """Whether it is of those cells alone between which the coloured factor was varied."""

    @property
    def work(self) -> tuple[FactorLevels, ...]:
        """The factors that set the transactions; what their levels carry out has no one axis."""
        return tuple(factor for factor in self.panels if factor.sets_transactions)

    @property
    def others(self) -> tuple[FactorLevels, ...]:
        """All factors but the numeric one."""
        return (*self.coloured, *self.panels)

    @property
    def coloured(self) -> tuple[FactorLevels, ...]:
        """The factors whose levels, together, have a colour; none where one colour is enough."""
        return self.merged or ((self.colour,) if self.colour else ())

    @property
    def systems(self) -> tuple[FactorLevels, ...]:
        """The factors whose levels together are a row of a table, where others have tables.

        Where nothing but scripts is varied beside the numeric factor, they have no colours, and yet
        rows. Of many factors all those are rows that are no numbers, and no transactions.
        """
        if case := tuple(each for each in self.panels if each.name == CASE):
            return (*case, *self.coloured)
        if self.merged or len(self.others) <= 2:
            return self.merged or self.others[:1]
        return tuple(
            factor
            for factor in self.others
            if not factor.sets_transactions and numeric_levels(factor) is None
        )

    @property
    def all_but_colour(self) -> tuple[FactorLevels, ...]:
        """The factors of which each combination of levels has a panel where colours share one."""
        return (*self.panels, *([self.across] if self.across else []))

    @property
    def compared(self) -> tuple[FactorLevels, ...]:
        """The factors whose levels are compared by eye, so that their panels share an axis."""
        return (*(each for each in self.panels if each.name == CASE), *self.coloured)

    @property
    def beside_compared(self) -> tuple[FactorLevels, ...]:
        """The others; each combination of their levels has an axis of throughput of its own."""
        return tuple(each for each in self.all_but_colour if each not in self.compared)

    def mark(self, cell: Cell) -> Mark:
        """Return how a cell is drawn."""
        if self.colour is None:
            return mark_of_index(0)
        return mark_of_index(self.colour.levels.index(self.level(cell)))

    def level(self, cell: Cell) -> str:
        """Return which of the coloured levels a cell has; "" where there are none."""
        return together(cell, self.coloured)

    def legend(self) -> tuple[tuple[str, Mark], ...]:
        """Return each level of the colour factor with its mark."""
        levels = self.colour.levels if self.colour else ()
        return tuple((level, mark_of_index(index)) for index, level in enumerate(levels))

    def across_value(self, cell: Cell) -> float:
        """Return where a cell stands on the x axis; only where there is a numeric factor."""
        values = numeric_levels(self.across) if self.across else None
        if self.across is None or values is None:
            raise ValueError(f"no numeric factor in cell {cell.label()}")
        return values[cell.level(self.across.name)]


def varied(factors: tuple[FactorLevels, ...]) -> tuple[FactorLevels, ...]:
    """Return the factors that have several levels."""
    return tuple(factor for factor in factors if len(factor.levels) > 1)


def choose(factors: tuple[FactorLevels, ...]) -> Grammar:
    """Give each factor its place; the number of clients goes before other numeric factors."""
    numeric = [factor for factor in varied(factors) if numeric_levels(factor) is not None]
    numeric.sort(key=lambda factor: factor.sets != "load.clients")
    across = numeric[0] if numeric else None
    others = [factor for factor in varied(factors) if factor is not across]
    colour = next((each for each in others if not _has_panels(each)), None)
    return Grammar(across, colour, tuple(factor for factor in others if factor is not colour))


def _has_panels(factor: FactorLevels) -> bool:
    """Tell whether each level has panels of its own, whatever else is varied."""
    return factor.sets_transactions or factor.name == CASE


def name_in_words(factor: FactorLevels) -> str:
    """Return a factor's name as it heads a column or a legend."""
    return say(_NAMES[factor.name]) if factor.name in _NAMES else factor.name


def views(factors: tuple[FactorLevels, ...], cells: Sequence[CellSummary]) -> list[Grammar]:
    """Return one grammar, or one for each factor where they were varied one at a time.

    They were where most combinations were not run, or where some table would have one row.
    """
    whole = choose(factors)
    if whole.across is None or len(whole.others) <= 2:
        return [whole]
    further = tuple(factor for factor in whole.others if factor not in whole.systems)
    run = [
        {levels_in_words(each.cell, whole.systems) for each in members}
        for _, members in grouped_cells(cells, further)
    ]
    possible = len(run) * len(set().union(*run))
    is_full = min(map(len, run), default=0) > 1 and sum(map(len, run)) >= (
        (1 - MOST_EMPTY) * possible
    )
    # Short names stand for factors that were varied one at a time: they are rows together.
    if is_full or any(factor.name == VARIANT for factor in whole.others):
        ordered = grouped_cells(cells, whole.systems)
        levels = tuple(together(members[0].cell, whole.systems) for _, members in ordered)
        names = listed(factor.name for factor in whole.systems)
        systems = FactorLevels(names, levels, sets="")
        return [Grammar(whole.across, systems, further, merged=whole.systems)]
    return [
        Grammar(
            whole.across,
            each,
            tuple(other for other in whole.others if other is not each),
            is_partial=True,
        )
        for each in whole.others
    ]


def together(cell: Cell, factors: tuple[FactorLevels, ...]) -> str:
    """Return a cell's levels of some factors without their names: ``greatsql, pool``."""
    return listed(cell.level(factor.name) for factor in factors)


def places(grammar: Grammar, cells: Sequence[CellSummary]) -> list[tuple[str, list[CellSummary]]]:
    """Return the cells of each panel; of a partial view of those that have several levels."""
    panels = grouped_cells(cells, grammar.panels)
    factor = grammar.colour
    if factor is None or not grammar.is_partial:
        return panels
    return [
        (heading, members)
        for heading, members in panels
        if len({each.cell.level(factor.name) for each in members}) > 1
    ]


def levels_in_words(cell: Cell, factors: tuple[FactorLevels, ...]) -> str:
    """Return a cell's levels of some factors: ``clients=4, engine=innodb``; "" for none."""
    names = {factor.name for factor in factors}
    return ", ".join(level_in_words(name, level) for name, level in cell.levels if name in names)


def cell_label(cell: Cell) -> str:
    """Return a cell's levels: ``clients=4, engine=innodb``; words where nothing is varied."""
    return cell.label() if cell.levels else say("(one cell)")


_NAMES = {CASE: message("case"), VARIANT: message("variant")}

_TRANSACTIONS = {
    ALL_TRANSACTIONS: message("all transactions"),
    DELIVERY_DEFERRED: message("Delivery, deferred part"),
}
"""The kinds whose names are no proper names."""


def transaction_in_words(transaction: str) -> str:
    """Return the name of a kind of transaction, or the words for all kinds together.

    TPC-C's kinds have the names of its specification.
    """
    if transaction in _TRANSACTIONS:
        return say(_TRANSACTIONS[transaction])
    return TITLES.get(transaction, transaction)


def grouped_cells(
    cells: Sequence[CellSummary], factors: tuple[FactorLevels, ...]
) -> list[tuple[str, list[CellSummary]]]:
    """Put cells with the same levels of ``factors`` together, in the order of those levels."""

    def position(summary: CellSummary) -> tuple[int, ...]:
        return tuple(f.levels.index(summary.cell.level(f.name)) for f in factors)

    ordered = sorted(cells, key=position)
    return [
        (levels_in_words(members[0].cell, factors), members)
        for _, group in itertools.groupby(ordered, key=position)
        for members in [list(group)]
    ]
