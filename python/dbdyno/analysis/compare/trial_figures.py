"""The figures of each trial that cells are compared by; a trial's tables are read once.

Whatever a report says of single trials is taken here, trial by trial: tables are not kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dbdyno.analysis.compare.metric import QUANTILES, MetricName, TrialValues
from dbdyno.analysis.cost.model import TrialCosts
from dbdyno.analysis.cost.trial_costs import costs_of
from dbdyno.analysis.findings import IntervalSeries
from dbdyno.analysis.steadiness.model import TrialSteadiness
from dbdyno.analysis.steadiness.trial_steadiness import steadiness_of, variation_of
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.analysis.window_resources import in_window
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.layout import overall_key
from dbdyno.times import quantile_ms

FEWEST_BEYOND = 10
"""A percentile is a figure of a trial where at least so many transactions took longer."""


@dataclass(frozen=True)
class TrialFigures:
    """One trial: what cells are compared by, and the p95 of all kinds together."""

    values: TrialValues = field(default_factory=dict)
    p95_ms: float | None = None
    costs: TrialCosts = field(default_factory=dict)
    steadiness: TrialSteadiness | None = None
    """None where it has too few intervals."""
    series: IntervalSeries | None = None
    """None where nobody has looked at the trial."""
    series_of_all: IntervalSeries | None = None
    """Of all transactions, where throughput counts one kind of them."""


def figures_of(measured: WindowTotals, measure: ThroughputMeasure) -> TrialFigures:
    """Return a trial's figures; response times are of the transactions that throughput counts."""
    everything = measured.all_times("response")
    counted = everything if measure.kind is None else measured.times("response").get(measure.kind)
    values: TrialValues = {MetricName.THROUGHPUT: measured.of_kind_per_s(measure.kind)}
    for metric, quantile in QUANTILES.items():
        if counted is not None and counted.count * (1 - quantile) >= FEWEST_BEYOND:
            value_ms = quantile_ms(counted, quantile)
            if value_ms is not None and np.isfinite(value_ms) and value_ms > 0:
                values[metric.name] = value_ms
    rates_per_s = measured.of_kind_by_interval_per_s(measure.kind)[measured.whole]
    watched = in_window(measured)
    steadiness = steadiness_of(measured, rates_per_s, watched)
    variation = variation_of(rates_per_s)
    if variation:
        values[MetricName.VARIATION] = variation
    return TrialFigures(
        values,
        quantile_ms(everything, 0.95),
        costs_of(measured, watched),
        steadiness,
        series_of(measured, measure.kind),
        None if measure.kind is None else series_of(measured, None),
    )


def series_of(measured: WindowTotals, kind: str | None) -> IntervalSeries:
    """Return throughput and response times over time, of one kind of transaction or of all."""
    percentiles = measured.trial.interval_percentiles
    is_counted = percentiles["transaction"] == (kind or overall_key(measured.transactions))
    counted = percentiles if is_counted.all() else percentiles.filter(is_counted)
    starts_s, times_ms = (counted[name].to_list() for name in ("start_s", "response_p95_ms"))
    start_s = measured.start_s.tolist()
    if starts_s != start_s:
        # A trial that was cut off may lack the percentiles of an interval.
        known = dict(zip(starts_s, times_ms, strict=True))
        times_ms = [known.get(start) for start in start_s]
    return IntervalSeries(
        round=measured.trial.planned.round,
        start_s=tuple(start_s),
        throughput_per_s=tuple(measured.of_kind_by_interval_per_s(kind).tolist()),
        response_p95_ms=tuple(times_ms),
    )
