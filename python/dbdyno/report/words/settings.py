"""Values of settings in words."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.differences import ABSENT
from dbdyno.report.language import either, message, say

VALUES_SHOWN = 4
"""A setting with more values is one that servers change themselves."""
_NOT_KNOWN = message("(not known to this server)")


def setting_value(value: str) -> str:
    """Return a value that is compared with another; one server may not have the setting."""
    return say(_NOT_KNOWN) if value == ABSENT else value


def values_in_words(values: Sequence[str]) -> str:
    """Return the values of a setting; one that differs from cell to cell has several."""
    shown = either(value or say("(empty)") for value in values[:VALUES_SHOWN])
    left = len(values) - VALUES_SHOWN
    if left <= 0:
        return shown
    return say("{values} or {count} more", values=shown, count=left)
