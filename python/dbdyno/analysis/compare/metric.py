"""What cells are compared by: a figure of each trial, its unit, and which way is better."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MetricName(StrEnum):
    """The figures of a trial that are compared."""

    THROUGHPUT = "throughput"
    RESPONSE_P50 = "response_p50"
    RESPONSE_P95 = "response_p95"
    RESPONSE_P99 = "response_p99"
    VARIATION = "variation"
    """The coefficient of variation of throughput from interval to interval of a window."""


@dataclass(frozen=True)
class Metric:
    """One of these figures; all are positive, so that cells are compared by their ratio."""

    name: MetricName
    unit: str
    """``per_s``, ``ms``, or empty for a share."""
    more_is_better: bool


THROUGHPUT = Metric(MetricName.THROUGHPUT, "per_s", more_is_better=True)
RESPONSE_P50 = Metric(MetricName.RESPONSE_P50, "ms", more_is_better=False)
RESPONSE_P95 = Metric(MetricName.RESPONSE_P95, "ms", more_is_better=False)
RESPONSE_P99 = Metric(MetricName.RESPONSE_P99, "ms", more_is_better=False)
VARIATION = Metric(MetricName.VARIATION, "", more_is_better=False)

METRICS = (THROUGHPUT, RESPONSE_P50, RESPONSE_P95, RESPONSE_P99, VARIATION)
QUANTILES = {RESPONSE_P50: 0.50, RESPONSE_P95: 0.95, RESPONSE_P99: 0.99}

TrialValues = dict[MetricName, float]
"""The figures of one trial; one that is not known, or has no logarithm, is left out."""
