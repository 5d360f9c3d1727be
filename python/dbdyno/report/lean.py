"""Drawings as Vega writes them, made shorter: a reader sees the same.

Coordinates have a tenth of a pixel, long lines are written by the steps between their points, and
what draws nothing is left out. A page with a panel a cell would be twice as large without it.
"""

from __future__ import annotations

import re
from itertools import pairwise

FEWEST_STEPS = 3
"""Of a line that is written by its steps; a shorter one is hardly shorter so."""

_COORDINATES = re.compile(r'( (?:d|transform)=")([^"]*)')
_FRACTION = re.compile(r"-?\d+(?:\.\d+)?e[-+]?\d+|-?\d+\.\d+")
_LINES = re.compile(r"(?:M[-\d.,]+(?:L[-\d.,]+)*)+")

_TAG = re.compile(r"<(?:svg|path|g|line|rect|text)\b[^>]*>")
_UNSEEN = re.compile(r'<path class="(?:background|foreground)"(?:(?! fill=| stroke=)[^>])*/>')
"""Frames of groups, which have no colour here."""
_NEEDLESS = re.compile(
    r' (?:aria-hidden="true"|aria-roledescription="[^"]*"|role="graphics-[a-z]+"'
    r'|pointer-events="none"|opacity="1"|font-weight="normal")'
)
"""Attributes that say what is so without them. The whole drawing is one image to those who cannot
see it, so that its parts have no roles."""


def lean(svg: str, font: str) -> str:
    """Return a drawing that looks like this one; all of its texts have the same font."""
    own_font = f' font-family="{font}"'

    def shorter(tag: re.Match[str]) -> str:
        text = _NEEDLESS.sub("", tag[0]).replace(own_font, "")
        return _COORDINATES.sub(lambda found: found[1] + _written(found[2]), text)

    slim = _TAG.sub(shorter, _UNSEEN.sub("", svg))
    return slim.replace("<svg", f"<svg{own_font}", 1)


def _written(coordinates: str) -> str:
    """Return coordinates with a tenth of a pixel."""
    rounded = _FRACTION.sub(lambda number: _tenths(round(10 * float(number[0]))), coordinates)
    is_line = rounded.count("L") >= FEWEST_STEPS and _LINES.fullmatch(rounded)
    return _by_steps(rounded) if is_line else rounded


def _by_steps(line: str) -> str:
    """Return lines from point to point by the steps between them."""
    return "".join(_one_by_steps(part) for part in line.split("M")[1:])


def _one_by_steps(line: str) -> str:
    points = [
        tuple(round(10 * float(number)) for number in point.split(",")) for point in line.split("L")
    ]
    steps = [
        f"{_tenths(x - before_x)},{_tenths(y - before_y)}"
        for (before_x, before_y), (x, y) in pairwise(points)
    ]
    first = ",".join(map(_tenths, points[0]))
    return f"M{first}l{' '.join(steps)}" if steps else f"M{first}"


def _tenths(count: int) -> str:
    """Return so many tenths as short as SVG allows: ``12``, ``-.5``."""
    whole, rest = divmod(abs(count), 10)
    sign = "-" if count < 0 else ""
    if not rest:
        return f"{sign}{whole}"
    return f"{sign}{whole or ''}.{rest}"
