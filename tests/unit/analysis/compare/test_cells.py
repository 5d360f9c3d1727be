"""Which cells are compared, by what, over which rounds, and what comes of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analysis.compare.cells import (
    compare_by,
    compare_cells,
    figure_by_round,
    primary_metric,
)
from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT, VARIATION, MetricName
from dbdyno.analysis.compare.model import Comparison, Reason, VerdictKind
from dbdyno.analysis.compare.rules import Rules, count_looks, neighbouring_factors, question_factor
from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.store.journal import ExperimentChanged, RunCompleted, TrialFinished
from dbdyno.store.model import TrialStatus
from tests.unit.analysis.compare.summaries import CLIENTS, DELETE, JOURNAL, WAL, summary
from tests.unit.store.result_builder import make_plan

RULES = Rules()


def compared(own: dict[int, float], other: dict[int, float], rules: Rules = RULES) -> Comparison:
    found = compare_by(THROUGHPUT, [JOURNAL], [summary(WAL, own), summary(DELETE, other)], rules)
    (comparison,) = found.comparisons
    return comparison


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


def test_another_level_than_the_first_may_be_the_baseline() -> None:
    journal = FactorLevels("journal_mode", ("delete", "wal"), "server.journal_mode", baseline=1)
    ((_, cell, baseline),) = compared_pairs([journal], [WAL, DELETE])
    assert (cell, baseline) == (DELETE, WAL)


def test_one_cell_meets_nobody() -> None:
    for found in compare_cells([], [summary(Cell(()), {1: 10.0})], RULES):
        assert (found.comparisons, found.effects, found.tests) == ((), (), ())


def test_the_effect_is_the_geometric_mean_of_the_rounds_ratios() -> None:
    effect = compared({1: 200.0, 2: 242.0}, {1: 100.0, 2: 100.0}).effect
    assert effect is not None
    assert effect.percent == pytest.approx(120.0)
    # Logarithms of 2 and 2.42: half their distance is also s / sqrt(2); t(0.975, 1) = 12.7062.
    margin = 12.7062 * math.log(1.21) / 2
    assert effect.low_percent == pytest.approx(100 * (2.2 * math.exp(-margin) - 1), rel=1e-5)
    assert effect.high_percent == pytest.approx(100 * (2.2 * math.exp(margin) - 1), rel=1e-5)


@pytest.mark.parametrize(
    ("throughput", "kind"),
    [
        ([110.0, 111.0, 109.0], VerdictKind.BETTER),
        ([90.0, 91.0, 89.0], VerdictKind.WORSE),
        ([101.0, 99.0, 100.5], VerdictKind.NO_DIFFERENCE_SHOWN),
        ([100.0, 100.0], VerdictKind.NO_DIFFERENCE_SHOWN),
        ([110.0], VerdictKind.TOO_FEW_ROUNDS),
        ([], VerdictKind.TOO_FEW_ROUNDS),
        ([110.0, 0.0, 109.0], VerdictKind.NOT_COMPARABLE),
    ],
)
def test_every_kind_of_verdict(throughput: list[float], kind: VerdictKind) -> None:
    own = dict(enumerate(throughput, start=1))
    comparison = compared(own, dict.fromkeys(own, 100.0))
    assert comparison.kind is kind
    assert comparison.rounds == len(throughput)


def test_what_slows_a_whole_round_falls_out() -> None:
    comparison = compared({1: 110.0, 2: 55.5, 3: 10.9}, {1: 100.0, 2: 50.0, 3: 10.0})
    assert comparison.kind is VerdictKind.BETTER
    assert comparison.effect is not None
    assert comparison.effect.percent == pytest.approx(10.0, abs=0.01)


def test_only_rounds_that_both_have_count() -> None:
    comparison = compared(
        {1: 110.0, 2: 111.0, 3: 109.0, 4: 1.0}, {5: 900.0, 3: 100.0, 2: 100.0, 1: 100.0}
    )
    assert comparison.rounds == 3
    assert comparison.kind is VerdictKind.BETTER


def test_a_round_without_work_is_named_and_has_no_percentage() -> None:
    comparison = compared({1: 100.0, 2: 0.0, 3: 100.0}, {1: 50.0, 2: 50.0, 3: 0.0})
    assert comparison.reason is Reason.IDLE
    assert comparison.idle_rounds == (2, 3)
    assert comparison.effect is None


def test_less_response_time_and_less_variation_are_better() -> None:
    values = {
        MetricName.RESPONSE_P95: {1: 5.0, 2: 5.1, 3: 4.9},
        MetricName.VARIATION: {1: 0.5, 2: 0.51, 3: 0.49},
    }
    twice = {name: {n: 2 * value for n, value in known.items()} for name, known in values.items()}
    rates = {1: 100.0, 2: 100.0, 3: 100.0}
    cells = [summary(WAL, rates, values=values), summary(DELETE, rates, values=twice)]
    for metric in (RESPONSE_P95, VARIATION):
        (comparison,) = compare_by(metric, [JOURNAL], cells, RULES).comparisons
        assert comparison.kind is VerdictKind.BETTER
        assert comparison.effect is not None
        assert comparison.effect.percent == pytest.approx(-50.0)


def test_a_rate_that_all_kept_up_with_is_answered_by_response_times() -> None:
    rates = {1: 200.0, 2: 200.0}
    values = {MetricName.RESPONSE_P95: {1: 5.0, 2: 5.0}}
    cells = [summary(cell, rates, offered_per_s=200.0, values=values) for cell in (WAL, DELETE)]
    assert primary_metric(cells) is RESPONSE_P95
    by_metric = {found.metric: found for found in compare_cells([JOURNAL], cells, RULES)}
    (throughput,) = by_metric[THROUGHPUT].comparisons
    assert (throughput.kind, throughput.reason) == (VerdictKind.NOT_COMPARABLE, Reason.GIVEN_RATE)
    (response,) = by_metric[RESPONSE_P95].comparisons
    assert response.kind is VerdictKind.NO_DIFFERENCE_SHOWN


def test_a_rate_that_one_did_not_keep_up_with_is_compared_by_throughput() -> None:
    values = {MetricName.RESPONSE_P95: {1: 5.0, 2: 5.0}}
    cells = [
        summary(WAL, {1: 200.0, 2: 200.0}, offered_per_s=200.0, values=values),
        summary(DELETE, {1: 100.0, 2: 100.0}, offered_per_s=200.0, kept_up=False, values=values),
    ]
    assert primary_metric(cells) is THROUGHPUT
    (throughput,) = compare_by(THROUGHPUT, [JOURNAL], cells, RULES).comparisons
    assert throughput.kind is VerdictKind.BETTER
    (response,) = compare_by(RESPONSE_P95, [JOURNAL], cells, RULES).comparisons
    assert response.reason is Reason.NOT_KEPT_UP


def test_unlike_rates_give_no_verdict_by_anything() -> None:
    values = {MetricName.VARIATION: {1: 5.0, 2: 5.0}}
    cells = [
        summary(WAL, {1: 300.0, 2: 300.0}, offered_per_s=300.0, values=values),
        summary(DELETE, {1: 200.0, 2: 200.0}, offered_per_s=200.0, values=values),
    ]
    for found in compare_cells([JOURNAL], cells, RULES):
        assert [each.reason for each in found.comparisons] == [Reason.UNLIKE_RATES]


@pytest.mark.parametrize(
    ("own", "kind"),
    [
        ({1: 100.4, 2: 99.6, 3: 100.2, 4: 99.9}, VerdictKind.EQUIVALENT),
        ({1: 110.0, 2: 99.0, 3: 109.0, 4: 100.0}, VerdictKind.NO_WORSE),
        ({1: 130.0, 2: 80.0, 3: 110.0, 4: 70.0}, VerdictKind.NO_DIFFERENCE_SHOWN),
        ({1: 100.9, 2: 101.0, 3: 101.1, 4: 101.0}, VerdictKind.BETTER),
    ],
)
def test_a_margin_tells_what_does_not_matter(own: dict[int, float], kind: VerdictKind) -> None:
    rules = replace(RULES, margin=0.05)
    assert compared(own, dict.fromkeys(own, 100.0), rules).kind is kind


@pytest.mark.parametrize("is_unlike", [True, False])
def test_an_effect_that_depends_on_another_factor_is_told_from_one_that_does_not(
    is_unlike: bool,
) -> None:
    generator = np.random.default_rng(11)
    cells = []
    for level in ("1", "2", "4", "8"):
        for mode in JOURNAL.levels:
            shift = 0.5 * (mode == "wal") * (level == "8" or not is_unlike)
            rates = 100 * np.exp(generator.normal(0, 0.02, 6) + shift)
            cell = Cell((("journal_mode", mode), ("clients", level)))
            cells.append(summary(cell, dict(enumerate(rates.tolist(), start=1))))
    (test, *_) = compare_by(THROUGHPUT, [JOURNAL], cells, RULES).tests
    assert test.is_unlike is is_unlike


def test_a_cell_is_called_only_where_its_factor_has_passed() -> None:
    """One cell of twelve is below 5 % by itself; all together say nothing."""
    generator = np.random.default_rng(8)
    levels = [str(2**number) for number in range(12)]
    cells = []
    for place, level in enumerate(levels):
        for mode in JOURNAL.levels:
            shift = 0.02 if (mode, place) == ("wal", 3) else 0.0
            rates = 100 * np.exp(generator.normal(0, 0.005, 6) + shift)
            cell = Cell((("journal_mode", mode), ("clients", level)))
            cells.append(summary(cell, dict(enumerate(rates.tolist(), start=1))))
    weak = compare_by(THROUGHPUT, [JOURNAL], cells, replace(RULES, significance=1e-6))
    assert not weak.tests[0].has_passed
    for each in weak.comparisons:
        assert each.effect is not None
        has_zero = each.effect.low_percent <= 0 <= each.effect.high_percent
        expected = VerdictKind.NO_DIFFERENCE_SHOWN if has_zero else VerdictKind.UNDECIDED
        assert each.kind is expected
    assert VerdictKind.UNDECIDED in {each.kind for each in weak.comparisons}
    alone = min(each.effect.p_value for each in weak.comparisons if each.effect is not None)
    strong = compare_by(THROUGHPUT, [JOURNAL], cells, replace(RULES, significance=0.05))
    shown = [each for each in strong.comparisons if each.kind is VerdictKind.BETTER]
    assert bool(shown) == (strong.tests[0].has_passed and alone < 0.05)


def test_the_whole_factor_is_the_mean_over_the_combinations() -> None:
    gains = {"1": 1.1, "4": 1.2, "16": 1.3}
    cells = [
        summary(
            Cell((("journal_mode", mode), ("clients", clients))),
            {n: 100.0 * (1 + n / 10) * (gain if mode == "wal" else 1.0) for n in (1, 2, 3)},
        )
        for clients, gain in gains.items()
        for mode in JOURNAL.levels
    ]
    (effect,) = compare_by(THROUGHPUT, [JOURNAL], cells, RULES).effects
    assert effect.effect is not None
    expected = 100 * (math.prod(gains.values()) ** (1 / 3) - 1)
    assert effect.effect.percent == pytest.approx(expected)
    assert (effect.combinations, effect.left_out, effect.rounds) == (3, 0, 3)
    assert effect.kind is VerdictKind.BETTER


def test_a_combination_without_the_rounds_of_the_others_is_left_out_and_counted() -> None:
    cells = [
        summary(
            Cell((("journal_mode", mode), ("clients", clients))),
            {n: 100.0 + n for n in ((9,) if clients == "16" else (1, 2, 3))},
        )
        for clients in CLIENTS.levels
        for mode in JOURNAL.levels
    ]
    (effect,) = compare_by(THROUGHPUT, [JOURNAL], cells, RULES).effects
    assert (effect.combinations, effect.left_out, effect.rounds) == (2, 1, 3)


def test_the_question_is_about_the_first_factor_that_is_no_load() -> None:
    cells = [
        Cell((("clients", clients), ("journal_mode", mode)))
        for clients in CLIENTS.levels
        for mode in JOURNAL.levels
    ]
    assert question_factor([CLIENTS, JOURNAL], cells) == "journal_mode"
    assert question_factor([CLIENTS, JOURNAL], cells[::2]) == "clients"
    script = replace(JOURNAL, sets="workload.script")
    assert question_factor([script, CLIENTS], cells) == "clients"
    assert question_factor([script], cells) == "journal_mode"
    pool = FactorLevels("pool", ("1G",), "server.pool")
    assert question_factor([pool], [Cell((("pool", "1G"),))]) is None


def test_rounds_that_are_added_after_a_look_are_counted_as_one_more() -> None:
    done, more = (
        RunCompleted(),
        ExperimentChanged(changes=[{"field": "procedure.rounds"}], trials=9),
    )
    trial = TrialFinished(trial=1, status=TrialStatus.COMPLETED)
    other = ExperimentChanged(changes=[{"field": "question"}], trials=6)
    assert count_looks([trial, done]) == 1
    assert count_looks([trial, more, trial, done]) == 1
    assert count_looks([trial, done, other, done]) == 1
    assert count_looks([trial, done, more, trial, done]) == 2
    assert count_looks([done, more, done, more, done]) == 3


def test_factors_whose_cells_ran_one_after_the_other_are_known_by_the_order() -> None:
    plan = make_plan([JOURNAL, CLIENTS], rounds=2)
    assert neighbouring_factors(plan) == {"clients"}
    assert neighbouring_factors(make_plan([JOURNAL], rounds=2)) == {"journal_mode"}


def test_a_percentile_that_slow_rounds_lack_is_compared_by_none() -> None:
    """Rounds without it had too few transactions, and so were the slow ones."""
    rates = {1: 100.0, 2: 20.0, 3: 100.0}
    whole = summary(WAL, rates, values={MetricName.RESPONSE_P95: {1: 10.0, 2: 90.0, 3: 10.0}})
    partial = summary(DELETE, rates, values={MetricName.RESPONSE_P95: {1: 10.0, 3: 10.0}})
    (comparison,) = compare_by(RESPONSE_P95, [JOURNAL], [whole, partial], RULES).comparisons
    assert (comparison.kind, comparison.reason) == (VerdictKind.NOT_COMPARABLE, Reason.FEW_TIMES)
    assert figure_by_round(whole, RESPONSE_P95) == {1: 10.0, 2: 90.0, 3: 10.0}
    assert figure_by_round(partial, RESPONSE_P95) == {}
    full = summary(DELETE, rates, values={MetricName.RESPONSE_P95: {1: 10.0, 2: 80.0, 3: 10.0}})
    (comparison,) = compare_by(RESPONSE_P95, [JOURNAL], [whole, full], RULES).comparisons
    assert comparison.effect is not None
