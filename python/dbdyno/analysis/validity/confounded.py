"""Checks of a matrix that is not full: what its cells cannot tell, because they differ in more."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.warn import warn
from dbdyno.experiment.comparable import Uncompared


def factors_confounded(found: Sequence[Uncompared]) -> Finding | None:
    """Name the factors of which no level is ever compared, and what varies together with them."""
    evidence = [_seen(EvidenceKind.VARIES_TOGETHER, each) for each in found if each.is_whole]
    return warn(Code.FACTORS_CONFOUNDED, *evidence, comparisons=0) if evidence else None


def levels_not_compared(found: Sequence[Uncompared]) -> Finding | None:
    """Name the levels that are never compared, of factors of which others are."""
    evidence = [_seen(EvidenceKind.LEVELS_APART, each) for each in found if not each.is_whole]
    return warn(Code.LEVELS_NOT_COMPARED, *evidence, comparisons=0) if evidence else None


def _seen(kind: EvidenceKind, apart: Uncompared) -> Evidence:
    return Evidence(
        kind,
        factor=apart.factor,
        baseline=apart.baseline,
        levels=apart.levels,
        together=apart.together,
    )
