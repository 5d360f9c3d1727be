"""Compares settings as they were asked for with what a PostgreSQL server says they are.

A server that does not know a setting, or cannot read its value, does not start. It may round a
value or choose one by itself, though, and it takes whatever has a point in its name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno._native import Session

_BYTES = {"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_MICROSECONDS = {"us": 1, "ms": 10**3, "s": 10**6, "min": 60 * 10**6, "h": 3600 * 10**6}
_UNITS = _BYTES | _MICROSECONDS | {"d": 24 * 3600 * 10**6}

_QUANTITY = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z]*)")
_UNIT = re.compile(r"(\d*)([A-Za-z]+)")

_SWITCH_WORDS = {
    "on": ("on", "true", "yes", "t", "y", "1"),
    "off": ("off", "false", "no", "f", "n", "0"),
}


@dataclass(frozen=True)
class ShownSetting:
    """A setting as the server shows it (``128MB``), and as it keeps it (16384 times ``8kB``)."""

    shown: str
    kept: str
    unit: str


def shown_settings(session: Session) -> dict[str, ShownSetting]:
    """Return all settings by their names, in lower case: the server does not mind the case.

    They are those that a session begins with: what was lifted for this one is set back.
    """
    session.query("RESET ALL")
    columns = "name, current_setting(name, true), setting, unit"
    rows = session.query(f"SELECT {columns} FROM pg_settings")
    return {
        name.lower(): ShownSetting(shown or "", kept or "", unit or "")
        for name, shown, kept, unit in rows
        if name is not None
    }


def adjusted_settings(
    asked: Mapping[str, str], shown: Mapping[str, ShownSetting]
) -> dict[str, str]:
    """Return what the server shows otherwise than it was asked for, or does not show, as asked."""
    return {
        name: value
        for name, value in asked.items()
        if name.lower() not in shown or not same_value(value, shown[name.lower()])
    }


def same_value(asked: str, shown: ShownSetting) -> bool:
    """Tell whether a value is the server's, in another unit or another word for on or off."""
    text = asked.strip()
    if text.lower() in (shown.shown.lower(), shown.kept.lower()):
        return True
    if shown.kept in _SWITCH_WORDS:
        return text.lower() in _SWITCH_WORDS[shown.kept]
    return math.isclose(_quantity(text, shown.unit), _quantity(shown.kept, shown.unit))


def _quantity(value: str, own_unit: str) -> float:
    """Return a number in bytes, in microseconds or as it is; what is no number equals nothing."""
    written = _QUANTITY.fullmatch(value)
    if written is None:
        return math.nan
    return float(written[1]) * _factor(written[2] or own_unit)


def _factor(unit: str) -> float:
    """Return how much a unit is; the server's own may be a multiple, such as ``8kB``."""
    if not unit:
        return 1.0
    written = _UNIT.fullmatch(unit)
    if written is None or written[2] not in _UNITS:
        return math.nan
    return int(written[1] or 1) * _UNITS[written[2]]
