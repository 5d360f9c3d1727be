"""Cells that are compared, and the logarithms of their ratios by round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dbdyno.experiment.plan import Cell, Contrast

ByRound = Mapping[int, float]
"""A figure of each round."""


@dataclass(frozen=True)
class Pair:
    """Two cells that differ in one factor only, with a figure of each by round."""

    factor: str
    cell: Cell
    baseline: Cell
    own: ByRound
    other: ByRound
    resolution: float = field(default=0.0, kw_only=True)
    """How finely the two figures are told, as a share: what is added of both, by squares."""

    @property
    def contrast(self) -> Contrast:
        """The level of each of the two cells."""
        return self.cell.contrast(self.factor, self.baseline)

    @cached_property
    def logarithms(self) -> Mapping[int, float]:
        """The log ratio of each round that both cells have."""
        return log_ratios(self.own, self.other)

    def array(self) -> NDArray[np.float64]:
        """Return the logarithms in the order of the rounds, shape (rounds,)."""
        return np.array([self.logarithms[number] for number in sorted(self.logarithms)])


def by_contrast(pairs: Iterable[Pair]) -> dict[Contrast, list[Pair]]:
    """Return the pairs of a factor by their levels."""
    found: dict[Contrast, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(pair.contrast, []).append(pair)
    return found


class HasRounds(Protocol):
    """Anything that has a logarithm in some of the rounds."""

    @property
    def logarithms(self) -> Mapping[int, float]:
        """The logarithms by round."""


Member = TypeVar("Member", bound=HasRounds)


def log_ratios(own: ByRound, other: ByRound) -> dict[int, float]:
    """Return the log ratio of each round that both have; all values are above zero."""
    return {
        number: float(np.log(own[number] / other[number]))
        for number in sorted(own)
        if number in other
    }


def common_rounds(pairs: Sequence[Member]) -> tuple[list[Member], list[int]]:
    """Return those that share most rounds, and these: a round counts where all of them have it.

    One that would cost the others their rounds is left out.
    """
    if not pairs:
        return [], []
    counts = Counter(frozenset(pair.logarithms) for pair in pairs)
    # The set that most pairs contain; of equals the one with most rounds.
    best = max(
        counts,
        key=lambda rounds: sum(n for other, n in counts.items() if rounds <= other) * len(rounds),
    )
    return [pair for pair in pairs if best <= set(pair.logarithms)], sorted(best)
