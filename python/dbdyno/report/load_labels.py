"""Which points of a drawing have their label: those whose label lies on nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.report.drawing import width_of

DX_PX, DY_PX = 7, 8
"""From a point to the left end and the middle of its label, to the right and down."""
HEIGHT_PX = 12
"""Of a label."""

Place = tuple[float, float]
"""In pixels, from the upper left corner of the plot."""


@dataclass(frozen=True)
class Point:
    """A point with the level of load that it is of. Labels of a lower ``rank`` go first."""

    rate: float
    time_ms: float
    text: str
    rank: int


@dataclass(frozen=True)
class _Box:
    left: float
    right: float
    middle: float

    def touches(self, other: _Box) -> bool:
        """Tell whether two labels lie on each other."""
        is_beside = self.right <= other.left or other.right <= self.left
        return not is_beside and abs(self.middle - other.middle) < HEIGHT_PX

    def has(self, place: Place) -> bool:
        """Tell whether a point lies under a label."""
        x, y = place
        return self.left <= x <= self.right and abs(y - self.middle) <= HEIGHT_PX / 2


def labelled_points(
    points: Sequence[Point],
    highest_rate: float,
    times_ms: Sequence[float],
    plot_px: tuple[int, int],
) -> list[Point]:
    """Return the points that are labelled, those of the lowest rank first.

    ``highest_rate`` and ``times_ms`` are the ends of the axes, the first one beginning at 0;
    ``plot_px`` is the plot's width and height.
    """
    low_ms, high_ms = times_ms
    width_px, height_px = plot_px
    span = math.log(high_ms / low_ms)
    places = [
        (
            width_px * point.rate / highest_rate,
            height_px * math.log(high_ms / point.time_ms) / span,
        )
        for point in points
    ]
    taken: list[_Box] = []
    kept = []
    for point, (x, y) in sorted(zip(points, places, strict=True), key=lambda each: each[0].rank):
        left = x + DX_PX
        box = _Box(left, left + width_of([point.text]), y + DY_PX)
        if not any(map(box.touches, taken)) and not any(map(box.has, places)):
            taken.append(box)
            kept.append(point)
    return kept
