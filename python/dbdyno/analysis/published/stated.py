"""What a source states of its figures, means and differences, beside what all of them give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dbdyno.analysis.audit.changes import of_all_rounds, resolve_claims
from dbdyno.analysis.audit.means import means_of
from dbdyno.analysis.audit.model import Joined
from dbdyno.analysis.audit.pairs import Resolved, is_of_pair
from dbdyno.analysis.audit.ratios import right_value
from dbdyno.results_table.model import Claim, ClaimForm, Levels

ALL_LEVELS = "all"
"""What stands for the levels of a column over which something is one figure."""


@dataclass(frozen=True)
class Stated:
    """A mean or a difference as the source writes it, and what all figures of its cells give.

    ``below`` is what a difference is held against; a mean has none. ``given`` is None where the
    figures do not tell, and in ``unit``, which is ``%`` or empty.
    """

    above: str
    below: str
    levels: Levels
    text: str
    is_mean: bool
    given: float | None
    unit: str
    follows: bool


def stated_of(joined: Joined) -> tuple[Stated, ...]:
    """Return the means that are stated of a table, then the differences between its subjects.

    Last come percentages and ratios that the figures have no pair for, or that are of several.
    """
    differences = [each for column in resolve_claims(joined) for each in column]
    resolved = {id(each.claim) for each in differences}
    return (
        *_means(joined),
        *(_difference(joined, each) for each in differences),
        *(_unknown(claim) for claim in joined.claims if id(claim) not in resolved),
    )


def _means(joined: Joined) -> Iterator[Stated]:
    for mean in means_of(joined):
        told = mean.stated
        yield Stated(
            mean.subject,
            below="",
            levels=told.levels,
            text=told.number.text,
            is_mean=True,
            given=mean.all_of_them,
            unit="",
            follows=mean.holds,
        )


def _difference(joined: Joined, resolved: Resolved) -> Stated:
    claim = resolved.claim
    pair = of_all_rounds(joined, resolved)
    ratio = pair.ratio() if pair else None
    if pair is None or ratio is None:
        return _unknown(claim)
    return replace(
        _unknown(claim),
        above=pair.above.subject,
        below=pair.below.subject,
        levels=pair.above.levels,
        given=right_value(claim, ratio, resolved.kind),
        follows=is_of_pair(claim, pair, resolved.kind),
    )


def _unknown(claim: Claim) -> Stated:
    """Return what is stated, without anything to hold it against."""
    over = ((claim.over, ALL_LEVELS),) if claim.over else ()
    return Stated(
        # Who is held against nobody is told with what is said of it.
        ", ".join(filter(None, (claim.above, "" if claim.below else claim.column))),
        below=claim.below,
        levels=(*claim.levels, *over),
        text=claim.number.text,
        is_mean=False,
        given=None,
        unit="" if claim.form is ClaimForm.RATIO else "%",
        follows=False,
    )
