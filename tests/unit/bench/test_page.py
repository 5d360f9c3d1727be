"""The page of figures, from results as ``make bench`` writes them."""

from __future__ import annotations

import pytest
from bench.figures import Figure, Spread, at_least, at_most
from bench.page import BEGIN, END, with_figures

from dbdyno.errors import InputError

PAIR = "oltp_point_select, 8 clients"
FOUND = [
    Figure(
        "client CPU per statement over sysbench's, TCP",
        PAIR,
        "ratio",
        Spread(0.9, 0.8, 1.2),
        at_most(0.8),
        "11.2 against 12.4 µs",
    ),
    Figure("statements a second over sysbench's, TCP", PAIR, "ratio", Spread(1, 0.9, 1.1)),
    Figure(
        "clients at work of those asked for, ours and sysbench's, TCP, nothing pinned",
        PAIR,
        "",
        Spread(0.97, 0.96, 0.98),
        at_least(0.95),
        "0.97 against 0.966",
    ),
    Figure("resident memory", "256 clients minus 1", "MB", Spread(2, 2, 2), at_most(10)),
]
RESULT = {
    "figures": [each.to_dict() for each in FOUND],
    "conditions": ["ids uniform"],
    "machine": {"cpu_usable_count": 2},
}


def test_sections_of_a_comparison_are_columns_and_missed_goals_are_seen() -> None:
    page = with_figures(f"before\n{BEGIN}old\n{END}after\n", [RESULT, RESULT])
    assert page.startswith(f"before\n{BEGIN}")
    assert page.endswith(f"{END}after\n")
    assert "old" not in page
    apart, beside, others = page.split("## ")[1:4]
    assert f"| {PAIR} | **0.9 (0.8–1.2)**, goal ≤ 0.8 | 1 (0.9–1.1) |" in apart
    assert "nothing pinned" in beside
    assert f"| {PAIR} | 0.97 (0.96–0.98), 0.966 |" in beside
    assert "| 256 clients minus 1 | 2 MB |  | ≤ 10 |  |" in others
    assert page.count("- ids uniform\n") == 1


def test_a_page_without_a_place_for_figures_is_refused() -> None:
    with pytest.raises(InputError, match="figures of make bench"):
        with_figures("a page\n", [RESULT])
