"""The bars of where sessions' time went: each part where its share puts it, and told in words."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from itertools import accumulate
from xml.etree import ElementTree

import pytest

from dbdyno.analysis.bottleneck.model import CellLimit, TimeKind, TimeShare
from dbdyno.analysis.findings import Findings
from dbdyno.report.drawn import CELLS_OF_MANY
from dbdyno.report.time_bars import MARKS, WIDTH, time_bars, time_legend

from .report_examples import names_only, one_cell
from .report_page import SVG, positions, read_page
from .test_report_html import NOON, contrast
from .test_report_size import experiment
from .written import render_html

SHARES = {
    TimeKind.LOCK: 0.5,
    TimeKind.CPU: 0.25,
    TimeKind.REST: 0.24,
    TimeKind.LATCH: 0.01,
    TimeKind.IO: 0.0,
}
IN_ORDER = [TimeKind.CPU, TimeKind.LOCK, TimeKind.LATCH, TimeKind.REST]


def timed(findings: Findings, shares: dict[TimeKind, float]) -> Findings:
    """Return findings that know where time went in every cell."""
    times = tuple(TimeShare(kind, share) for kind, share in shares.items())
    return replace(findings, limits=tuple(CellLimit(c.cell, 3, time=times) for c in findings.cells))


def parts(svg: str) -> list[tuple[float, float, str, str]]:
    """Return each part of the bars: where it begins, its width in pixels, its colour, its title."""
    group = next(
        group
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if group.get("class", "").startswith("mark-rect role-mark")
    )
    found = []
    for path in group.iter(f"{SVG}path"):
        numbers = re.match(r"M([\d.]+),[\d.]+h([\d.]+)", path.get("d", ""))
        title = path.find(f"{SVG}title")
        assert numbers is not None
        assert title is not None
        where = float(numbers[1]), float(numbers[2])
        found.append((*where, path.get("fill", ""), title.text or ""))
    return found


def test_parts_are_as_wide_as_their_shares_and_in_the_order_of_kinds() -> None:
    (drawing,) = time_bars(timed(one_cell(), SHARES))
    drawn = parts(drawing.svg)
    widths = [WIDTH * SHARES[kind] for kind in IN_ORDER]
    assert [width for _, width, *_ in drawn] == pytest.approx(widths, abs=0.1)
    starts = [0.0, *accumulate(widths)][:-1]
    assert [start for start, *_ in drawn] == pytest.approx(starts, abs=0.1)
    assert [colour for *_, colour, _ in drawn] == [MARKS[kind].colour for kind in IN_ORDER]
    assert drawn[1][-1].replace("\N{NO-BREAK SPACE}", " ") == "(one cell): locks 50.0 %"


def test_a_part_has_its_marker_and_as_many_words_as_have_room() -> None:
    (drawing,) = time_bars(timed(one_cell(), SHARES))
    markers = next(each for each in positions(drawing.svg, "symbol") if len(each) > 1)
    assert len(markers) == 3, "that of a hundredth has no room"
    text = drawing.svg.replace("\N{NO-BREAK SPACE}", " ")
    assert re.search(">locks 50.0 %</text>", text)
    assert re.search(">24.0 %</text>", text), "the words of the rest are too long for it"
    assert ">1.0 %<" not in text


def test_the_legend_has_the_kinds_that_are_drawn_with_marks_of_their_own() -> None:
    legend = time_legend(timed(names_only(), SHARES))
    assert [mark for _, mark in legend.marks] == [MARKS[kind] for kind in IN_ORDER]
    assert MARKS.keys() == set(TimeKind)
    for name in ("colour", "shape"):
        assert len({getattr(mark, name) for mark in MARKS.values()}) == len(TimeKind)


def test_words_on_a_part_are_readable() -> None:
    styles = read_page(render_html(one_cell(), NOON)).styles
    for block in re.findall(r":root[^{]* \{([^}]*--paper[^}]*)\}", styles):
        colours = dict(re.findall(r"(--[\w-]+): (#\w{6});", block))
        for kind, mark in MARKS.items():
            colour = colours[mark.colour.removeprefix("var(").removesuffix(")")]
            assert contrast(colour, colours["--paper"]) >= 4.5, kind


def test_cells_of_which_nothing_is_known_have_no_bar() -> None:
    findings = timed(names_only(), SHARES)
    first, *others = findings.limits
    some = replace(findings, limits=(first, *(replace(each, time=()) for each in others)))
    (drawing,) = time_bars(some)
    assert len(parts(drawing.svg)) == len(IN_ORDER)
    assert time_bars(names_only()) == []


def test_the_section_has_the_drawing_before_the_table_that_stays() -> None:
    html = render_html(timed(names_only(), SHARES), NOON)
    assert html.index("<title>Where time went</title>") < html.index('id="time-table"')
    assert len(read_page(html).tables["time-table"]) == 1 + len(names_only().cells)


def test_of_very_many_cells_some_are_drawn_quickly() -> None:
    findings = timed(experiment(1000, 1, 12), SHARES)
    before = time.process_time()
    (drawing,) = time_bars(findings)
    assert time.process_time() - before < 1.5
    assert len(parts(drawing.svg)) == CELLS_OF_MANY * len(IN_ORDER)
    assert len(drawing.svg) < 100_000
