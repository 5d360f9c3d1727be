"""A trial's table of counters, added up: by interval of the window, and by kind of transaction.

Whatever is asked of the table later is answered by these figures, so that it is read once: those of
thousands of trials do not fit into memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dbdyno.store.layout import COUNTERS, Phase

FINISHED = ("committed", "rolled_back")
"""What counts as throughput: a transaction that rolls back on purpose has done its work too."""

ENDED = (*FINISHED, "failed")

SUMMED = tuple(name for name in COUNTERS if name != "in_flight")
"""A level is not added up over intervals."""

Counts = NDArray[np.int64]
ByKind = Mapping[str, Mapping[str, int]]
"""By kind of transaction, each of ``SUMMED``."""


@dataclass(frozen=True, eq=False)
class IntervalCounts:
    """Arrays have a value for each interval of the window, in order; all kinds are added up."""

    window: ByKind
    """In the window."""
    whole: ByKind
    """From the first interval of the warm-up to the last one of the drain."""
    scheduled: Counts
    ended: Counts
    in_flight: Counts
    finished: Counts
    finished_of_kind: Mapping[str, Counts]
    """Empty where there is one kind."""

    def total(self, counter: str) -> int:
        """Return a counter of the window over all kinds."""
        return sum(kind[counter] for kind in self.window.values())

    def whole_total(self, counter: str) -> int:
        """Return a counter of the whole trial over all kinds."""
        return sum(kind[counter] for kind in self.whole.values())


def count_intervals(intervals: pl.DataFrame, window: Counts) -> IntervalCounts:
    """Add a table of ``columns.INTERVAL_SCHEMA`` up; ``window`` has the indexes of the window.

    An interval of the window without a row in the table has counted nothing.
    """
    is_inside = (intervals["phase"] == Phase.WINDOW).to_numpy()
    columns = {name: intervals[name].to_numpy() for name in COUNTERS}
    inside = {name: values[is_inside] for name, values in columns.items()}
    kinds = {
        kind: (intervals["transaction"] == kind).to_numpy()
        for kind in sorted(set(intervals["transaction"].to_list()))
    }
    place = _Places(intervals["index"].to_numpy()[is_inside], window)
    finished, ended = (_together(inside, names) for names in (FINISHED, ENDED))
    return IntervalCounts(
        window={kind: _sums(inside, rows[is_inside]) for kind, rows in kinds.items()},
        whole={kind: _sums(columns, rows) for kind, rows in kinds.items()},
        scheduled=place.sums(inside["scheduled"]),
        ended=place.sums(ended),
        in_flight=place.sums(inside["in_flight"]),
        finished=place.sums(finished),
        finished_of_kind={
            kind: place.sums(np.where(rows[is_inside], finished, 0))
            for kind, rows in (kinds.items() if len(kinds) > 1 else ())
        },
    )


def _together(columns: Mapping[str, Counts], names: Sequence[str]) -> Counts:
    together: Counts = np.sum([columns[name] for name in names], axis=0, dtype=np.int64)
    return together


def _sums(columns: Mapping[str, Counts], rows: NDArray[np.bool_]) -> dict[str, int]:
    return {name: int(columns[name][rows].sum()) for name in SUMMED}


class _Places:
    """Where rows of the table belong among the intervals of the window."""

    def __init__(self, indexes: Counts, window: Counts) -> None:
        self._count = len(window)
        self._is_known = np.zeros(len(indexes), dtype=bool)
        self._places = np.zeros(0, dtype=np.int64)
        if len(window):
            order = np.argsort(window)
            found = np.searchsorted(window, indexes, sorter=order)
            places = order[np.minimum(found, len(window) - 1)]
            self._is_known = window[places] == indexes
            self._places = places[self._is_known]

    def sums(self, values: Counts) -> Counts:
        """Add the values up that belong to the same interval."""
        sums = np.zeros(self._count, dtype=np.int64)
        np.add.at(sums, self._places, values[self._is_known])
        return sums
