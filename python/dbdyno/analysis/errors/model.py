"""What is found of errors: codes and figures, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbdyno.experiment.plan import Cell

Values = NDArray[np.float64]
Counts = NDArray[np.int64]


class ErrorKind(NamedTuple):
    """One kind of error: our class, and how the server tells it apart."""

    error_class: str
    code: int | None
    sqlstate: str | None


@dataclass(frozen=True)
class Peak:
    """The interval in which an error occurred most often; seconds from the window's start."""

    trial: int
    start_s: float
    duration_s: float
    count: int


@dataclass(frozen=True)
class ErrorFigures:
    """One kind of error in the windows of a cell's trials.

    ``first_s`` is when the first interval with it begins, ``last_s`` when the last one ends, in
    seconds from the window's start: the earliest and the latest of all trials.
    """

    kind: ErrorKind
    count: int
    share: float | None
    """By all transactions that ended in these windows; None where none ended."""
    trials: int
    """In how many it occurred."""
    first_s: float
    last_s: float
    peak: Peak
    sample: str
    """One message; a text from outside, with secrets masked."""


@dataclass(frozen=True, eq=False)
class ErrorSeries:
    """The errors of one trial by interval of its window; ``by_class`` lacks what never occurred."""

    round: int
    start_s: Values
    duration_s: Values
    by_class: Mapping[str, Counts]


@dataclass(frozen=True)
class CellErrors:
    """One cell in which errors occurred, over its valid trials or over those that are not used."""

    cell: Cell
    is_used: bool
    trials: int
    """That have a window, with errors or without."""
    errors: tuple[ErrorFigures, ...]
    """The most frequent first."""
    series: tuple[ErrorSeries, ...] = field(default=(), compare=False, repr=False)

    @property
    def count(self) -> int:
        """How many errors there were."""
        return sum(each.count for each in self.errors)

    @property
    def by_class(self) -> Mapping[str, int]:
        """How many errors of each class there were, the most frequent first."""
        counts: dict[str, int] = {}
        for each in self.errors:
            name = each.kind.error_class
            counts[name] = counts.get(name, 0) + each.count
        return dict(sorted(counts.items(), key=lambda pair: -pair[1]))


@dataclass(frozen=True)
class FoundErrors:
    """The errors of a whole result."""

    cells: tuple[CellErrors, ...] = ()
    """Those in which any occurred: valid trials first, in the order of the cells."""
    trials: int = 0
    """That have a window."""
    ended: int = 0
    """Transactions that ended in those windows."""
    outside: int = 0
    """Errors before a window, as in the warm-up, or after it. They are in no other figure."""

    @property
    def count(self) -> int:
        """How many errors there were in all windows."""
        return sum(each.count for each in self.cells)
