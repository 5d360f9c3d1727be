"""What a search has found, in sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.analysis.knee import FoundKnee
from dbdyno.experiment.design.search import Knee, Point
from dbdyno.experiment.plan import Cell, PlannedSearch
from dbdyno.report.words.knees import knee_sentences
from tests.unit.report.report_examples import two_factors

SEARCH = PlannedSearch(low=1, high=64, rounds=3, quantile=0.95, limit_s=0.02)
NO_LIMIT = replace(SEARCH, quantile=None, limit_s=None)
KNEE = Knee(clients=16, throughput_per_s=1234.5, rounds=3)


def sentence(search: PlannedSearch, knee: Knee | None, *, is_open: bool = False) -> str:
    found = FoundKnee(Cell(()), search, knee, is_open)
    (text,) = knee_sentences(replace(two_factors(), knees=(found,)))
    return text


@pytest.mark.parametrize(
    ("knee", "text"),
    [
        (None, "no number of clients got any work done"),
        (KNEE, "throughput is highest at 16 clients, 1,234 transactions/s (3 trials)"),
        (
            replace(KNEE, clients=64, rounds=1),
            "throughput is highest at 64 clients, 1,234 transactions/s (1 trial); this is the most "
            "that was allowed, and more may give more",
        ),
        (
            replace(KNEE, best=Point(40, 1251.0)),
            "throughput is highest at 16 clients, 1,234 transactions/s (3 trials); more clients "
            "gave no more than noise explains (40: 1,251 transactions/s)",
        ),
    ],
)
def test_the_knee_is_told(knee: Knee | None, text: str) -> None:
    assert sentence(NO_LIMIT, knee) == text


@pytest.mark.parametrize(
    ("within", "beyond", "text"),
    [
        (None, 1, "; not even 1 client keeps a p95 of 20 ms"),
        (64, None, "; all up to 64 clients keep a p95 of 20 ms"),
        (8, 9, "; up to 8 clients keep a p95 of 20 ms, 9 do not"),
    ],
)
def test_the_clients_that_keep_the_limit_are_told(
    within: int | None, beyond: int | None, text: str
) -> None:
    knee = replace(KNEE, within_limit=within, first_beyond_limit=beyond)
    assert sentence(SEARCH, knee).endswith(text)
    assert text not in sentence(NO_LIMIT, knee)


def test_an_answer_that_may_change_says_so_and_names_its_levels() -> None:
    others = Cell((("engine", "innodb"),))
    found = FoundKnee(others, NO_LIMIT, KNEE, is_open=True)
    (text,) = knee_sentences(replace(two_factors(), knees=(found,)))
    assert text.startswith("engine=innodb: so far, throughput is highest at 16 clients")
