"""From a chart to an SVG that lives inside the page: its style, its colours, its words.

Colours are CSS: text takes ``currentColor``, lines and marks take the variables of the style sheet,
so one drawing serves light, dark and print. Nothing is fetched and no script runs in the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NewType

import vl_convert
from markupsafe import escape
from rich.cells import cell_len

from dbdyno.report.lean import lean
from dbdyno.report.readable import Attributes, titled
from dbdyno.report.vega_lite import ONCE, Part

FONT = "system-ui, sans-serif"
INK = "currentColor"
FAINT = "var(--faint)"
GRID = "var(--grid)"
BAND = "var(--band)"

_CONFIG: Part = {
    "aria": False,
    "background": None,
    "font": FONT,
    # A drawing is one picture with one description; marks would be pictures without any.
    "mark": {"aria": False},
    "padding": 2,
    "view": {"stroke": None},
    "axis": {
        "domainColor": FAINT,
        "gridColor": GRID,
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 0,
        "labelPadding": 5,
        "tickColor": FAINT,
        "tickSize": 4,
        "titleColor": INK,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titleLimit": 0,
        "titlePadding": 8,
    },
    "axisX": {"grid": False, "labelFlush": False},
    "axisY": {
        "domain": False,
        "ticks": False,
        "titleAlign": "left",
        "titleAngle": 0,
        "titleBaseline": "bottom",
        "titleX": 0,
        "titleY": -10,
    },
    "text": {"color": INK, "fontSize": 12},
}

Rows = list[Part]
Specification = NewType("Specification", Part)


@dataclass(frozen=True)
class Drawing:
    """One panel of a chart; the heading says which, and is "" where there is but one panel."""

    heading: str
    svg: str


def specify(chart: Part) -> Specification:
    """Return what Vega draws, without any data: the marks of a chart name theirs.

    Vega-Lite takes longer to translate a chart for Vega than that takes to draw it. So panels that
    differ only in their data are specified once.
    """
    return Specification(vl_convert.vegalite_to_vega(chart | {"config": _CONFIG}))


def draw(
    specification: Specification,
    datasets: dict[str, Rows],
    title: str,
    text: str,
    attributes: Attributes | None = None,
) -> str:
    """Render to an SVG that carries a title and a description for those who cannot see it.

    ``attributes`` are for the page's script: ``data-`` with their names.

    vl-convert writes no ``id`` as long as nothing is clipped, so that many drawings can stand in
    one page.
    """
    known = datasets | {ONCE: [{}]}
    data = [
        part | {"values": known[part["name"]]} if part["name"] in known else part
        for part in specification["data"]
    ]
    svg = vl_convert.vega_to_svg(specification | {"data": data}, allowed_base_urls=[])
    head, body = titled(lean(svg, FONT)).split(">", 1)
    read = "".join(f' data-{name}="{escape(value)}"' for name, value in (attributes or {}).items())
    words = f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
    return f'{head}{read} role="img">{words}{body}'


def width_of(texts: Iterable[str]) -> int:
    """Return the room that the longest of some 12-pixel texts takes in a wide font, in pixels.

    The reader's font is not known here, and what reaches beyond the drawing would be cut off.
    """
    return round(max((7.4 * cell_len(text) for text in texts), default=0.0))


def label_expression(values: Iterable[float], labels: Iterable[str]) -> str:
    """Return Vega's expression for the label of each tick; labels are strings there, never code."""
    known = ",".join(repr(float(value)) for value in values)
    texts = ",".join(_quoted(label) for label in labels)
    return f"[{texts}][indexof([{known}],datum.value)]"


def _quoted(text: str) -> str:
    """Write a string for an expression with every character but letters and digits escaped."""
    encoded = text.encode("utf-16-be")
    units = (int.from_bytes(encoded[at : at + 2]) for at in range(0, len(encoded), 2))
    return '"' + "".join(f"\\u{unit:04x}" for unit in units) + '"'


def logarithmic_steps(values: Iterable[float], most: int) -> tuple[list[float], list[float]]:
    """Return the domain and the ticks of a logarithmic axis that encloses positive values.

    The domain ends at steps of 1-2-5. All steps in it are ticks, or the powers of ten alone where
    that would be more than ``most``.
    """
    low, high = min(known := list(values)), max(known)
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    steps = [float(f"{mantissa}e{power}") for power in powers for mantissa in (1, 2, 5)]
    first = max(step for step in steps if step <= low)
    last = min(step for step in steps if step >= high and step > first)
    ticks = [step for step in steps if first <= step <= last]
    if len(ticks) > most:
        ticks = [step for step in ticks if f"{step:e}".startswith("1.000000e")]
    return [first, last], ticks
