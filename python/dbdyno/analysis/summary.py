"""One cell over its valid trials: throughput with its interval, merged histograms, counters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from dbdyno._native import Histogram
from dbdyno.analysis.clients import mean_clients
from dbdyno.analysis.compare.metric import QUANTILES, MetricName
from dbdyno.analysis.compare.resolution import OF_OUR_HISTOGRAMS, of_counts
from dbdyno.analysis.compare.trial_figures import TrialFigures, series_of
from dbdyno.analysis.estimates import coefficient_of_variation, geometric_mean
from dbdyno.analysis.findings import CellSummary, IntervalSeries, Percentiles, TrialReason
from dbdyno.analysis.generators import summarise_generators
from dbdyno.analysis.hosts import summarise_hosts
from dbdyno.analysis.interval_counts import FINISHED
from dbdyno.analysis.session_summary import summarise_sending
from dbdyno.analysis.size import summarise_size
from dbdyno.analysis.throughput import TRANSACTIONS, ThroughputMeasure
from dbdyno.analysis.tpcc.conformance import conformance_of
from dbdyno.analysis.tpcc.requirements import in_order
from dbdyno.analysis.validity.rate import rate_not_reached
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.plan import Cell
from dbdyno.protocol.intervals import FAILED_RESPONSE
from dbdyno.store.layout import ALL_TRANSACTIONS
from dbdyno.times import merge_all, quantile_ms


def summarise(
    cell: Cell,
    trials: Sequence[WindowTotals],
    excluded: Sequence[tuple[int, TrialReason]],
    measure: ThroughputMeasure = TRANSACTIONS,
    figures: Mapping[int, TrialFigures] | None = None,
) -> CellSummary:
    """Return the summary of a cell; ``trials`` are its valid ones, at most one per round."""
    known = figures or {}
    in_order = sorted(trials, key=lambda measured: measured.trial.planned.round)
    throughput = np.array([measured.of_kind_per_s(measure.kind) for measured in in_order])
    of_all = np.array([measured.throughput_per_s for measured in in_order])
    total = {
        name: sum(measured.totals[name] for measured in in_order)
        for name in (*FINISHED, "failed", "retries", "first_attempt_aborts")
    }
    finished = sum(total[name] for name in FINISHED)
    statements = sum(measured.statements for measured in in_order)
    dropped = _over_all_phases(in_order, "dropped")
    kept_up = all(rate_not_reached(measured) is None for measured in in_order)
    failed_response = _percentiles(in_order, FAILED_RESPONSE)
    return CellSummary(
        cell=cell,
        throughput_per_s=geometric_mean(throughput),
        throughput_by_round=tuple(
            (measured.trial.planned.round, measured.of_kind_per_s(measure.kind))
            for measured in in_order
        ),
        rounds=tuple(measured.trial.planned.round for measured in in_order),
        coefficient_of_variation=coefficient_of_variation(throughput),
        response=_percentiles(in_order, "response"),
        service=_percentiles(in_order, "service"),
        lag=_percentiles(in_order, "lag"),
        failed_response=failed_response,
        asked_response=_asked(in_order, failed_response),
        committed=total["committed"],
        rolled_back=total["rolled_back"],
        failed=total["failed"],
        dropped=dropped,
        retries=total["retries"],
        first_attempt_abort_share=_share(total["first_attempt_aborts"], finished + total["failed"]),
        statements_per_transaction=_share(statements, finished),
        window_s=sum(measured.window_s for measured in in_order),
        series=tuple(_series(each, known.get(each.number), measure) for each in in_order),
        series_of_all=tuple(
            found.series_of_all
            for each in in_order
            if (found := known.get(each.number)) and found.series_of_all
        ),
        excluded=tuple(excluded),
        offered_per_s=in_order[0].offered_per_s if in_order else None,
        kept_up=kept_up,
        dropped_share=_share(dropped, _over_all_phases(in_order, "scheduled")),
        sending=summarise_sending(in_order),
        hosts=summarise_hosts(in_order),
        generators=summarise_generators(in_order),
        transactions_per_s=None if measure.kind is None else geometric_mean(of_all),
        conformance=conformance_of(in_order, in_order, is_partly_served=dropped > 0 or not kept_up),
        size=summarise_size(in_order),
        values_by_round=_values_by_round(in_order, known),
        resolution={
            MetricName.THROUGHPUT: of_counts(
                per_s * each.window_s for per_s, each in zip(throughput, in_order, strict=True)
            ),
            **{metric.name: OF_OUR_HISTOGRAMS for metric in QUANTILES},
        },
        clients=mean_clients(in_order),
        always_asks=all(measured.always_asks for measured in in_order),
    )


def _values_by_round(
    trials: Sequence[WindowTotals], figures: Mapping[int, TrialFigures]
) -> dict[MetricName, tuple[tuple[int, float], ...]]:
    known = {
        each.trial.planned.round: figures[each.number].values
        for each in trials
        if each.number in figures
    }
    return {
        metric: tuple(
            (number, values[metric]) for number, values in known.items() if metric in values
        )
        for metric in MetricName
    }


def _series(
    measured: WindowTotals, known: TrialFigures | None, measure: ThroughputMeasure
) -> IntervalSeries:
    return known.series if known and known.series else series_of(measured, measure.kind)


def _over_all_phases(trials: Sequence[WindowTotals], counter: str) -> int:
    """Sum up a counter over whole trials: that work is dropped turns out after the window."""
    return sum(measured.counts.whole_total(counter) for measured in trials)


def _percentiles(trials: Sequence[WindowTotals], *measures: str) -> dict[str, Percentiles]:
    """Return percentiles by transaction, and over all where there is more than one kind.

    Several measures are taken together.
    """
    names = in_order({name for measured in trials for name in measured.transactions})
    merged = {name: Histogram() for name in names}
    # One trial after the other: decoded, those of thousands would not fit into memory.
    for measured in trials:
        for measure in measures:
            for name, histogram in measured.parts_of_times(measure):
                merged[name].merge(histogram)
    if len(merged) > 1:
        merged[ALL_TRANSACTIONS] = merge_all(merged.values())
    return {
        name: _percentiles_of(histogram) for name, histogram in merged.items() if histogram.count
    }


def _percentiles_of(histogram: Histogram) -> Percentiles:
    p50, p90, p95, p99, p999, largest = (
        quantile_ms(histogram, quantile) or 0.0 for quantile in (0.5, 0.9, 0.95, 0.99, 0.999, 1.0)
    )
    return Percentiles(p50, p90, p95, p99, p999, largest, histogram.count)


def _asked(trials: Sequence[WindowTotals], failed: Collection[str]) -> dict[str, Percentiles]:
    """Return response times of all that were asked for, of those kinds of which some failed."""
    if not failed:
        return {}
    of_all = _percentiles(trials, "response", FAILED_RESPONSE)
    return {kind: of_all[kind] for kind in failed}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
