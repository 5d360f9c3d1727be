"""Drawings that are written shorter look as before: every point is where it was, within a tenth."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dbdyno.report.drawing import FONT
from dbdyno.report.lean import lean

from .report_page import line_points


def svg(body: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{body}</svg>'


def line(points: np.ndarray) -> str:
    path = "M" + "L".join(f"{x:.3f},{y:.3f}" for x, y in points.tolist())
    return svg(f'<path d="{path}" stroke="red" stroke-width="1.2"/>')


@pytest.mark.parametrize("seed", range(5))
def test_steps_lead_to_the_points_and_their_errors_do_not_add_up(seed: int) -> None:
    points = np.cumsum(np.random.default_rng(seed).normal(0, 3, (500, 2)), axis=0)
    ((drawn,),) = line_points(lean(line(points), FONT))
    assert np.abs(np.array(drawn) - points).max() < 0.051
    assert len(lean(line(points), FONT)) < 0.7 * len(line(points))


def test_a_gap_stays_a_gap() -> None:
    path = "M0,1L1,2L2,3M4,-5.55L5,6L6,7.77"
    shorter = lean(svg(f'<path d="{path}" stroke="red" stroke-width="1.2"/>'), FONT)
    assert 'd="M0,1l1,1 1,1M4,-5.6l1,11.6 1,1.8"' in shorter or "M4,-5.5l" in shorter
    (parts,) = line_points(shorter)
    assert [len(part) for part in parts] == [3, 3]


@pytest.mark.parametrize("path", ["M0,0L1.26,2", "M1.04,0A4.5,4.5,0,1,1,-4.5,0Z", "M0,0h250v90Z"])
def test_what_is_no_long_line_keeps_its_commands(path: str) -> None:
    (drawn,) = re.findall(r' d="([^"]*)"', lean(svg(f'<path fill="red" d="{path}"/>'), FONT))
    assert re.sub(r"[-\d.,]", "", drawn) == re.sub(r"[-\d.,]", "", path)
    assert not re.search(r"\.\d\d", drawn)


def test_only_what_draws_nothing_is_left_out() -> None:
    frame = '<path class="background" aria-hidden="true" d="M0,0h9v9h-9Z"/>'
    seen = '<path class="background" d="M0,0h9v9h-9Z" stroke="red"/>'
    assert lean(svg(frame), FONT).count("<path") == 0
    assert lean(svg(seen), FONT).count("<path") == 1


def test_a_stroke_has_a_width_where_it_is_drawn_with_another_than_usual() -> None:
    stroked = '<path d="M0,0h9" stroke="red" stroke-width="2"/>'
    usual = '<line transform="translate(0,0)" x2="9" y2="0" stroke="red" stroke-width="1"/>'
    assert stroked in lean(svg(stroked), FONT)
    assert '<line transform="translate(0,0)" x2="9" stroke="red"/>' in lean(svg(usual), FONT)
    filled = '<path d="M0,0h9" fill="red" stroke-width="2"/>'
    assert '<path d="M0,0h9" fill="red"/>' in lean(svg(filled), FONT)


def test_a_text_is_not_touched_whatever_it_says() -> None:
    words = 'factor d="1.2345" opacity="1" 1.2345'
    text = f'<text font-family="{FONT}" transform="translate(1.25,2)" opacity="1">{words}</text>'
    shorter = lean(svg(text), FONT)
    assert f">{words}</text>" in shorter
    assert shorter.count(FONT) == 1
    assert 'transform="translate(1.2,2)"' in shorter
