"""Keeps figures while they come, for hours, in 16 bytes each, and makes a table of them."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from dbdyno.resources import SCHEMA
from dbdyno.watch.series.source import Subject


class _Series:
    """One metric of one subject: values, and the number of the interval that each is of."""

    def __init__(self) -> None:
        self.intervals = array("q")
        self.values = array("d")


class Recorder:
    """Takes figures from one thread; its table may be asked for by another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._starts_s = array("d")
        self._durations_s = array("d")
        self._series: dict[tuple[Subject, str], _Series] = {}

    def add(
        self,
        start_s: float,
        duration_s: float,
        samples: Iterable[tuple[Subject, Mapping[str, float]]],
    ) -> None:
        """Keep the figures of one interval, which begins at ``start_s``."""
        with self._lock:
            interval = len(self._starts_s)
            self._starts_s.append(start_s)
            self._durations_s.append(duration_s)
            for subject, values in samples:
                for metric, value in values.items():
                    series = self._series.get((subject, metric))
                    if series is None:
                        series = self._series[subject, metric] = _Series()
                    series.intervals.append(interval)
                    series.values.append(value)

    def table(self) -> pl.DataFrame:
        """Return all figures so far, in the order of time."""
        with self._lock:
            if not self._series:
                return pl.DataFrame(schema=SCHEMA)
            lengths = [len(series.values) for series in self._series.values()]
            keys = np.repeat(np.arange(len(lengths)), lengths)
            intervals = np.concatenate([np.array(one.intervals) for one in self._series.values()])
            values = np.concatenate([np.array(one.values) for one in self._series.values()])
            names = self._names()
            starts_s, durations_s = np.array(self._starts_s), np.array(self._durations_s)
        order = np.argsort(intervals, kind="stable")
        columns = names[keys[order]].get_columns()
        in_order = intervals[order]
        return pl.DataFrame(
            [
                *columns,
                pl.Series("start_s", starts_s[in_order]),
                pl.Series("duration_s", durations_s[in_order]),
                pl.Series("value", values[order]),
            ]
        )

    def _names(self) -> pl.DataFrame:
        """Return who and what each series is of."""
        rows = [
            (subject.member, subject.role, subject.host, metric) for subject, metric in self._series
        ]
        kinds = {name: SCHEMA[name] for name in ("member", "role", "host", "metric")}
        return pl.DataFrame(rows, schema=kinds, orient="row")
