"""Reading a report back: what the tests need to know of a page and of a drawing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import accumulate
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Element:
    """A start tag with its attributes."""

    tag: str
    attributes: dict[str, str]


@dataclass
class Page(HTMLParser):
    """All tags of a page, the text outside of styles, and its tables by their ``id``."""

    elements: list[Element] = field(default_factory=list)
    text: str = ""
    styles: str = ""
    tables: dict[str, list[list[str]]] = field(default_factory=dict)
    values: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()
        self._table = ""
        self._is_style = False
        self._value: float | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append(Element(tag, attributes))
        self._is_style = tag == "style"
        if tag == "table":
            self._table = attributes.get("id", "")
            self.tables[self._table], self.values[self._table] = [], []
        if not self._table:
            return
        if tag == "tr":
            self.tables[self._table].append([])
        if tag in {"td", "th"}:
            self.tables[self._table][-1].append("")
        if tag == "td":
            self._value = None
        if tag == "data" and attributes["value"]:
            self._value = float(attributes["value"])
        if tag == "small":
            self._read_value()

    def handle_endtag(self, tag: str) -> None:
        self._is_style = False
        if tag == "td" and self._table:
            self._read_value()
            if self._value is not None:
                self.values[self._table].append(self._value)
        if tag == "table":
            self._table = ""

    def _read_value(self) -> None:
        """Take a cell's text for its figure, where no other goes with it."""
        text = self.tables[self._table][-1][-1] if self._table else ""
        if self._value is None and re.fullmatch(r"-?\d+(\.\d+)?", text):
            self._value = float(text)

    def handle_data(self, data: str) -> None:
        if self._is_style:
            self.styles += data
            return
        self.text += data
        rows = self.tables.get(self._table) if self._table else None
        if rows and rows[-1]:
            rows[-1][-1] += data.strip()

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]


def read_page(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    return page


def positions(svg: str, kind: str) -> list[list[tuple[float, float]]]:
    """Return where the items of each layer of marks stand (``symbol``, ``rect`` …), in pixels."""
    return [
        [
            (float(match[1]), float(match[2]))
            for item in group
            if (match := re.match(r"translate\(([-.\de]+),([-.\de]+)\)", item.get("transform", "")))
        ]
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if f"mark-{kind} role-mark" in group.get("class", "")
    ]


def bars(svg: str) -> list[tuple[float, float, str]]:
    """Return where each bar of the first layer begins, its height, in pixels, and its colour."""
    layer = next(
        group
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if "mark-rect role-mark" in group.get("class", "")
    )
    shapes = [(re.match(r"M([-.\d]+),[-.\d]+h[-.\d]+v([-.\d]+)", e.get("d", "")), e) for e in layer]
    return [(float(m[1]), float(m[2]), e.get("fill", "")) for m, e in shapes if m]


def line_points(svg: str) -> list[list[list[tuple[float, float]]]]:
    """Return the points of each line over time, in pixels: a list for each of its unbroken parts.

    A line is written as its first point and the steps from there on, a short one as its points.
    """
    paths = re.findall(r'<path [^>]*d="(M[^"]+)"[^>]*stroke-width="1.2"', svg)
    return [[_points(part) for part in path.split("M")[1:]] for path in paths]


def _points(part: str) -> list[tuple[float, float]]:
    is_by_steps = "l" in part
    pairs = [pair.split(",") for pair in re.split("[Ll ]", part.removesuffix("Z"))]
    points = [(float(x), float(y)) for x, y in pairs]
    if is_by_steps:
        points = list(accumulate(points, lambda at, step: (at[0] + step[0], at[1] + step[1])))
    return points


def axis_labels(svg: str) -> list[str]:
    return [
        text.text or ""
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if group.get("class") == "mark-text role-axis-label"
        for text in group.iter(f"{SVG}text")
    ]


def axis_titles(svg: str) -> list[str]:
    return [
        text.text or ""
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if group.get("class") == "mark-text role-axis-title"
        for text in group.iter(f"{SVG}text")
    ]


def paints(svg: str) -> set[str]:
    """Return every colour that a drawing uses."""
    return {
        element.get(name, "")
        for element in ElementTree.fromstring(svg).iter()
        for name in ("fill", "stroke")
        if element.get(name)
    }
