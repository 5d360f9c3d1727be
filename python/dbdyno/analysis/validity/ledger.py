"""Checks of how the acknowledged stands to the stored, as it was found after the trial."""

from __future__ import annotations

from dbdyno.analysis.window_totals import WindowTotals


def _sentence(measured: WindowTotals, standing: str) -> str | None:
    found = measured.trial.dataset.ledger
    return found.sentence if found.standing == standing else None


def not_stored(measured: WindowTotals) -> str | None:
    """Say what was acknowledged and is not there."""
    return _sentence(measured, "less")


def stored_more(measured: WindowTotals) -> str | None:
    """Say what is there and was not acknowledged."""
    return _sentence(measured, "more")


def not_checked(measured: WindowTotals) -> str | None:
    """Say why something was not held against what is stored."""
    return "; ".join(measured.trial.dataset.ledger.left_out) or None
