"""Response times over a program's whole run, by its own figures: the median, p95 and p99.

sysbench prints the buckets of its histogram, and pgbench writes some of its transactions to a file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dbdyno.protocol.events import read_event
from dbdyno.protocol.intervals import Interval
from dbdyno.times import ended_times, merge_all, quantile_ms

QUANTILES = (0.50, 0.95, 0.99)
P95 = 1
"""Its place among them."""

SYSBENCH_OPTIONS = ("--histogram",)
PGBENCH_OPTIONS = ("--log", "--sampling-rate=0.1")
"""What makes a program tell them."""

_BUCKET = re.compile(rb"^ *([0-9.]+) \|\**\s+(\d+)$", re.MULTILINE)
_PGBENCH_LOGS = "pgbench_log.*"
_PGBENCH_TIME_US = 2
"""Its field in a line."""

Percentiles = tuple[float, ...]
"""Milliseconds, in the order of ``QUANTILES``."""


def response_times_ms(
    said: bytes, events: Sequence[dict[str, Any]], folder: Path
) -> Percentiles | None:
    """Return the percentiles of a program that ran in a folder; None where it prints none."""
    if events:
        return _of_events(events)
    buckets = [(float(ms), int(count)) for ms, count in _BUCKET.findall(said)]
    if buckets:
        return _of_times(*zip(*buckets, strict=True))
    lines = [line for log in folder.glob(_PGBENCH_LOGS) for line in log.read_text().splitlines()]
    if not lines:
        return None
    return _of_times([int(line.split()[_PGBENCH_TIME_US]) / 1000 for line in lines])


def _of_events(events: Sequence[dict[str, Any]]) -> Percentiles | None:
    intervals = [each for each in map(read_event, events) if isinstance(each, Interval)]
    times = [one for interval in intervals for one in ended_times(interval)]
    merged = merge_all(one.decode() for one in times if one.measure == "response")
    found = [quantile_ms(merged, quantile) for quantile in QUANTILES]
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) else None


def _of_times(times_ms: Sequence[float], counts: Sequence[int] | None = None) -> Percentiles:
    weights = None if counts is None else np.array(counts)
    found = np.quantile(times_ms, QUANTILES, weights=weights, method="inverted_cdf")
    return tuple(map(float, found))
