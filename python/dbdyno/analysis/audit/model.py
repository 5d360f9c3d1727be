"""What an audit finds: codes and figures, no words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from dbdyno.results_table.description import Conclusion
from dbdyno.results_table.model import Claim, Figure, ResultsTable

Value: TypeAlias = int | float | str | None
FigureValue: TypeAlias = Value | tuple[Value, ...]


class Gravity(StrEnum):
    """What a finding does to what was said."""

    WRONG = "wrong"
    """A figure contradicts the others."""
    UNSUPPORTED = "unsupported"
    """The figures may be right, but what was concluded does not follow from them."""
    MISLEADING = "misleading"
    """A name or a setting makes a reader think of something else."""
    DOUBTFUL = "doubtful"
    """Two figures or columns may have been mixed up: who measured them can look it up."""


class Code(StrEnum):
    """What is found."""

    ROUNDS_LEFT_OUT = "rounds-left-out"
    MEAN_UNFOUNDED = "mean-unfounded"
    CHANGE_WRONG = "change-wrong"
    SUM_WRONG = "sum-wrong"
    IMPOSSIBLE = "impossible"
    DUPLICATE = "duplicate"
    COPIED = "copied"
    SAME_SERIES = "same-series"
    AGGREGATE_WRONG = "aggregate-wrong"
    SENTENCE_WRONG = "sentence-wrong"
    MEAN_OF_RATIOS = "mean-of-ratios"
    MEAN_OF_PERCENTILES = "mean-of-percentiles"
    CHOSEN_CELLS = "chosen-cells"
    HOLDS_IN_PART = "holds-in-part"
    CONFOUNDED = "confounded"
    NO_REPETITION = "no-repetition"
    WITHIN_NOISE = "within-noise"
    SLOWER_RESPONSE = "slower-response"
    WITHIN_ROUNDING = "within-rounding"
    UNLIKE_DURABILITY = "unlike-durability"
    MISSING_CELLS = "missing-cells"
    UNPACED = "unpaced"
    SHORT_WINDOW = "short-window"
    MAY_BE_MIXED_UP = "may-be-mixed-up"


GRAVITIES = {
    **dict.fromkeys(
        (
            *(Code.ROUNDS_LEFT_OUT, Code.MEAN_UNFOUNDED, Code.CHANGE_WRONG, Code.SUM_WRONG),
            *(Code.IMPOSSIBLE, Code.DUPLICATE, Code.COPIED, Code.AGGREGATE_WRONG),
            *(Code.SENTENCE_WRONG, Code.SAME_SERIES),
        ),
        Gravity.WRONG,
    ),
    **dict.fromkeys(
        (
            *(Code.MEAN_OF_RATIOS, Code.CHOSEN_CELLS, Code.HOLDS_IN_PART, Code.CONFOUNDED),
            *(Code.NO_REPETITION, Code.WITHIN_NOISE, Code.SLOWER_RESPONSE, Code.WITHIN_ROUNDING),
            *(Code.UNLIKE_DURABILITY, Code.MISSING_CELLS, Code.MEAN_OF_PERCENTILES),
        ),
        Gravity.UNSUPPORTED,
    ),
    **dict.fromkeys((Code.UNPACED, Code.SHORT_WINDOW), Gravity.MISLEADING),
    Code.MAY_BE_MIXED_UP: Gravity.DOUBTFUL,
}


@dataclass(frozen=True, init=False)
class Line:
    """One line of evidence: its kind and its figures."""

    kind: str
    figures: tuple[tuple[str, FigureValue], ...]

    def __init__(self, kind: str, /, **figures: FigureValue) -> None:
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "figures", tuple(figures.items()))


@dataclass(frozen=True)
class AuditFinding:
    """One thing that does not follow. ``variant`` picks among the sentences of a code."""

    code: Code
    table: str
    lines: tuple[Line, ...] = ()
    figures: tuple[tuple[str, FigureValue], ...] = ()
    variant: str = ""

    @property
    def gravity(self) -> Gravity:
        """Return how grave it is."""
        return GRAVITIES[self.code]


@dataclass(frozen=True)
class Joined:
    """A table of figures with all that is claimed of it, here or in a table of claims."""

    data: ResultsTable
    claims: tuple[Claim, ...] = ()
    stated: tuple[Figure, ...] = ()
    """Means that are claimed."""
    conclusions: tuple[Conclusion, ...] = ()


TableCheck = Callable[[Joined], Iterator[AuditFinding]]
SetCheck = Callable[[tuple[Joined, ...]], Iterator[AuditFinding]]
