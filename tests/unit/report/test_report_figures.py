"""How figures are written."""

from __future__ import annotations

from math import inf, nan

import pytest

from dbdyno.report import figures


def no_break(text: str) -> str:
    """A figure and its unit are never parted at the end of a line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


@pytest.mark.parametrize(
    ("value", "text"),
    [(12345.6, "12,346"), (1234.5, "1,234"), (211.44, "211.4"), (9.87654, "9.877"),
     (0.012345, "0.0123"), (0.0, "0"), (None, "–"), (nan, "–")],
)  # fmt: skip
def test_rate(value: float | None, text: str) -> None:
    assert figures.rate(value) == text


def test_an_interval_has_the_decimals_of_its_mean() -> None:
    assert figures.rate_interval(211.44, 98.7654, 1001.2345) == "[98.8, 1,001.2]"
    assert figures.rate_interval(211.44, None, None) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0123456, "0.0123"), (3.926, "3.93"), (14.06, "14.1"), (1234.4, "1,234"), (inf, "> 2 h"),
     (nan, "–"), (None, "–")],
)  # fmt: skip
def test_milliseconds(value: float | None, text: str) -> None:
    assert figures.milliseconds(value) == no_break(text)


@pytest.mark.parametrize(
    ("value", "low", "high", "effect", "interval"),
    [(18.2, 14.1, 22.0, "+18 %", "[+14, +22]"), (-3.04, -4.4, -1.7, "−3.0 %", "[−4.4, −1.7]"),
     (0.4, -0.8, 1.6, "+0.4 %", "[−0.8, +1.6]"), (12.0, None, None, "+12 %", "–"),
     (None, None, None, "–", "–"), (0.0, -7.0, 7.0, "0 %", "[−7, +7]")],
)  # fmt: skip
def test_effect(
    value: float | None, low: float | None, high: float | None, effect: str, interval: str
) -> None:
    assert figures.effect(value, low, high) == (no_break(effect), interval)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0049, "0.49 %"), (0.312, "31.2 %"), (0.0, "0.0 %"), (0.00002, "0.0020 %")],
)
def test_share(value: float, text: str) -> None:
    assert figures.share(value) == no_break(text)


def test_runs_of_numbers_are_drawn_together() -> None:
    assert figures.ranges((7, 1, 2, 3, 9, 10)) == "1–3, 7, 9–10"
    assert figures.ranges(()) == ""
