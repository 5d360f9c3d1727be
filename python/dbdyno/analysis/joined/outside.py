"""Whether others took more of the machine while one result was measured than while the other was.

Then nobody can tell a slower server from a busier machine. Kernel threads that work for the server
count as others, so a small difference is none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from dbdyno.analysis.evidence import Evidence, Figure
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.noise import Loaded, OutsideLoad
from dbdyno.analysis.validity.warn import warn
from dbdyno.experiment.plan import FactorLevels

OTHERS_MAX_SHARE = 0.10
"""Of the host's CPUs: so much more or less taken by others is no difference."""
STOLEN_MAX_SHARE = 0.02
"""Of CPU time, alike."""


def outside_differs(
    valid: Loaded, factors: Sequence[FactorLevels], cpu_count: int | None
) -> Finding | None:
    """Compare what others took at the levels of factors that were measured at different times."""
    evidence: list[Evidence] = []
    for factor in factors:
        if factor.is_paired:
            continue
        if cpu_count:
            cores = _by_level(valid, factor, lambda load: load.others_cores)
            limit = OTHERS_MAX_SHARE * cpu_count
            evidence += _differing(EvidenceKind.OTHERS_DIFFER, cores, factor, limit, "cores")
        stolen = _by_level(valid, factor, lambda load: load.stolen_share)
        evidence += _differing(
            EvidenceKind.STEAL_DIFFERS, stolen, factor, STOLEN_MAX_SHARE, "share"
        )
    return warn(Code.OUTSIDE_DIFFERS, *evidence) if evidence else None


def _by_level(
    valid: Loaded, factor: FactorLevels, load_of: Callable[[OutsideLoad], float | None]
) -> dict[str, float]:
    """Return the mean of a load over the trials of each level."""
    known: dict[str, list[float]] = defaultdict(list)
    for measured, outside in valid:
        load = load_of(outside)
        if load is not None:
            known[measured.trial.planned.cell.level(factor.name)].append(load)
    return {level: float(np.mean(loads)) for level, loads in known.items()}


def _differing(
    kind: EvidenceKind, means: dict[str, float], factor: FactorLevels, limit: float, unit: str
) -> Iterable[Evidence]:
    baseline = means.get(factor.baseline_level)
    if baseline is None:
        return
    for level, mean in means.items():
        if abs(mean - baseline) > limit:
            figures: dict[str, Figure] = {
                "level": level,
                "baseline": factor.baseline_level,
                f"taken_{unit}": mean,
                f"baseline_taken_{unit}": baseline,
            }
            yield Evidence(kind, place="", **figures)
