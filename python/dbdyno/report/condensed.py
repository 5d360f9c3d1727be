"""Long lines with fewer points, of which a reader sees the same.

A panel has fewer pixels than a long trial has intervals. Of so many neighbours that share a pixel
the lowest and the highest are drawn, in their order: means would hide a dip of one interval, and so
would methods that keep the shape of a line, such as LTTB.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def neighbours(length: int, most: int) -> int:
    """Return how many neighbours are drawn as one, so that a line has at most so many points."""
    if length <= most:
        return 1
    # Both ends of the line are points of their own.
    return math.ceil(length / max((most - 2) // 2, 1))


def condensed(values: Values, most: int) -> NDArray[np.int64]:
    """Return the places of the values that are drawn, in order: at most so many, ends included.

    NaN has no place on an axis. It is among the places, as a gap, where all neighbours are NaN.
    """
    length, width = len(values), neighbours(len(values), most)
    if width == 1:
        return np.arange(length)
    count = math.ceil(length / width)
    padded = np.full(count * width, np.nan)
    padded[:length] = values
    groups = padded.reshape(count, width)
    lowest = np.where(np.isnan(groups), np.inf, groups).argmin(axis=1)
    highest = np.where(np.isnan(groups), -np.inf, groups).argmax(axis=1)
    starts = np.arange(count) * width
    return np.unique(np.concatenate([starts + lowest, starts + highest, [0, length - 1]]))
