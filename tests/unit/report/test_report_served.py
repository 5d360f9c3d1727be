"""Times that are only lower bounds are marked, and what the mark means is said in one sentence."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from dbdyno.analysis.findings import CellSummary
from dbdyno.report.partial_service import note, time_mark

from .report_examples import overloaded

KEPT_UP, FELL_BEHIND = overloaded().cells


def dropping(share: float) -> CellSummary:
    return replace(FELL_BEHIND, dropped=int(1000 * share), dropped_share=share)


def test_a_cell_that_dropped_work_or_fell_behind_is_marked() -> None:
    assert time_mark(KEPT_UP, 1.5) == ""
    assert time_mark(replace(KEPT_UP, dropped=1), 1.5) == "≥\N{NO-BREAK SPACE}"
    assert time_mark(replace(KEPT_UP, kept_up=False), 1.5) == "≥\N{NO-BREAK SPACE}"


@pytest.mark.parametrize("absent", [None, inf])
def test_a_time_that_is_no_figure_has_no_mark(absent: float | None) -> None:
    assert time_mark(FELL_BEHIND, absent) == ""


@pytest.mark.parametrize(
    ("cells", "rest"),
    [
        ([dropping(0.62)], "62.0 % of the scheduled were dropped"),
        ([dropping(0.62), KEPT_UP], "62.0 % of the scheduled were dropped"),
        (
            [dropping(0.05), dropping(0.62)],
            "between 5.0 % and 62.0 % of the scheduled were dropped",
        ),
        ([dropping(0.0)], "the others were still waiting when the window ended"),
    ],
)
def test_the_note_says_how_much_was_dropped(cells: list[CellSummary], rest: str) -> None:
    text = note(cells)
    assert text is not None
    plain = text.replace("\N{NO-BREAK SPACE}", " ")
    assert plain == f"≥ marks times of served transactions only: {rest}."


def test_without_a_mark_there_is_no_note() -> None:
    assert note([KEPT_UP]) is None
