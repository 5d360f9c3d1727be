"""Drawings as Vega writes them, made shorter: a reader sees the same.

Coordinates have a tenth of a pixel, long lines are written by the steps between their points, and
what draws nothing is left out. A page with a panel a cell would be twice as large without it.
"""

from __future__ import annotations

import re
from functools import lru_cache

FEWEST_STEPS = 3
"""Of a line that is written by its steps; a shorter one is hardly shorter so."""

_COORDINATES = re.compile(r'( (?:d|transform|x2|y2)=")([^"]*)')
_FRACTION = re.compile(r"-?\d+(?:\.\d+)?e[-+]?\d+|-?\d+\.\d+")
_LINES = re.compile(r"(?:M[-\d.,e]+(?:L[-\d.,e]+)*)+")

_TAG = re.compile(r"<(?:svg|path|g|line|rect|text)\b[^>]*>")
_UNSEEN = re.compile(r'<path class="(?:background|foreground)"(?:(?! fill=| stroke=)[^>])*/>')
"""Frames of groups, which have no colour here."""
_NEEDLESS = re.compile(
    r' (?:aria-hidden="true"|aria-roledescription="[^"]*"|role="graphics-[a-z]+"'
    r'|pointer-events="none"|opacity="1"|font-weight="normal"|stroke-width="1"|[xy]2="0")'
)
"""Attributes that say what is so without them. The whole drawing is one image to those who cannot
see it, so that its parts have no roles."""
_WIDTH = re.compile(r' stroke-width="[^"]*"')
"""Of a stroke, where there is one."""
_UNMOVED = ' transform="translate(0,0)"'


def lean(svg: str, font: str) -> str:
    """Return a drawing that looks like this one; all of its texts have the same font."""
    own_font = f' font-family="{font}"'

    def shorter(tag: re.Match[str]) -> str:
        text = _COORDINATES.sub(lambda found: found[1] + _written(found[2]), tag[0])
        text = _NEEDLESS.sub("", text).replace(own_font, "")
        if " stroke=" not in text:
            text = _WIDTH.sub("", text)
        return text.replace(_UNMOVED, "") if text.startswith("<g") else text

    slim = _TAG.sub(shorter, _UNSEEN.sub("", svg))
    return slim.replace("<svg", f"<svg{own_font}", 1)


def _written(coordinates: str) -> str:
    """Return coordinates with a tenth of a pixel."""
    if coordinates.count("L") >= FEWEST_STEPS and _LINES.fullmatch(coordinates):
        return "".join(_by_steps(line) for line in coordinates.split("M")[1:])
    return _FRACTION.sub(lambda number: _tenths(_in_tenths(number[0])), coordinates)


def _by_steps(line: str) -> str:
    """Return a line from point to point by the steps between them.

    Steps are taken between points that are rounded already, so that errors do not add up.
    """
    places = [_in_tenths(number) for number in line.replace("L", ",").split(",")]
    steps = [_tenths(after - before) for before, after in zip(places, places[2:], strict=False)]
    pairs = " ".join(f"{x},{y}" for x, y in zip(steps[::2], steps[1::2], strict=True))
    first = f"M{_tenths(places[0])},{_tenths(places[1])}"
    return f"{first}l{pairs}" if pairs else first


def _in_tenths(number: str) -> int:
    return round(10 * float(number))


@lru_cache(10_000)
def _tenths(count: int) -> str:
    """Return so many tenths as short as SVG allows: ``12``, ``-.5``."""
    whole, rest = divmod(abs(count), 10)
    sign = "-" if count < 0 else ""
    if not rest:
        return f"{sign}{whole}"
    return f"{sign}{whole or ''}.{rest}"
