"""What a source states of its figures, means and differences, beside what all of them give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dbdyno.analysis.audit.changes import Resolved, is_of_pair, of_all_rounds, resolve_claims
from dbdyno.analysis.audit.means import means_of
from dbdyno.analysis.audit.model import Joined
from dbdyno.analysis.audit.ratios import right_value
from dbdyno.results_table.model import ClaimForm, Levels


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
    """Return the means that are stated of a table, then the differences between its subjects."""
    return (*_means(joined), *_differences(joined))


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


def _differences(joined: Joined) -> Iterator[Stated]:
    for column in resolve_claims(joined):
        for resolved in column:
            yield _difference(joined, resolved)


def _difference(joined: Joined, resolved: Resolved) -> Stated:
    claim = resolved.claim
    pair = of_all_rounds(joined, resolved)
    ratio = pair.ratio() if pair else None
    unknown = Stated(
        claim.above,
        below=claim.below,
        levels=claim.levels,
        text=claim.number.text,
        is_mean=False,
        given=None,
        unit="" if claim.form is ClaimForm.RATIO else "%",
        follows=False,
    )
    if pair is None or ratio is None:
        return unknown
    return replace(
        unknown,
        above=pair.above.subject,
        below=pair.below.subject,
        levels=pair.above.levels,
        given=right_value(claim, ratio, resolved.kind),
        follows=is_of_pair(claim, pair, resolved.kind),
    )
