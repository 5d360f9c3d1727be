"""Every cell against the baseline level of every factor, by each metric that there is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from dbdyno.analysis.clients import ALL_IN_EFFECT
from dbdyno.analysis.compare.judge import judge
from dbdyno.analysis.compare.metric import (
    METRICS,
    QUANTILES,
    RESPONSE_P95,
    THROUGHPUT,
    Metric,
    MetricName,
)
from dbdyno.analysis.compare.model import (
    Comparison,
    MetricComparisons,
    Reason,
    VerdictKind,
)
from dbdyno.analysis.compare.multiple_testing import REST
from dbdyno.analysis.compare.partial_means import partial_means
from dbdyno.analysis.compare.ratios import Pair
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.estimates import geometric_mean
from dbdyno.analysis.findings import CellSummary, Estimate
from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.plan import Cell, Contrast, FactorLevels

SECONDARY = 0.1
"""The level of all metrics but the primary one together, as a share of the full one."""


def compare_cells(
    factors: Sequence[FactorLevels], summaries: Sequence[CellSummary], rules: Rules
) -> tuple[MetricComparisons, ...]:
    """Return the comparisons by each metric, those by the primary one first.

    The others share a small level of significance (Bonferroni), and what the factor in question
    hands on to them where it has shown a difference by the primary one.
    """
    primary = compare_by(primary_metric(summaries), factors, summaries, rules)
    others = [metric for metric in METRICS if metric is not primary.metric]
    shared = SECONDARY * rules.significance + primary.handed_on / (1 + REST)
    secondary = replace(rules, significance=shared / len(others), margin=None)
    return (
        primary,
        *(compare_by(metric, factors, summaries, secondary) for metric in others),
    )


def primary_metric(summaries: Sequence[CellSummary]) -> Metric:
    """Return what the question is answered by.

    Where load comes from outside (an open loop, terminals that think) and all cells kept up with
    it, throughput was given, and the response time answers.
    """
    known = [each for each in summaries if each.throughput_by_round]
    is_given = bool(known) and all(not each.always_asks and each.kept_up for each in known)
    return RESPONSE_P95 if is_given else THROUGHPUT


def compare_by(
    metric: Metric,
    factors: Sequence[FactorLevels],
    summaries: Sequence[CellSummary],
    rules: Rules,
) -> MetricComparisons:
    """Return the comparisons by one metric, factor by factor, in the order of the cells."""
    by_cell = {summary.cell: summary for summary in summaries}
    pairs: list[Pair] = []
    without: list[Comparison] = []
    for factor, cell, baseline in compared_pairs(factors, list(by_cell)):
        own, other = by_cell[cell], by_cell[baseline]
        reason, idle = _why_not(metric, own, other, is_paired=factor not in rules.unpaired)
        if reason is None:
            pairs.append(pair_of(factor, own, other, metric))
            continue
        rounds = len(set(own.rounds) & set(other.rounds))
        without.append(
            Comparison(
                factor,
                cell,
                baseline,
                VerdictKind.NOT_COMPARABLE,
                rounds,
                reason=reason,
                idle_rounds=idle,
                metric=metric,
            )
        )
    judged = judge(metric, pairs, without, rules)
    order = {pair: place for place, pair in enumerate(compared_pairs(factors, list(by_cell)))}
    in_order = sorted(
        judged.comparisons, key=lambda each: order[each.factor, each.cell, each.baseline]
    )
    not_both = _not_both(order, by_cell)
    effects = (
        replace(each, not_both=not_both[each.factor, each.contrast]) for each in judged.effects
    )
    return replace(
        judged,
        effects=tuple(effects),
        comparisons=tuple(in_order),
        partial_means=tuple(partial_means(metric, pairs, factors)),
    )


def _not_both(
    pairs: Iterable[tuple[str, Cell, Cell]], cells: Iterable[Cell]
) -> dict[tuple[str, Contrast], int]:
    """Return of how many combinations a factor's level or its baseline has no cell."""
    both = Counter((factor, cell.contrast(factor, base)) for factor, cell, base in pairs)
    every = list(cells)
    all_of = {factor: len({cell.without(factor) for cell in every}) for factor, _ in both}
    return {(factor, each): all_of[factor] - count for (factor, each), count in both.items()}


def figure_by_round(summary: CellSummary, metric: Metric) -> dict[int, float]:
    """Return the metric by round, of those rounds in which the cell has a valid trial.

    Nothing of a percentile for which some round had too few transactions: what slow rounds lack
    would make the others look fast.
    """
    if metric is THROUGHPUT:
        known = dict(summary.throughput_by_round)
    else:
        known = dict(summary.values_by_round.get(metric.name, ()))
    if metric in QUANTILES and not known.keys() >= set(summary.rounds):
        return {}
    return {number: known[number] for number in summary.rounds if number in known}


def _lacks_rounds(summary: CellSummary, metric: Metric) -> bool:
    """Tell whether some of a cell's rounds have a percentile, and others do not."""
    known = dict(summary.values_by_round.get(metric.name, ()))
    return bool(known) and not known.keys() >= set(summary.rounds)


def pair_of(factor: str, own: CellSummary, other: CellSummary, metric: Metric) -> Pair:
    """Return two cells that differ in a factor, with how finely their ratio is known."""
    by_round = (figure_by_round(each, metric) for each in (own, other))
    steps = (each.resolution.get(metric.name, 0.0) for each in (own, other))
    return Pair(factor, own.cell, other.cell, *by_round, resolution=math.hypot(*steps))


def mean_by_round(summary: CellSummary, metric: Metric) -> Estimate:
    """Return the geometric mean of a cell's figures by round, with its 95 % interval.

    A percentile of all trials merged has other ratios, as soon as rounds scatter.
    """
    return geometric_mean(np.array(list(figure_by_round(summary, metric).values())))


def compared_means(
    baseline: CellSummary, cell: CellSummary, metric: Metric, *, is_paired: bool
) -> tuple[float, float] | None:
    """Return the geometric means whose ratio is an effect; None where one of them is not known.

    Paired cells have them over the rounds that both have.
    """
    by_round = [figure_by_round(each, metric) for each in (baseline, cell)]
    if is_paired:
        common = by_round[0].keys() & by_round[1].keys()
        by_round = [{number: each[number] for number in common} for each in by_round]
    if not all(by_round):
        return None
    first, second = (geometric_mean(np.array(list(each.values()))).mean for each in by_round)
    return first, second


def _why_not(
    metric: Metric, own: CellSummary, other: CellSummary, *, is_paired: bool
) -> tuple[Reason | None, tuple[int, ...]]:
    """Return why two cells have no ratio by a metric, and the rounds that it is for.

    Where rounds are paired, one that only one of the two has is in no ratio.
    """
    if not own.throughput_by_round or not other.throughput_by_round:
        return None, ()
    rates = {own.offered_per_s, other.offered_per_s}
    if len(rates) > 1:
        return Reason.UNLIKE_RATES, ()
    both_kept_up = own.kept_up and other.kept_up
    if metric.name is MetricName.THROUGHPUT:
        if rates != {None} and both_kept_up:
            return Reason.GIVEN_RATE, ()
        idle = {*own.idle_rounds, *other.idle_rounds}
        if is_paired:
            idle &= set(own.rounds) & set(other.rounds)
        return (Reason.IDLE, tuple(sorted(idle))) if idle else (None, ())
    if metric.name is MetricName.VARIATION:
        return None, ()
    return _why_no_times(metric, own, other), ()


def _why_no_times(metric: Metric, own: CellSummary, other: CellSummary) -> Reason | None:
    if _lacks_rounds(own, metric) or _lacks_rounds(other, metric):
        return Reason.FEW_TIMES
    if not (own.kept_up and other.kept_up):
        return Reason.NOT_KEPT_UP
    own_clients, others = own.clients or ALL_IN_EFFECT, other.clients or ALL_IN_EFFECT
    return None if own_clients.is_like(others) else Reason.UNLIKE_CLIENTS
