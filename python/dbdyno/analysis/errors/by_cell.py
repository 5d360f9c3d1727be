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
    Values,
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
        by_kind = table.group_by("class", "code", "sqlstate", maintain_order=True).agg(
            *_INTERVAL_COLUMNS, pl.col("sample").first()
        )
        columns = [by_kind.get_column(name) for name in _INTERVAL_COLUMNS]
        by_class: dict[str, Counts] = {}
        for row, (*names, sample) in enumerate(by_kind.select(_KIND_COLUMNS).iter_rows()):
            kind = ErrorKind(*names)
            start_s, duration_s, counts = (column[row].to_numpy() for column in columns)
            if kind not in self.kinds:
                self.kinds[kind] = _Summed(shown_text(sample))
            self.kinds[kind].add(measured.number, start_s, duration_s, counts)
            known = by_class.setdefault(kind.error_class, np.zeros_like(measured.interval_ended))
            np.add.at(known, _places(measured, start_s), counts)
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


_INTERVAL_COLUMNS = ("start_s", "duration_s", "count")
_KIND_COLUMNS = ("class", "code", "sqlstate", "sample")


def _places(measured: WindowTotals, start_s: Values) -> Counts:
    """Return the places in the window of intervals that begin at these seconds."""
    found = np.searchsorted(measured.start_s, start_s)
    return np.minimum(found, len(measured.start_s) - 1)


@dataclass
class _Summed:
    """One kind of error over the trials of a cell."""

    sample: str
    count: int = 0
    trials: int = 0
    first_s: float = np.inf
    last_s: float = -np.inf
    peak: Peak | None = None

    def add(self, trial: int, start_s: Values, duration_s: Values, counts: Counts) -> None:
        """Add a trial; arrays have a value for each interval in which the error occurred."""
        self.count += int(counts.sum())
        self.trials += 1
        self.first_s = min(self.first_s, float(start_s.min()))
        self.last_s = max(self.last_s, float((start_s + duration_s).max()))
        most = int(np.argmax(counts))
        if self.peak is None or counts[most] > self.peak.count:
            interval_s = float(start_s[most]), float(duration_s[most])
            self.peak = Peak(trial, *interval_s, int(counts[most]))

    def together(self, kind: ErrorKind, ended: int) -> ErrorFigures:
        assert self.peak is not None, "a kind is known by an interval in which it occurred"
        return ErrorFigures(
            kind=kind,
            count=self.count,
            share=self.count / ended if ended else None,
            trials=self.trials,
            first_s=self.first_s,
            last_s=self.last_s,
            peak=self.peak,
            sample=self.sample,
        )
