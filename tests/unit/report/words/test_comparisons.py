"""What comparisons say: each kind of verdict, by each metric, as a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.analysis.compare.cells import compare_by, compare_cells
from dbdyno.analysis.compare.metric import (
    METRICS,
    RESPONSE_P95,
    THROUGHPUT,
    VARIATION,
    Metric,
    MetricName,
)
from dbdyno.analysis.compare.model import Effect, FactorEffect, VerdictKind
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.throughput import NOPM
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.report.words.comparisons import (
    all_of,
    comparison_sentence,
    effect_sentence,
    more_rounds,
)
from dbdyno.report.words.method import method_paragraphs
from dbdyno.report.words.percents import percents
from tests.plain import plain
from tests.unit.analysis.compare.summaries import DELETE, JOURNAL, WAL, findings_of, summary

RULES = Rules()


def said(own: CellSummary, other: CellSummary, metric: Metric = THROUGHPUT) -> str:
    (comparison,) = compare_by(metric, [JOURNAL], [own, other], RULES).comparisons
    return plain(comparison_sentence(comparison, findings_of(own, other)))


def by_throughput(own: dict[int, float], other: dict[int, float]) -> str:
    return said(summary(WAL, own), summary(DELETE, other))


def by(metric: MetricName, own: float, other: float) -> str:
    rates, scatter = dict.fromkeys((1, 2, 3), 100.0), {1: 0.99, 2: 1.0, 3: 1.01}
    cells = [
        summary(cell, rates, values={metric: {n: value * each for n, each in noise.items()}})
        for cell, value, noise in (
            (WAL, own, scatter),
            (DELETE, other, dict.fromkeys(scatter, 1.0)),
        )
    ]
    metrics = {each.name: each for each in METRICS}
    return said(cells[0], cells[1], metrics[metric])


def test_the_sentence_of_a_faster_cell() -> None:
    own = {1: 510.0, 2: 515.0, 3: 512.0, 4: 509.0, 5: 514.0}
    assert by_throughput(own, dict.fromkeys(own, 100.0)) == (
        "journal_mode=wal is 412 % [409, 415] faster than delete at clients=1 (5 rounds)"
    )


def test_the_sentence_of_a_slower_cell_turns_the_interval_round() -> None:
    own = {1: 81.0, 2: 82.0, 3: 83.0}
    assert by_throughput(own, dict.fromkeys(own, 100.0)) == (
        "journal_mode=wal is 18.0 % [15.5, 20.5] slower than delete at clients=1 (3 rounds)"
    )


def test_the_sentence_where_no_difference_is_shown_says_what_is_excluded() -> None:
    own = {1: 101.0, 2: 99.0, 3: 100.5}
    assert by_throughput(own, dict.fromkeys(own, 100.0)) == (
        "No difference shown between journal_mode=wal and delete at clients=1 (3 rounds): "
        "0.2 % [−2.4, 2.8]; more than 2.8 % faster or 2.4 % slower is excluded "
        "(95 %, for this comparison alone)"
    )


def test_it_says_how_many_rounds_would_show_five_percent() -> None:
    """Of three rounds the scatter may be a half of the true one, and three times as much."""
    own = {1: 110.0, 2: 92.0, 3: 105.0}
    assert by_throughput(own, dict.fromkeys(own, 100.0)).endswith(
        "; 5 % would take 15 to 300 rounds to show"
    )


def test_what_is_too_noisy_to_tell_has_no_figures() -> None:
    own = {1: 300.0, 2: 40.0, 3: 90.0}
    assert by_throughput(own, dict.fromkeys(own, 100.0)) == (
        "No difference shown between journal_mode=wal and delete at clients=1 (3 rounds): too "
        "noisy to tell; 5 % would take more than 1,000 rounds to show"
    )


def test_the_sentence_of_too_few_rounds() -> None:
    assert by_throughput({1: 100.0}, {1: 50.0, 2: 50.0}) == (
        "journal_mode=wal cannot be compared with delete at clients=1: 1 round with a valid trial "
        "of both, and two are the least"
    )


def test_the_sentence_of_rounds_without_work_names_them() -> None:
    assert by_throughput({1: 100.0, 2: 0.0, 3: 100.0}, {1: 50.0, 2: 50.0, 3: 0.0}) == (
        "journal_mode=wal cannot be compared with delete at clients=1: one of them did not "
        "complete a single transaction in rounds 2, 3, so no percentage can be given"
    )


def test_sentences_of_response_times_and_steadiness() -> None:
    assert by(MetricName.RESPONSE_P95, 8.0, 10.0) == (
        "The p95 of response time of journal_mode=wal is 20.0 % [18.0, 22.0] shorter than that of "
        "delete at clients=1 (3 rounds)"
    )
    assert by(MetricName.VARIATION, 0.2, 0.1).startswith(
        "journal_mode=wal is less steady than delete at clients=1: its throughput varies 100 % ["
    )
    assert by(MetricName.RESPONSE_P99, 10.02, 10.0).startswith(
        "No difference shown between journal_mode=wal and delete at clients=1 (3 rounds): 0.2 % "
        "[−2.3, 2.7]; an increase of more than 2.7 % or a decrease of more than 2.3 % is excluded"
    )


def test_a_rate_that_both_kept_up_with_leads_to_response_times() -> None:
    cells = [
        summary(cell, {1: 200.0, 2: 200.0}, offered_per_s=200.0, p99_ms=p99_ms)
        for cell, p99_ms in ((WAL, 3.3), (DELETE, 2.84))
    ]
    assert said(cells[0], cells[1]) == (
        "journal_mode=wal and delete at clients=1 both kept up with the 200/s offered, so that "
        "throughput cannot tell them apart; compare response times: p99 3.30 ms against 2.84 ms"
    )


def test_response_times_of_a_server_that_falls_behind_are_not_compared() -> None:
    rates = {1: 200.0, 2: 200.0}
    behind = summary(WAL, {1: 90.0, 2: 90.0}, offered_per_s=200.0, kept_up=False)
    assert said(behind, summary(DELETE, rates, offered_per_s=200.0), RESPONSE_P95) == (
        "journal_mode=wal cannot be compared with delete at clients=1 by response time: wal did "
        "90/s of 200/s, delete did 200/s of 200/s; where load piles up, response times grow with "
        "the length of the trial"
    )


def test_unlike_rates() -> None:
    low, high = (
        summary(
            Cell((("rate", level),)), {1: done, 2: done}, offered_per_s=rate, kept_up=rate < 1e4
        )
        for level, rate, done in (("300", 300.0, 300.0), ("100000", 1e5, 2029.0))
    )
    factor = FactorLevels("rate", ("300", "100000"), "load.rate")
    (comparison,) = compare_by(THROUGHPUT, [factor], [high, low], RULES).comparisons
    assert plain(comparison_sentence(comparison, findings_of(low, high))) == (
        "rate=100000 and 300 were given different loads, so they cannot be compared: 100000 did "
        "2,029/s of 100,000/s, 300 did 300/s of 300/s"
    )


def test_a_single_factor_needs_no_place() -> None:
    wal, delete = Cell((("journal_mode", "wal"),)), Cell((("journal_mode", "delete"),))
    assert " at " not in said(summary(wal, {1: 2.0, 2: 2.0}), summary(delete, {1: 1.0, 2: 1.0}))


EFFECT = Effect(10.0, 5.0, 15.0, 0.001, 0.02, 5, 6)


def test_an_effect_over_nothing_says_so() -> None:
    nothing = FactorEffect("pool", "1G", "16M", VerdictKind.TOO_FEW_ROUNDS, 0, 0, 2)
    assert all_of(nothing) == "no combination"


def test_the_sentence_of_a_whole_factor_counts_its_combinations() -> None:
    whole = FactorEffect("pool", "1G", "16M", VerdictKind.BETTER, 6, 3, 0, EFFECT)
    assert plain(effect_sentence(whole)) == (
        "pool=1G is 10 % [5, 15] faster than 16M over all 3 combinations (6 rounds)"
    )
    assert "over both combinations" in effect_sentence(replace(whole, combinations=2))
    assert "over 3 of 5 combinations (the others share too few rounds)" in effect_sentence(
        replace(whole, left_out=2)
    )


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (VerdictKind.EQUIVALENT, "pool=1G and 16M are equivalent (6 rounds): 10 % [5, 15]"),
        (VerdictKind.NO_WORSE, "pool=1G is no worse than 16M (6 rounds): 10 % [5, 15]"),
    ],
)
def test_sentences_of_margins(kind: VerdictKind, words: str) -> None:
    effect = FactorEffect("pool", "1G", "16M", kind, 6, 1, 0, EFFECT)
    assert plain(effect_sentence(effect)) == words


def test_what_is_undecided_is_told_apart_from_what_has_zero_in_its_interval() -> None:
    effect = FactorEffect("pool", "1G", "16M", VerdictKind.UNDECIDED, 6, 1, 0, EFFECT)
    assert plain(effect_sentence(effect)) == (
        "Undecided whether pool=1G differs from 16M (6 rounds): 10 % [5, 15], and nothing is shown "
        "after the correction for all comparisons"
    )


def test_response_times_of_new_orders_alone_say_so() -> None:
    effect = FactorEffect(
        "pool", "1G", "16M", VerdictKind.WORSE, 6, 1, 0, EFFECT, metric=RESPONSE_P95
    )
    assert plain(effect_sentence(effect, NOPM)).startswith(
        "The p95 of New-Orders' response time of pool=1G is 10 % [5, 15] longer"
    )
    assert plain(effect_sentence(effect)).startswith("The p95 of response time of pool=1G")


@pytest.mark.parametrize(("combinations", "where"), [(1, ""), (3, " in every combination")])
def test_rounds_that_would_show_a_difference_are_for_all_combinations(
    combinations: int, where: str
) -> None:
    scattered = replace(EFFECT, low_percent=-9.0, deviation=0.2)
    kind = VerdictKind.NO_DIFFERENCE_SHOWN
    effect = FactorEffect("pool", "1G", "16M", kind, 6, combinations, 0, scattered)
    said = f"; 5 %{where} would take 70 to 500 rounds to show"
    assert plain(effect_sentence(effect)).endswith(said)


def test_enough_rounds_are_not_talked_of() -> None:
    scattered = replace(EFFECT, deviation=0.2)
    assert more_rounds(EFFECT, 0.05, "5 %") == ""
    assert more_rounds(scattered, 0.05, "5 %") == "5 % would take 70 to 500 rounds to show"
    strict = replace(scattered, level=0.001)
    assert more_rounds(strict, 0.05, "5 %") == "5 % would take 100 to 900 rounds to show"


@pytest.mark.parametrize("percent", [60.0, 100 * (1 / 1.6 - 1)])
def test_of_what_is_undecided_it_is_the_difference_that_was_found(percent: float) -> None:
    """Up or down, the same ratio takes as many rounds."""
    found = replace(EFFECT, percent=percent, deviation=0.3, level=0.001)
    effect = FactorEffect("pool", "1G", "16M", VerdictKind.UNDECIDED, 6, 1, 0, found)
    assert plain(effect_sentence(effect)).endswith(
        "; this difference would take 9 to 30 rounds to show"
    )


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((412.0, 398.4, 426.2), ["412", "398", "426"]),
        ((1.25, 1.02, 1.48), ["1.25", "1.02", "1.48"]),
        ((8.0, 0.3, 16.0), ["8.0", "0.3", "16.0"]),
        ((0.0, 0.0, 0.0), ["0.000", "0.000", "0.000"]),
        ((-0.0, -7.0, 7.0), ["0", "-7", "7"]),
        ((0.03, -33.33, 50.09), ["0", "-33", "50"]),
        ((-0.2, -3.0, 2.1), ["-0.2", "-3.0", "2.1"]),
    ],
)
def test_percentages_show_what_tells_them_apart(
    values: tuple[float, ...], shown: list[str]
) -> None:
    assert percents(*values) == shown


def method_words(findings: Findings) -> str:
    return " ".join(" ".join(method_paragraphs(findings)).split())


def test_the_method_names_what_answers_and_how_sure_the_report_is() -> None:
    cells = [summary(WAL, {1: 2.0, 2: 2.0}), summary(DELETE, {1: 1.0, 2: 1.0})]
    compared = compare_cells([JOURNAL], cells, RULES)
    words = method_words(replace(findings_of(*cells), compared=compared))
    assert "The question is answered by throughput." in words
    assert "First the levels of journal_mode are tested on the mean" in words
    assert "calls anything a difference that is none is at most 6.6 %" in words
    assert "this is look" not in words
    again = replace(findings_of(*cells), compared=compared, looks=2)
    assert "this is look 2: each look has a level of significance of 2.5 %" in method_words(again)
    assert len(method_paragraphs(findings_of(*cells))) == 2
    assert {each.metric for each in compared} >= {THROUGHPUT, VARIATION}
