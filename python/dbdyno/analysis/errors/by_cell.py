"""The errors of each cell, added up trial by trial as they pass.

The table of errors is read only of a trial that had errors in its window. Valid trials and those
that are not used are kept apart: errors are often why a trial is not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from dbdyno.analysis.errors.model import (
    CellErrors,
    Counts,
    ErrorFigures,
    ErrorKind,
    ErrorSeries,
    FoundErrors,
    Peak,
)
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.database.secrets import shown_text
from dbdyno.experiment.plan import Cell
from dbdyno.store.layout import Phase


class ErrorsByCell:
    """All trials that were added so far."""

    def __init__(self) -> None:
        self._cells: dict[tuple[bool, Cell], _Gathered] = {}
        self._trials = 0
        self._ended = 0
        self._outside = 0

    def add(self, measured: WindowTotals, *, is_used: bool) -> None:
        """Add a trial. ``is_used`` tells whether it is valid."""
        errors = measured.trial.errors
        self._outside += sum(each.count for each in errors if each.phase != Phase.WINDOW)
        if not measured.window_s:
            return
        self._trials += 1
        self._ended += measured.ended
        key = is_used, measured.trial.planned.cell
        has_errors = any(each.phase == Phase.WINDOW for each in errors)
        self._cells.setdefault(key, _Gathered()).add(measured, has_errors=has_errors)

    def found(self, cells: Sequence[Cell]) -> FoundErrors:
        """Return what was found; ``cells`` are in the order of the report."""
        keys = [(is_used, cell) for is_used in (True, False) for cell in cells]
        known = ((key, self._cells[key]) for key in keys if key in self._cells)
        return FoundErrors(
            cells=tuple(
                gathered.together(cell, is_used=is_used)
                for (is_used, cell), gathered in known
                if gathered.kinds
            ),
            trials=self._trials,
            ended=self._ended,
            outside=self._outside,
        )


@dataclass
class _Gathered:
    """The trials of one cell, either those that are used or the others."""

    ended: int = 0
    kinds: dict[ErrorKind, _Summed] = field(default_factory=dict)
    series: list[ErrorSeries] = field(default_factory=list)

    def add(self, measured: WindowTotals, *, has_errors: bool) -> None:
        self.ended += measured.ended
        by_class = self._add_table(measured) if has_errors else {}
        planned, start_s = measured.trial.planned, measured.start_s
        series = ErrorSeries(planned.round, start_s, measured.interval_duration_s, by_class)
        self.series.append(series)

    def _add_table(self, measured: WindowTotals) -> dict[str, Counts]:
        """Add a trial's table up, and return its errors by class and interval."""
        table = measured.trial.tables.errors().filter(pl.col("phase") == Phase.WINDOW)
        places = _places(measured, table)
        by_class: dict[str, Counts] = {}
        for place, row in zip(places, table.select(_COLUMNS).iter_rows(), strict=True):
            start_s, duration_s, error_class, code, sqlstate, count, sample = row
            kind = ErrorKind(error_class, code, sqlstate)
            if kind not in self.kinds:
                self.kinds[kind] = _Summed(shown_text(sample))
            self.kinds[kind].add(Peak(measured.number, start_s, duration_s, count))
            if error_class not in by_class:
                by_class[error_class] = np.zeros(len(measured.start_s), dtype=np.int64)
            by_class[error_class][place] += count
        return by_class

    def together(self, cell: Cell, *, is_used: bool) -> CellErrors:
        errors = (each.together(kind, self.ended) for kind, each in self.kinds.items())
        return CellErrors(
            cell=cell,
            is_used=is_used,
            trials=len(self.series),
            errors=tuple(sorted(errors, key=lambda each: -each.count)),
            series=tuple(sorted(self.series, key=lambda each: each.round)),
        )


_COLUMNS = ("start_s", "duration_s", "class", "code", "sqlstate", "count", "sample")


def _places(measured: WindowTotals, table: pl.DataFrame) -> list[int]:
    """Return the place of each row's interval in the window."""
    found = np.searchsorted(measured.start_s, table["start_s"].to_numpy())
    places: list[int] = np.minimum(found, len(measured.start_s) - 1).tolist()
    return places


@dataclass
class _Summed:
    """One kind of error over the trials of a cell."""

    sample: str
    count: int = 0
    trials: set[int] = field(default_factory=set)
    first_s: float = np.inf
    last_s: float = -np.inf
    peak: Peak | None = None

    def add(self, interval: Peak) -> None:
        self.count += interval.count
        self.trials.add(interval.trial)
        self.first_s = min(self.first_s, interval.start_s)
        self.last_s = max(self.last_s, interval.start_s + interval.duration_s)
        if self.peak is None or interval.count > self.peak.count:
            self.peak = interval

    def together(self, kind: ErrorKind, ended: int) -> ErrorFigures:
        assert self.peak is not None, "a kind is known by an interval in which it occurred"
        return ErrorFigures(
            kind=kind,
            count=self.count,
            share=self.count / ended if ended else None,
            trials=len(self.trials),
            first_s=self.first_s,
            last_s=self.last_s,
            peak=self.peak,
            sample=self.sample,
        )
