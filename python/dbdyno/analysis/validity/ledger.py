"""Checks of how the acknowledged stands to the stored, as it was found after the trial."""

from __future__ import annotations

from typing import Any

from dbdyno.analysis.measured import Measured


def _found(measured: Measured) -> dict[str, Any]:
    """Return what was found; nothing for results from before it was looked at."""
    found: dict[str, Any] = measured.trial.dataset.get("ledger", {})
    return found


def _sentence(measured: Measured, standing: str) -> str | None:
    found = _found(measured)
    return str(found["sentence"]) if found.get("standing") == standing else None


def not_stored(measured: Measured) -> str | None:
    """Say what was acknowledged and is not there."""
    return _sentence(measured, "less")


def stored_more(measured: Measured) -> str | None:
    """Say what is there and was not acknowledged."""
    return _sentence(measured, "more")


def not_checked(measured: Measured) -> str | None:
    """Say why something was not held against what is stored."""
    return "; ".join(_found(measured).get("left_out", ())) or None
