"""How finely a figure is told, as a share of it: no comparison knows more than that.

A time that a histogram has told is any of its bucket's, and a printed figure any that is rounded to
it. Rounds that agree to the last digit are then not certain: the error of a figure is uniform over
its step, with the variance step² / 12 (W. F. Sheppard, Proceedings of the London Mathematical
Society 29, 1898).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

from dbdyno.analysis.compare.metric import QUANTILES, MetricName, TrialValues

Resolutions = Mapping[MetricName, float]
"""The step of a figure over the figure; absent where nothing is known of it."""

OF_OUR_HISTOGRAMS = 2.0**-10
"""HdrHistogram's widest bucket at three significant digits: it has 1,024 for each doubling."""

_OF_TOOLS = {
    "dbdyno": OF_OUR_HISTOGRAMS,
    "ycsb": OF_OUR_HISTOGRAMS,
    # sb_histogram.c: 1,024 buckets from 0.001 ms to 100 s, each wider by the same share.
    "sysbench": 1e8 ** (1 / 1023) - 1,
    # An HdrHistogram with one significant digit: 16 buckets for each doubling.
    "go-tpc": 2.0**-4,
    "cockroach": 2.0**-4,
}
_MOST_PRINTED = 6
"""Digits behind the point: a rate with more was divided, as one that is printed a minute."""
_QUANTILES = frozenset(metric.name for metric in QUANTILES)


def of_counts(counts: Iterable[float]) -> float:
    """Return the resolution of a rate of so many transactions: one of the fewest."""
    fewest = min(counts, default=0.0)
    return 1 / fewest if fewest > 0 else 0.0


def of_told(values: Iterable[tuple[str, TrialValues]]) -> dict[str, dict[MetricName, float]]:
    """Return the resolutions of what tools tell, by the tool; ``values`` are of all their trials.

    A figure that is printed with two digits behind the point may end in a zero. So the figure with
    most digits says how many are printed. A rate that is printed a minute has its digits there.
    """
    found: dict[str, dict[MetricName, list[float]]] = defaultdict(lambda: defaultdict(list))
    for tool, known in values:
        for name, value in known.items():
            found[tool][name].append(value)
    return {
        tool: {name: _of_printed(tool, name, known) for name, known in by_name.items()}
        for tool, by_name in found.items()
    }


def _of_printed(tool: str, name: MetricName, values: list[float]) -> float:
    if name is MetricName.VARIATION:
        return 0.0  # It is worked out here, of many figures.
    if name is MetricName.THROUGHPUT and _places(values) > _MOST_PRINTED:
        values = [_per_minute(value) for value in values]
    printed = 10.0 ** -_places(values) / min(values)
    return max(printed, _OF_TOOLS.get(tool, 0.0) if name in _QUANTILES else 0.0)


def _places(values: list[float]) -> int:
    """Return how many digits behind the point figures have."""
    exponents = [Decimal(repr(float(value))).as_tuple().exponent for value in values]
    places = max(-exponent for exponent in exponents if isinstance(exponent, int))
    return 0 if all(value == int(value) for value in values) else places


def _per_minute(value: float) -> float:
    """Return a rate a minute with the digits that it was printed with."""
    return float(f"{value * 60:.14g}")
