"""The figures of each trial that cells are compared by; a trial's histograms are read once."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dbdyno.analysis.compare.metric import QUANTILES, MetricName, TrialValues
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.times import merge_all, quantile_ms

FEWEST_BEYOND = 10
"""A percentile is a figure of a trial where at least so many transactions took longer."""
FEWEST_INTERVALS = 10
"""Fewer say too little about how steady throughput was."""


@dataclass(frozen=True)
class TrialFigures:
    """One trial: what cells are compared by, and the p95 of all kinds together."""

    values: TrialValues = field(default_factory=dict)
    p95_ms: float | None = None


def figures_of(measured: WindowTotals, measure: ThroughputMeasure) -> TrialFigures:
    """Return a trial's figures; response times are of the transactions that throughput counts."""
    times = measured.times("response")
    everything = merge_all(times.values())
    counted = everything if measure.kind is None else times.get(measure.kind)
    values: TrialValues = {MetricName.THROUGHPUT: measured.of_kind_per_s(measure.kind)}
    for metric, quantile in QUANTILES.items():
        if counted is not None and counted.count * (1 - quantile) >= FEWEST_BEYOND:
            value_ms = quantile_ms(counted, quantile)
            if value_ms is not None and np.isfinite(value_ms) and value_ms > 0:
                values[metric.name] = value_ms
    variation = _variation(measured, measure)
    if variation is not None:
        values[MetricName.VARIATION] = variation
    return TrialFigures(values, quantile_ms(everything, 0.95))


def _variation(measured: WindowTotals, measure: ThroughputMeasure) -> float | None:
    """Return the standard deviation of whole intervals' throughput over their mean."""
    rates = measured.of_kind_by_interval_per_s(measure.kind)[measured.whole]
    if len(rates) < FEWEST_INTERVALS or not np.mean(rates) > 0 or np.std(rates) == 0:
        return None
    return float(np.std(rates, ddof=1) / np.mean(rates))
