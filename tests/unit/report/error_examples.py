"""A result whose trials met errors: in two of its cells, of several classes and at some times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dbdyno.analysis.errors.model import (
    CellErrors,
    ErrorFigures,
    ErrorKind,
    ErrorSeries,
    FoundErrors,
    Peak,
)
from dbdyno.analysis.findings import Findings

from .report_examples import two_factors

INTERVALS = 30
HOSTILE = "Duplicate entry '<script>alert(1)</script>' for key\n`a|b` \x1b[31m" + "x" * 300
DEADLOCK = ErrorKind("deadlock", 1213, "40001")
LOST = ErrorKind("connection_lost", 0, "08006")
DUPLICATE = ErrorKind("duplicate_key", 1062, "23000")


def figures_of(kind: ErrorKind, count: int, sample: str, trials: int = 2) -> ErrorFigures:
    return ErrorFigures(
        kind=kind,
        count=count,
        share=count / 20_000,
        trials=trials,
        first_s=3.0,
        last_s=17.5,
        peak=Peak(trial=4, start_s=12.0, duration_s=1.0, count=count // 2),
        sample=sample,
    )


def series_of(number: int, **counts: dict[int, int]) -> ErrorSeries:
    """One round with so many errors of a class in some seconds."""
    by_class = {}
    for name, seconds in counts.items():
        by_class[name] = np.zeros(INTERVALS, dtype=np.int64)
        by_class[name][list(seconds)] = list(seconds.values())
    return ErrorSeries(number, np.arange(float(INTERVALS)), np.ones(INTERVALS), by_class)


def with_errors() -> Findings:
    """Deadlocks and duplicate keys in valid trials, and lost connections in one that is not."""
    findings = two_factors()
    deadlocks = {second: 3 + second % 4 for second in range(3, 17)}
    valid = CellErrors(
        cell=findings.cells[1].cell,
        is_used=True,
        trials=3,
        errors=(
            figures_of(DEADLOCK, 120, "Deadlock found when trying to get lock"),
            figures_of(DUPLICATE, 8, HOSTILE, 1),
        ),
        series=(
            series_of(1, deadlock=deadlocks, duplicate_key={5: 4, 12: 4}),
            series_of(2, deadlock={second + 9: 9 - count for second, count in deadlocks.items()}),
            series_of(3),
        ),
    )
    unused = CellErrors(
        cell=findings.cells[6].cell,
        is_used=False,
        trials=1,
        errors=(figures_of(LOST, 32, "server closed the connection", 1),),
        series=(series_of(2, connection_lost={11: 16, 12: 16}),),
    )
    found = FoundErrors((valid, unused), trials=24, ended=1_234_567, outside=4)
    return replace(findings, experiment="with-errors", errors=found)


def without_errors() -> Findings:
    return replace(two_factors(), errors=FoundErrors(trials=24, ended=1_234_567))
