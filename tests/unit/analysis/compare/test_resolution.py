"""Figures that are told coarsely: rounds that agree to the last digit are not certain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbdyno.analysis.compare.cells import compare_by
from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT, MetricName
from dbdyno.analysis.compare.model import SHOWN, Effect
from dbdyno.analysis.compare.resolution import OF_OUR_HISTOGRAMS, of_counts, of_told
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.compare.significance import interaction_p_value
from dbdyno.analysis.imported.analyse import analyse_evidence
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.importer import mysqlslap
from dbdyno.importer.log import Log
from dbdyno.trial_evidence import ResultEvidence, Source, Times, TrialEvidence
from tests.unit.analysis.compare.summaries import summary

SIDE = FactorLevels("side", ("a", "b"), "target")
BUCKET = 1e8 ** (1 / 1023) - 1
"""A bucket of sysbench's histogram is wider than the one before by this share."""


def logs(by_side: dict[str, list[float]], tool: str = "sysbench") -> ResultEvidence:
    """Return logs with a p95 each, and throughput that tells nothing."""
    return ResultEvidence(
        name="logs",
        trials=tuple(
            TrialEvidence(
                source=Source(tool=tool, path=f"{side}{number}.log"),
                levels=(("side", side),),
                round=number,
                throughput_per_s=1000.0 + 7.25 * number,
                times=Times(quantiles_ms={0.95: value}),
            )
            for side, values in by_side.items()
            for number, value in enumerate(values, start=1)
        ),
    )


def effect_of_p95(by_side: dict[str, list[float]], tool: str = "sysbench") -> Effect:
    found = analyse_evidence(logs(by_side, tool))
    (compared,) = (each for each in found.compared if each.metric is RESPONSE_P95)
    (comparison,) = compared.comparisons
    assert comparison.effect is not None
    return comparison.effect


def test_neighbouring_buckets_are_no_difference() -> None:
    effect = effect_of_p95({"a": [9.22] * 3, "b": [9.39] * 3})
    assert effect.percent == pytest.approx(1.84, abs=0.01)
    assert effect.low_percent < 0 < effect.high_percent


@pytest.mark.parametrize("tool", ["go-tpc", "cockroach"])
def test_buckets_of_one_digit_are_wide(tool: str) -> None:
    effect = effect_of_p95({"a": [37.7] * 3, "b": [39.8] * 3}, tool)
    assert effect.low_percent < 0 < effect.high_percent


def test_a_tool_that_prints_whole_milliseconds_does_not_tell_nine_from_ten() -> None:
    effect = effect_of_p95({"a": [9.0] * 3, "b": [10.0] * 3}, tool="tpcc-mysql")
    assert effect.low_percent < 0 < effect.high_percent
    far = effect_of_p95({"a": [9.0] * 3, "b": [90.0] * 3}, tool="tpcc-mysql")
    assert far.low_percent > 0


def test_the_figure_with_most_digits_says_how_many_are_printed() -> None:
    found = of_told(("tool", {MetricName.THROUGHPUT: value}) for value in (1234.5, 1200.25, 1200.0))
    assert found["tool"][MetricName.THROUGHPUT] == pytest.approx(0.01 / 1200)


def test_a_rate_that_is_printed_a_minute_has_its_digits_there() -> None:
    found = of_told(("go-tpc", {MetricName.THROUGHPUT: tpm / 60}) for tpm in (31500.1, 31507.0))
    assert found["go-tpc"][MetricName.THROUGHPUT] == pytest.approx(0.1 / 31500.1)


def test_a_rate_is_known_as_finely_as_the_seconds_that_it_was_divided_by() -> None:
    text = "    Average number of seconds to run all queries: 0.0{} seconds\n"
    rest = (
        "    Number of clients running queries: 1\n    Average number of queries per client: 100\n"
    )
    trials = [
        replace(trial, levels=(("side", side),), round=number)
        for side, thousandths in (("a", 12), ("b", 13))
        for number in (1, 2, 3)
        for trial in mysqlslap.read(
            Log(Path("slap.log"), f"Benchmark\n{text.format(thousandths)}{rest}".encode())
        )
    ]
    found = analyse_evidence(ResultEvidence(name="logs", trials=tuple(trials)))
    (compared,) = (each for each in found.compared if each.metric is THROUGHPUT)
    effect = compared.comparisons[0].effect
    assert effect is not None
    assert effect.low_percent < 0 < effect.high_percent


def test_a_rate_is_told_as_finely_as_its_fewest_transactions() -> None:
    assert of_counts([1000.0, 50.0]) == 0.02
    assert of_counts([]) == 0.0


def test_contrasts_that_do_not_scatter_at_all_are_not_certain() -> None:
    ties = np.tile([[0.0, BUCKET]], (4, 1))
    assert interaction_p_value([ties]) == 0.0
    assert interaction_p_value([ties], resolution=BUCKET) > 0.05


@pytest.mark.parametrize("rounds", [2, 3, 4, 6])
@pytest.mark.parametrize("scatter", [0.0002, 0.001, 0.005])
@pytest.mark.parametrize("step", [OF_OUR_HISTOGRAMS, BUCKET])
def test_rounded_figures_seldom_show_a_difference_where_there_is_none(
    rounds: int, scatter: float, step: float
) -> None:
    random = np.random.default_rng(50)
    shown, covered = 0, []
    for _ in range(300):
        centre = random.uniform(0, 1)
        cells = []
        for side, change in (("a", 0.0), ("b", 0.0)):
            exact = centre + change + random.normal(0, scatter, rounds)
            told = np.exp(np.round(exact / np.log1p(step)) * np.log1p(step))
            known = dict(enumerate(told.tolist(), start=1))
            cells.append(
                summary(
                    Cell((("side", side),)),
                    dict.fromkeys(known, 1.0),
                    values={MetricName.RESPONSE_P95: known},
                    resolution={MetricName.RESPONSE_P95: step},
                )
            )
        (found,) = compare_by(RESPONSE_P95, [SIDE], cells, Rules("side")).comparisons
        assert found.effect is not None
        shown += found.kind in SHOWN
        covered.append(found.effect.low_percent <= 0 <= found.effect.high_percent)
    # 5 % of 300 are 15, with a standard error of 3.8.
    assert shown <= 26
    assert np.mean(covered) >= 0.91
