"""Findings of checks: evidence with the check's name and how grave it is."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.findings import Finding
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.severities import SEVERITIES


def warn(
    code: Code, *evidence: Evidence, trials: Sequence[int] = (), comparisons: int | None = None
) -> Finding:
    """Return the finding of a check that speaks of the whole experiment.

    ``comparisons`` is how many it touches, where the trials named do not tell.
    """
    return Finding(code, SEVERITIES[code], evidence, trials=tuple(trials), comparisons=comparisons)


def warn_of_trials(code: Code, evidence: Sequence[tuple[int, Clauses]]) -> Finding:
    """Return one finding for all trials of which a check has ``(number, evidence)``."""
    numbers = tuple(number for number, _ in evidence)
    return Finding(code, SEVERITIES[code], by_trial=tuple(evidence), trials=numbers)
