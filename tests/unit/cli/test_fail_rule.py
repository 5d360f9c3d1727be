"""Rules as people write them, and what is said of those that are wrong."""

from __future__ import annotations

import pytest

from dbdyno.analysis.compare.metric import RESPONSE_P50, RESPONSE_P95, THROUGHPUT, VARIATION, Metric
from dbdyno.cli.fail_rule import parse_rule
from dbdyno.errors import InputError

RIGHT: dict[str, tuple[Metric, float]] = {
    "p95 worse by 5 %": (RESPONSE_P95, 5.0),
    "P95 worse by 5%": (RESPONSE_P95, 5.0),
    "  p50 is longer by more than 12.5 % ": (RESPONSE_P50, 12.5),
    "throughput worse": (THROUGHPUT, 0.0),
    "tps lower by 3": (THROUGHPUT, 3.0),
    "variation worse by 50 %": (VARIATION, 50.0),
}

WRONG = {
    "": "must be like 'p95 worse by 5 %'",
    "p95": "must be like 'p95 worse by 5 %'",
    "p95 > 5": "must be like 'p95 worse by 5 %'",
    "p96 worse by 5 %": "p96 is no figure; known: throughput, p50, p95, p99, variation",
    "speed worse by 5 %": "known: throughput, p50, p95, p99, variation",
    "p95 better by 5 %": "a rule names what is worse, as in 'p95 worse by 5 %'",
    "throughput higher by 5 %": "as in 'throughput worse by 5 %'",
    "p95 worse by 5.5.5 %": "5.5.5 is no number",
    "p95 worse by 5000 %": "must be less than 1000 %",
}


@pytest.mark.parametrize("text", RIGHT)
def test_a_rule_is_understood(text: str) -> None:
    found = parse_rule(text)
    assert (found.metric, found.percent) == RIGHT[text]
    assert found.text == " ".join(text.split())


def test_by_at_least_asks_for_the_whole_interval() -> None:
    found = parse_rule("p95 worse by at least 5 %")
    assert (found.percent, found.is_by_interval) == (5.0, True)
    assert not parse_rule("p95 worse by more than 5 %").is_by_interval


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_rule_is_refused_with_what_is_right(text: str) -> None:
    with pytest.raises(InputError) as error:
        parse_rule(text)
    assert WRONG[text] in str(error.value)
