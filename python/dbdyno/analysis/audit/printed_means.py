"""Means that a report prints away from what they are of.

One table has means, and another one of the same file their rounds; a sentence beside a table has
the mean of a column of percentages. Nothing says that they belong together but the figures: what is
the mean of some rounds to the last digit, and of those of one cell alone, is their mean.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from dbdyno.analysis.audit.amounts import amounts_of
from dbdyno.analysis.audit.cells import Cell, cells_of
from dbdyno.analysis.audit.means import StatedMean
from dbdyno.analysis.audit.model import Joined
from dbdyno.analysis.audit.subsets import find_left_out
from dbdyno.results_table.model import (
    UNKNOWN,
    Claim,
    ClaimForm,
    Figure,
    Place,
    ResultsTable,
    Role,
    Summary,
)
from dbdyno.results_table.numbers import Number

FEWEST_ROUNDS = FEWEST_MEMBERS = 3


def with_printed_means(
    joined: Sequence[Joined], claims: Sequence[ResultsTable]
) -> tuple[Joined, ...]:
    """Return the tables with the means of their rounds and claims that are printed elsewhere.

    ``claims`` are tables of claims of which nothing else says what they are about.
    """
    summaries = _summarised_means(joined, claims)
    rounds = [_rounds_in(each) for each in joined]
    found: list[Joined] = []
    for place, (table, own) in enumerate(zip(joined, rounds, strict=True)):
        beside = [
            (other, cells)
            for other, cells in zip(joined, rounds, strict=True)
            if own and other is not table and other.data.path == table.data.path
        ]
        stated = (*table.stated, *_means_of(own, beside))
        own_claims = (*table.claims, *_said_means(table), *summaries.get(place, ()))
        found.append(replace(table, stated=stated, claims=own_claims))
    return tuple(found)


def _rounds_in(joined: Joined) -> list[Cell]:
    return [cell for cell in cells_of(joined.data) if len(cell.figures) >= FEWEST_ROUNDS]


def _means_of(
    own: Sequence[Cell], beside: Sequence[tuple[Joined, Sequence[Cell]]]
) -> Iterator[Figure]:
    """Yield the figures of tables without rounds that are a mean of these rounds, and of no others.

    ``beside`` are the other tables of the file, each with its cells that have rounds.
    """
    elsewhere = [cell for _, cells in beside for cell in cells]
    for figure in (each for other, cells in beside if not cells for each in other.data.figures):
        fits = [cell for cell in own if _is_of(figure, cell)]
        if len(fits) == 1 and not any(_is_of(figure, cell) for cell in elsewhere):
            yield replace(figure, levels=fits[0].levels, summary=Summary.MEAN)


def _is_of(figure: Figure, cell: Cell) -> bool:
    """Tell whether a figure is the mean of a cell's rounds, or of all but some of them."""
    if figure.subject != cell.subject or cell.metric not in (figure.metric.name, UNKNOWN.name):
        return False
    mean = StatedMean(figure, cell.subject, cell.figures)
    return mean.holds or find_left_out(cell.values, figure.value, mean.half_step) is not None


def _said_means(joined: Joined) -> Iterator[Claim]:
    """Yield the percentages of sentences that are the plain mean of a column of percentages."""
    for text in joined.data.texts:
        place = Place(joined.data.name, text.line, "")
        for amount in amounts_of(text.text):
            if len(amount.ends) == 1 and not amount.is_ratio:
                yield from _means_that_are(amount.ends[0], place, joined)


def _summarised_means(
    joined: Sequence[Joined], claims: Sequence[ResultsTable]
) -> dict[int, list[Claim]]:
    """Return by the table's place the percentages of summaries that are the mean of one column."""
    found: dict[int, list[Claim]] = defaultdict(list)
    for table in claims:
        beside = [(n, each) for n, each in enumerate(joined) if each.data.path == table.path]
        for claim in table.claims:
            fits = [
                (place, mean)
                for place, each in beside
                if claim.form is ClaimForm.CHANGE_PERCENT
                for mean in _means_that_are(claim.number, claim.place, each)
            ]
            if len(fits) == 1:
                place, mean = fits[0]
                found[place].append(mean)
    return found


def _means_that_are(number: Number, place: Place, joined: Joined) -> Iterator[Claim]:
    """Yield a number as the claim over all loads that it is of a column of percentages."""
    loads = joined.data.named(Role.LOAD)
    columns: dict[str, list[Claim]] = defaultdict(list)
    for claim in joined.claims:
        if not claim.over and not claim.is_of_column:
            columns[claim.column].append(claim)
    for members in columns.values() if loads else ():
        mean = fmean(each.number.value for each in members)
        is_mean = abs(number.value - mean) <= number.step / 2 + 1e-9
        if len(members) >= FEWEST_MEMBERS and is_mean:
            yield replace(members[0], number=number, place=place, levels=(), over=loads[0])
