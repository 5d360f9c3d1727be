"""How steady each cell was over its trials, and the worst dips of all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dbdyno.analysis.compare.power import critical
from dbdyno.analysis.estimates import geometric_mean
from dbdyno.analysis.findings import CellSummary
from dbdyno.analysis.steadiness.model import CellSteadiness, Dip, Steadiness, TrialSteadiness
from dbdyno.analysis.steadiness.trial_steadiness import MOST_DIPS
from dbdyno.experiment.plan import Cell


def cell_steadiness(
    summaries: Iterable[CellSummary], known: Mapping[Cell, Sequence[TrialSteadiness]]
) -> Steadiness:
    """Return the steadiness of each cell of which any valid trial has enough intervals."""
    cells = [each.cell for each in summaries if known.get(each.cell)]
    dips: list[tuple[Cell, Dip]] = [
        (cell, dip) for cell in cells for trial in known[cell] for dip in trial.dips
    ]
    worst = sorted(dips, key=lambda dip: -dip[1].lost_s)[:MOST_DIPS]
    counted = sum(trial.dip_count for cell in cells for trial in known[cell])
    return Steadiness(
        tuple(_of_cell(cell, known[cell]) for cell in cells),
        tuple(worst),
        counted - len(worst),
        tuple((cell, each) for cell in cells for trial in known[cell] for each in trial.changes),
    )


def _of_cell(cell: Cell, trials: Sequence[TrialSteadiness]) -> CellSteadiness:
    changes = np.array([trial.change_share for trial in trials])
    mean, margin = float(changes.mean()), None
    if len(trials) > 1:
        error = float(changes.std(ddof=1)) / math.sqrt(len(trials))
        margin = critical(len(trials) - 1) * error
    observed_s = sum(trial.observed_s for trial in trials)
    return CellSteadiness(
        cell=cell,
        trials=len(trials),
        variation=geometric_mean(np.array([trial.variation for trial in trials])),
        p5_share=float(np.median([trial.p5_share for trial in trials])),
        p95_share=float(np.median([trial.p95_share for trial in trials])),
        change_share=mean,
        change_low=None if margin is None else mean - margin,
        change_high=None if margin is None else mean + margin,
        dips=sum(trial.dip_count for trial in trials),
        trials_with_dips=sum(trial.dip_count > 0 for trial in trials),
        dipped_share=sum(trial.dipped_s for trial in trials) / observed_s,
    )
