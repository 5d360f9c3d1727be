"""What a page's script needs to read values back out of a drawing.

The points of a line stand in the page once, as its path. Attributes of the drawing say which
seconds and values its pixels stand for; a mark has its text in a ``title``, which browsers show by
themselves, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from dbdyno.report.condensed import Values

Attributes = dict[str, str]

_LABELLED_MARK = re.compile(r'<(\w+) aria-label="([^"]*)"([^>]*)/>')
_IRREGULAR = 0.0


def scale(kind: str, domain: Sequence[float], height: int) -> str:
    """Return what a vertical axis stands for: its kind, its ends from below, its pixels."""
    low, high = domain
    return f"{kind} {low:.9g} {high:.9g} {height}"


def seconds(starts_s: Iterable[Values], width: int) -> str:
    """Return what the axis of time stands for: its ends, the time between two points, its pixels.

    The time between two points lets the script tell the second of a point, which is drawn to the
    tenth of a pixel only. It is 0 where intervals are of unequal length.
    """
    known = [each for each in starts_s if len(each)]
    first = min((float(each[0]) for each in known), default=0.0)
    last = max((float(each[-1]) for each in known), default=0.0)
    return f"{first:.9g} {last:.9g} {_step(known, first):.9g} {width}"


def _step(starts_s: Sequence[Values], first: float) -> float:
    """Return the time between two points, if it is the same everywhere."""
    gaps = np.concatenate([np.diff(each) for each in starts_s]) if starts_s else np.array([])
    if not len(gaps):
        return _IRREGULAR
    step = round(float(np.median(gaps)), 6)
    if step <= 0:
        return _IRREGULAR
    counts = np.concatenate([(each - first) / step for each in starts_s])
    is_regular = bool(np.all(np.abs(counts - np.round(counts)) < 0.02))
    return step if is_regular else _IRREGULAR


def titled(svg: str) -> str:
    """Give each mark that Vega has labelled a title in place of the label.

    Labels are for programs that read a page aloud, to which a drawing is one picture. A title is
    shown where a pointer rests.
    """
    return _LABELLED_MARK.sub(r"<\1\3><title>\2</title></\1>", svg)
