"""Which cells are compared, over which rounds, and what is said of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analysis.comparison import compare, compare_cells, compared_pairs
from dbdyno.analysis.estimates import geometric_mean
from dbdyno.analysis.findings import CellSummary, Percentiles, VerdictKind
from dbdyno.analysis.sentences import method_text, percents
from dbdyno.experiment.plan import Cell, FactorLevels

JOURNAL = FactorLevels("journal_mode", ("delete", "wal"), "server.journal_mode")
CLIENTS = FactorLevels("clients", ("1", "4", "16"), "load.clients")
WAL = Cell((("journal_mode", "wal"), ("clients", "1")))
DELETE = Cell((("journal_mode", "delete"), ("clients", "1")))


def summary(cell: Cell, by_round: dict[int, float]) -> CellSummary:
    return CellSummary(
        cell=cell,
        throughput_per_s=geometric_mean(np.array(list(by_round.values()))),
        throughput_by_round=tuple(by_round.items()),
        rounds=tuple(by_round),
        coefficient_of_variation=None,
        response={},
        service={},
        lag={},
        committed=0,
        rolled_back=0,
        failed=0,
        dropped=0,
        retries=0,
        first_attempt_abort_share=0.0,
        statements_per_transaction=0.0,
        series=(),
    )


def offered(cell: Cell, rate_per_s: float | None, done_per_s: float, kept_up: bool) -> CellSummary:
    p99_ms = 3.3 if cell == WAL else 2.84
    return replace(
        summary(cell, {1: done_per_s, 2: done_per_s}),
        offered_per_s=rate_per_s,
        kept_up=kept_up,
        response={"sbtest": Percentiles(1.0, 1.0, 1.0, p99_ms, 9.0, 9.0, 400)},
    )


def sentence(own: dict[int, float], other: dict[int, float]) -> str:
    return compare("journal_mode", summary(WAL, own), summary(DELETE, other)).sentence


def test_every_cell_meets_the_baseline_of_every_factor_once() -> None:
    cells = [
        Cell((("journal_mode", mode), ("clients", clients)))
        for mode in JOURNAL.levels
        for clients in CLIENTS.levels
    ]
    pairs = list(compared_pairs([JOURNAL, CLIENTS], cells))
    assert len(pairs) == 3 + 4
    for factor, cell, baseline in pairs:
        unlike = [name for name, level in cell.levels if level != dict(baseline.levels)[name]]
        assert unlike == [factor]
        assert baseline.level(factor) in {"delete", "1"}


def test_one_cell_meets_nobody() -> None:
    assert compare_cells([], [summary(Cell(()), {1: 10.0})]) == ()


def test_only_rounds_that_both_have_count() -> None:
    comparison = compare(
        "journal_mode",
        summary(WAL, {1: 110.0, 2: 111.0, 3: 109.0, 4: 1.0}),
        summary(DELETE, {5: 900.0, 3: 100.0, 2: 100.0, 1: 100.0}),
    )
    assert comparison.rounds == 3
    assert comparison.kind is VerdictKind.FASTER
    assert comparison.effect_percent == pytest.approx(10.0, abs=0.01)


def test_a_rate_that_both_kept_up_with_is_no_difference_and_no_likeness() -> None:
    comparison = compare(
        "journal_mode", offered(WAL, 200.0, 200.0, True), offered(DELETE, 200.0, 200.0, True)
    )
    assert comparison.kind is VerdictKind.NOT_COMPARABLE
    assert comparison.detectable_percent is None
    assert comparison.rounds == 2
    assert comparison.sentence == (
        "journal_mode=wal and delete at clients=1 both kept up with the 200/s offered, so that "
        "throughput cannot tell them apart; compare response times: p99 3.3 ms against 2.84 ms"
    )


def test_a_rate_that_one_did_not_keep_up_with_is_compared() -> None:
    comparison = compare(
        "journal_mode", offered(WAL, 200.0, 200.0, True), offered(DELETE, 200.0, 100.0, False)
    )
    assert comparison.kind is VerdictKind.FASTER


def test_unlike_rates_give_no_verdict() -> None:
    low, high = (Cell((("rate", level),)) for level in ("300", "100000"))
    comparison = compare(
        "rate", offered(high, 1e5, 2029.0, False), offered(low, 300.0, 300.0, True)
    )
    assert comparison.kind is VerdictKind.NOT_COMPARABLE
    assert comparison.sentence == (
        "rate=100000 and 300 were given different loads, so their throughput cannot be compared: "
        "100000 did 2,029/s of 100,000/s, 300 did 300/s of 300/s"
    )


def test_the_sentence_of_a_faster_cell() -> None:
    own = {1: 510.0, 2: 515.0, 3: 512.0, 4: 509.0, 5: 514.0}
    assert sentence(own, dict.fromkeys(own, 100.0)) == (
        "journal_mode=wal is 412 % [409, 415] faster than delete at clients=1 (5 rounds)"
    )


def test_the_sentence_of_a_slower_cell_turns_the_interval_round() -> None:
    own = {1: 81.0, 2: 82.0, 3: 83.0}
    comparison = compare(
        "journal_mode", summary(WAL, own), summary(DELETE, dict.fromkeys(own, 100.0))
    )
    assert comparison.sentence == (
        "journal_mode=wal is 18.0 % [15.5, 20.5] slower than delete at clients=1 (3 rounds)"
    )
    assert comparison.effect_percent == pytest.approx(-18.0, abs=0.01)
    assert comparison.low_percent == pytest.approx(-20.5, abs=0.1)


def test_the_sentence_where_no_difference_is_shown_says_what_could_have_been() -> None:
    own = {1: 101.0, 2: 99.0, 3: 100.5}
    assert sentence(own, dict.fromkeys(own, 100.0)) == (
        "No difference shown between journal_mode=wal and delete at clients=1 (3 rounds): "
        "0.2 % [-2.4, 2.8]; the smallest difference that this experiment could show is 3.5 %"
    )


def test_the_sentence_of_too_few_rounds() -> None:
    assert sentence({1: 100.0}, {1: 50.0, 2: 50.0}) == (
        "journal_mode=wal cannot be compared with delete at clients=1: 1 round with a valid trial "
        "of both, and two are the least"
    )


def test_the_sentence_of_rounds_without_work_names_them() -> None:
    assert sentence({1: 100.0, 2: 0.0, 3: 100.0}, {1: 50.0, 2: 50.0, 3: 0.0}) == (
        "journal_mode=wal cannot be compared with delete at clients=1: one of them did not "
        "complete a single transaction in rounds 2, 3, so no percentage can be given"
    )


def test_a_single_factor_needs_no_place() -> None:
    wal, delete = Cell((("journal_mode", "wal"),)), Cell((("journal_mode", "delete"),))
    (comparison,) = compare_cells(
        [JOURNAL], [summary(delete, {1: 1.0, 2: 1.0}), summary(wal, {1: 2.0, 2: 2.0})]
    )
    assert " at " not in comparison.sentence


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((412.0, 398.4, 426.2), ["412", "398", "426"]),
        ((1.25, 1.02, 1.48), ["1.25", "1.02", "1.48"]),
        ((8.0, 0.3, 16.0), ["8.0", "0.3", "16.0"]),
        ((0.0, 0.0, 0.0), ["0.000", "0.000", "0.000"]),
        ((-0.0, -7.0, 7.0), ["0", "-7", "7"]),
    ],
)
def test_percentages_show_what_tells_them_apart(
    values: tuple[float, ...], shown: list[str]
) -> None:
    assert percents(*values) == shown


def test_the_method_says_how_many_false_alarms_to_expect() -> None:
    assert "about 1 of the 20 comparisons" in method_text(20)
    assert "about 0.35 of the 7 comparisons" in method_text(7)
    assert "would still be expected" not in method_text(1)
    assert "95 % interval" in method_text(0)


def test_no_valid_trial_means_no_comparison() -> None:
    empty = summary(WAL, {})
    assert math.isnan(empty.throughput_per_s.mean)
    assert compare("journal_mode", empty, summary(DELETE, {1: 1.0})).kind is (
        VerdictKind.TOO_FEW_ROUNDS
    )
