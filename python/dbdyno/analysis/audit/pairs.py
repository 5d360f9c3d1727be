"""Two figures that a claim compares, and whether it follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from dbdyno.analysis.audit.cells import label
from dbdyno.analysis.audit.ratios import (
    Range,
    Rounded,
    difference_range,
    follows,
    follows_from,
    ratio_range,
)
from dbdyno.results_table.model import Claim, ClaimForm, Kind, Levels


@dataclass(frozen=True)
class Side:
    """One of two figures: a stated mean, or the rounds of a cell."""

    subject: str
    levels: Levels
    values: tuple[float, ...]
    half_step: float
    is_stated: bool = False

    @property
    def mean(self) -> Rounded:
        """Return the mean with its rounding."""
        return Rounded(fmean(self.values), self.half_step)

    def centres(self) -> Iterator[Rounded]:
        """Yield all that may rightly stand for the rounds."""
        yield self.mean
        if len(self.values) > 1:
            yield Rounded(median(self.values), self.half_step)
            if min(self.values) > 0:
                yield Rounded(math.exp(fmean(map(math.log, self.values))), self.half_step)


@dataclass(frozen=True)
class Pair:
    """The subject that is held against another one, at the same levels."""

    above: Side
    below: Side

    def ratio(self) -> Range | None:
        """Return the ratio of the means."""
        return ratio_range(self.above.mean, self.below.mean)

    @property
    def names(self) -> tuple[str, str]:
        """Return what the two are called: by their subjects, or where these are one by levels."""
        sides = (self.above, self.below)
        if self.above.subject != self.below.subject:
            return self.above.subject, self.below.subject
        one, other = (" ".join(filter(None, (s.subject, label(s.levels)))) for s in sides)
        return one, other

    def difference(self) -> Range:
        """Return the difference of the means."""
        return difference_range(self.above.mean, self.below.mean)


@dataclass(frozen=True)
class Resolved:
    """A claim, all pairs that it may be of, and those of which it is."""

    claim: Claim
    metric: str
    kind: Kind
    pairs: tuple[Pair, ...]
    matched: tuple[Pair, ...]


def is_of_pair(claim: Claim, pair: Pair, kind: Kind) -> bool:
    """Tell whether a claim follows from any mean of the two sides' rounds."""
    if claim.form is ClaimForm.DIFFERENCE:
        either = kind is Kind.RESPONSE or claim.is_reduction
        signs = (1, -1) if either else (1,)
        return any(follows(claim, pair.difference().mapped(sign, 0)) for sign in signs)
    centres = zip(pair.above.centres(), pair.below.centres(), strict=False)
    for above, below in centres:
        ratio = ratio_range(above, below)
        if ratio is not None and follows_from(claim, ratio, kind):
            return True
    return _is_mean_of_ratios(claim, pair, kind)


def _is_mean_of_ratios(claim: Claim, pair: Pair, kind: Kind) -> bool:
    """Tell whether a claim is the mean of the rounds' own ratios, which is one way to pair them."""
    above, below = pair.above.values, pair.below.values
    if len(above) != len(below) or len(above) < 2 or min(below) <= 0:
        return False
    ratios = [one / other for one, other in zip(above, below, strict=True)]
    exact = fmean(ratios)
    return follows_from(claim, Range(exact, exact, exact), kind)


def matches(column: Sequence[Resolved]) -> int:
    """Return how many claims of a column follow."""
    return sum(bool(each.matched) for each in column)
