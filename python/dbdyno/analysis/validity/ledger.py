"""Checks of how the acknowledged stands to the stored, as it was found after the trial."""

from __future__ import annotations

from dbdyno.analysis.evidence import Clauses, Evidence, said
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.window_totals import WindowTotals


def _sentence(measured: WindowTotals, standing: str) -> Evidence | None:
    found = measured.trial.dataset.ledger
    if found.standing != standing:
        return None
    return Evidence(EvidenceKind.SAID, text=found.sentence)


def not_stored(measured: WindowTotals) -> Evidence | None:
    """Say what was acknowledged and is not there."""
    return _sentence(measured, "less")


def stored_more(measured: WindowTotals) -> Evidence | None:
    """Say what is there and was not acknowledged."""
    return _sentence(measured, "more")


def not_checked(measured: WindowTotals) -> Clauses:
    """Say why something was not held against what is stored."""
    return said(*measured.trial.dataset.ledger.left_out)
