"""What metrics are called in sentences, headings and captions."""

from __future__ import annotations

from dbdyno.analysis.compare.metric import Metric, MetricName
from dbdyno.analysis.throughput import TRANSACTIONS, ThroughputMeasure
from dbdyno.report.language import message, say

_NAMES = {
    MetricName.THROUGHPUT: message("throughput"),
    MetricName.VARIATION: message("variation of throughput within a trial"),
}
_PERCENTILES = {
    MetricName.RESPONSE_P50: "p50",
    MetricName.RESPONSE_P95: "p95",
    MetricName.RESPONSE_P99: "p99",
}


def metric_name(metric: Metric, measure: ThroughputMeasure = TRANSACTIONS) -> str:
    """Return what a metric is called in a sentence, of the transactions that a measure counts."""
    if metric.name in _PERCENTILES:
        return response_percentile(_PERCENTILES[metric.name], measure)
    return say(_NAMES[metric.name])


def response_percentile(percentile: str, measure: ThroughputMeasure) -> str:
    """Return what a percentile is of: ``p95 of response time``, or of that of New-Orders alone."""
    if measure.kind is None:
        return say("{percentile} of response time", percentile=percentile)
    return say("{percentile} of New-Orders' response time", percentile=percentile)
