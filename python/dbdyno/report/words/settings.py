"""Values of settings in words."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.report.language import either, say

VALUES_SHOWN = 4
"""A setting with more values is one that servers change themselves."""


def setting_value(value: str | None) -> str:
    """Return a setting's value as the server tells it; None where it has no such setting."""
    if value is None:
        return say("(not known to this server)")
    return value or say("(empty)")


def values_in_words(values: Sequence[str]) -> str:
    """Return the values of a setting; one that differs from cell to cell has several."""
    shown = either(value or say("(empty)") for value in values[:VALUES_SHOWN])
    left = len(values) - VALUES_SHOWN
    if left <= 0:
        return shown
    return say("{values} or {count} more", values=shown, count=left)
