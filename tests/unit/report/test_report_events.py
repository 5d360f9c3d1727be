"""Marks above the panels over time: what they say and where they stand."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dbdyno.analysis.steadiness.model import Change
from dbdyno.report import events, over_seconds, panels
from dbdyno.report.words.steadiness import change_in_words
from tests.plain import plain
from tests.unit.report.report_examples import two_factors, watched
from tests.unit.report.written import render_html

from .report_page import read_page
from .test_report_html import NOON

LAST_S = 29.0
"""When the last interval of the examples begins."""
MARK = re.compile(r'<path transform="translate\(([-.\d]+),([-.\d]+)\)"[^>]*><title>([^<]*)</title>')


def test_a_change_and_a_dip_stand_at_their_seconds_above_the_plot() -> None:
    (first, *_) = panels.over_time(watched())
    marks = [(float(x), float(y), plain(said)) for x, y, said in MARK.findall(first.svg)]
    (change,) = [each for each in marks if "→" in each[2]]
    assert change[2] == "trial 2, 12 s: 240.0 → 180.0 (−25 %)"
    assert change[0] == pytest.approx(over_seconds.WIDTH * 12.0 / LAST_S, abs=0.1)
    assert {y for _, y, _ in marks} == {panels.EVENTS_AT}


def test_a_dip_says_how_deep_it_is_and_what_was_beside_it() -> None:
    findings = watched()
    said = {plain(row["title"]) for rows in events.event_rows(findings).values() for row in rows}
    deepest = "trial 3, 10 s: dip to 25.0 % of the median, 2 s"
    assert f"{deepest}; checkpoint, requested, autovacuum" in said


def test_each_cell_has_its_own_marks_and_none_is_lost() -> None:
    findings = watched()
    rows = events.event_rows(findings)
    known = len(findings.steadiness.changes) + len(findings.steadiness.worst)
    assert sum(map(len, rows.values())) == known > 0
    drawings = panels.over_time(findings)
    assert sum(len(MARK.findall(each.svg)) for each in drawings) == known


def test_the_page_says_what_marks_mean_where_there_are_any() -> None:
    with_marks = plain(read_page(render_html(watched(), NOON)).text)
    assert "▼: throughput moved to another level. ●: one of the worst dips begins." in with_marks
    assert "In 1 trial throughput moved to another level and stayed there for a while, 8 times" in (
        with_marks
    )
    without = plain(read_page(render_html(two_factors(), NOON)).text)
    assert "▼" not in without
    assert "moved to another level" not in without


def test_a_level_of_nothing_has_no_percentage() -> None:
    change = Change(4, 30.0, before_per_s=0.0, after_per_s=100.0)
    said = change_in_words(change, two_factors().measure)
    assert plain(said) == "trial 4, 30 s: 0 → 100.0 (–)"
    halved = replace(change, before_per_s=200.0)
    assert plain(change_in_words(halved, two_factors().measure)).endswith("(−50 %)")
