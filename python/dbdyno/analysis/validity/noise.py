"""Whether a load that is not the experiment's explains the scatter between rounds.

It is said as the likely cause and corrects nothing: a correction would need to know by how much the
load slows the database, and would be one more assumption in each verdict.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding
from dbdyno.analysis.resources import others_cores, stolen_share
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.host import NEIGHBOURS_MAX_CORES, STOLEN_SHARE_MAX
from dbdyno.analysis.validity.warn import warn
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.plan import Cell

TRIALS_MIN = 6
SCATTER_MIN = 0.02
P_VALUE_MAX = 0.005
CORRELATION_MAX = -0.7


@dataclass(frozen=True)
class OutsideLoad:
    """What others took of the machine during a trial; None is not known."""

    stolen_share: float | None = None
    others_cores: float | None = None


def outside_load(measured: WindowTotals) -> OutsideLoad:
    """Return what others took during a trial."""
    resources = measured.resources
    if not resources:
        return OutsideLoad()
    others = others_cores(resources, is_embedded=measured.embedded)
    return OutsideLoad(stolen_share(resources), others)


Loaded = Sequence[tuple[WindowTotals, OutsideLoad]]
"""Valid trials, each with what others took."""


def noise_explained(valid: Loaded) -> Finding | None:
    """Correlate throughput with each load from outside, both relative to their cell's mean."""
    found = (
        _explains(valid, kind, load_of, worth_a_word)
        for kind, load_of, worth_a_word in (
            (EvidenceKind.FOLLOWS_STEAL, lambda load: load.stolen_share, STOLEN_SHARE_MAX),
            (EvidenceKind.FOLLOWS_OTHERS, lambda load: load.others_cores, NEIGHBOURS_MAX_CORES),
        )
    )
    known = [each for each in found if each is not None]
    return warn(Code.NOISE_EXPLAINED, *known) if known else None


def _explains(
    valid: Loaded,
    kind: EvidenceKind,
    load_of: Callable[[OutsideLoad], float | None],
    worth_a_word: float,
) -> Evidence | None:
    """Return the evidence, where throughput falls as a load rises and the load is notable.

    Each cell has lost one degree of freedom to its mean.
    """
    by_cell: dict[Cell, list[tuple[float, float]]] = defaultdict(list)
    for measured, outside in valid:
        load = load_of(outside)
        if load is not None and measured.throughput_per_s > 0:
            pair = math.log(measured.throughput_per_s), load
            by_cell[measured.trial.planned.cell].append(pair)
    cells = [np.array(pairs) for pairs in by_cell.values() if len(pairs) > 1]
    if not cells or max(float(cell[:, 1].max()) for cell in cells) <= worth_a_word:
        return None
    deviations = np.concatenate([cell - cell.mean(axis=0) for cell in cells])
    freedom = len(deviations) - len(cells) - 1
    scatter, load_scatter = np.sqrt(np.mean(deviations**2, axis=0))
    if len(deviations) < TRIALS_MIN or freedom < 1 or scatter < SCATTER_MIN or not load_scatter:
        return None
    correlation = float(np.mean(deviations[:, 0] * deviations[:, 1]) / (scatter * load_scatter))
    # A correlation of exactly -1 has no t value, and would be certain.
    rest = max(1 - correlation**2, np.finfo(float).tiny)
    p_value = float(special.stdtr(freedom, correlation * math.sqrt(freedom / rest)))
    if correlation > CORRELATION_MAX or p_value >= P_VALUE_MAX:
        return None
    return Evidence(
        kind,
        correlation=correlation,
        trials=len(deviations),
        p_value=p_value,
        variance_share=correlation**2,
    )
