"""The figures beside throughput that logs and tables tell, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from dbdyno.analysis.estimates import geometric_mean
from dbdyno.analysis.findings import Estimate
from dbdyno.analysis.imported.model import FigureKind, ToldFigure
from dbdyno.experiment.plan import Cell
from dbdyno.trial_evidence import TrialEvidence

_Named = tuple[FigureKind, str]


def told_figures(by_cell: Mapping[Cell, Sequence[TrialEvidence]]) -> tuple[ToldFigure, ...]:
    """Return all figures of used trials: times first, then what tables have besides.

    A cell has a figure where each of its trials tells it.
    """
    told = {id(trial): dict(_told(trial)) for trials in by_cell.values() for trial in trials}
    names = dict.fromkeys(name for figures in told.values() for name in figures)
    return tuple(
        _figure(name, by_cell, told)
        for name in sorted(names, key=lambda name: list(FigureKind).index(name[0]))
    )


def _told(trial: TrialEvidence) -> Iterator[tuple[_Named, float]]:
    if trial.times is not None:
        for share, time_ms in sorted(trial.times.quantiles_ms.items()):
            yield (FigureKind.QUANTILE, f"{share:g}"), time_ms
        if trial.times.mean_ms is not None:
            yield (FigureKind.MEAN, ""), trial.times.mean_ms
    for name, value in trial.figures.items():
        yield (FigureKind.OTHER, name), value


def _figure(
    name: _Named,
    by_cell: Mapping[Cell, Sequence[TrialEvidence]],
    told: Mapping[int, Mapping[_Named, float]],
) -> ToldFigure:
    by_round = {
        cell: tuple((trial.round, told[id(trial)][name]) for trial in trials)
        for cell, trials in by_cell.items()
        if trials and all(name in told[id(trial)] for trial in trials)
    }
    estimates = {
        cell: _estimate([value for _, value in values]) for cell, values in by_round.items()
    }
    return ToldFigure(*name, estimates, by_round)


def _estimate(values: Sequence[float]) -> Estimate:
    """Return the geometric mean; of values that have none the plain one, without an interval."""
    if min(values) > 0:
        return geometric_mean(np.array(values))
    return Estimate(float(np.mean(values)), None, None, len(values))
