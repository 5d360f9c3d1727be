"""Which of several rounds a mean was taken of: a search that tells accidents from answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

LARGEST = 16
"""Of more rounds there are too many subsets to say which one was meant."""
CHANCE = 0.05
"""The expected number of subsets that match by accident must be smaller."""


@dataclass(frozen=True)
class LeftOut:
    """The places of the values that a mean leaves out, and whether they are the extreme ones."""

    places: tuple[int, ...]
    are_lowest: bool
    are_highest: bool


def find_left_out(values: Sequence[float], mean: float, tolerance: float) -> LeftOut | None:
    """Return what a mean leaves out of the values; None where no answer is sure.

    At least half of them are in it. The fewest that explain it are meant, if only one choice of so
    many does and a match by accident is unlikely.
    """
    count = len(values)
    if not 3 <= count <= LARGEST:
        return None
    total = math.fsum(values)
    array = np.array(values)
    accidents = 0.0
    for left in range(1, count // 2 + 1):
        choices = np.array(list(combinations(range(count), left)))
        means = (total - array[choices].sum(axis=1)) / (count - left)
        accidents += _accidents(means, mean, tolerance)
        if accidents >= CHANCE:
            return None
        fits = choices[np.abs(means - mean) <= tolerance]
        if len(fits) > 1:
            return None
        if len(fits) == 1:
            return _left_out(tuple(int(place) for place in fits[0]), values)
    return None


def _accidents(means: np.ndarray, mean: float, tolerance: float) -> float:
    """Return how many of these would match some mean near here by accident."""
    width = max(float(np.std(means)), tolerance)
    near = int(np.sum(np.abs(means - mean) <= width))
    return max(near, 1) * tolerance / width


def _left_out(places: tuple[int, ...], values: Sequence[float]) -> LeftOut:
    left = [values[place] for place in places]
    kept = [value for place, value in enumerate(values) if place not in places]
    return LeftOut(places, max(left) < min(kept), min(left) > max(kept))
