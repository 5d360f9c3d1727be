"""Compares settings as they were asked for with what the server says they are."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.errors import RunError

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}
_SWITCH = {"ON": True, "TRUE": True, "1": True, "OFF": False, "FALSE": False, "0": False}
_SHOWN_AS_SWITCH = {"log_bin"}
"""Options that take a file's name and that the server shows as ON."""


def adjusted_settings(asked: Mapping[str, str], effective: Mapping[str, str]) -> dict[str, str]:
    """Return what the server shows otherwise than it was asked for, or does not show, as asked.

    A server that does not know a setting, or cannot read its value, does not start; one that rounds
    a value starts and says so. What must not pass is a switch that is read as OFF because its value
    was no switch: ``RunError``.
    """
    adjusted = {}
    for name, value in asked.items():
        shown = effective.get(name.lower())
        if shown is None or not same_value(value, shown):
            adjusted[name] = value
        if shown in ("ON", "OFF") and name.lower() not in _SHOWN_AS_SWITCH:
            _check_switch(name, value, shown)
    return adjusted


def same_value(asked: str, shown: str) -> bool:
    """Tell whether two ways of writing a value mean the same: ``16M`` and ``16777216``."""
    if asked.strip().lower() == shown.strip().lower():
        return True
    numbers = number(asked), number(shown)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return _as_switch(asked) is not None and _as_switch(asked) == _as_switch(shown)


def _check_switch(name: str, asked: str, shown: str) -> None:
    if _as_switch(asked) != _as_switch(shown):
        raise RunError(
            f"setting {name}={asked} did not take: the server shows {shown}; "
            "this one is switched with ON or OFF"
        )


def _as_switch(value: str) -> bool | None:
    return _SWITCH.get(value.strip().upper())


def number(value: str) -> float | None:
    """Return a number, with one of the units that option files know."""
    text = value.strip().upper()
    factor = _UNITS.get(text[-1:], 1)
    try:
        return float(text[:-1] if factor > 1 else text) * factor
    except ValueError:
        return None
