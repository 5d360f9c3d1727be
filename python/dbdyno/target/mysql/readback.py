"""Compares settings as they were asked for with what the server says they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from dbdyno.errors import NotTakenError

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}
_SWITCH = {"ON": True, "TRUE": True, "1": True, "OFF": False, "FALSE": False, "0": False}
LOG_BIN = "log_bin"
"""Takes the name of a file, and the server shows it as ON."""
_SWITCHING_OFF = ("skip_", "disable_")
"""Before the name of a setting they make an option that the server shows under that name alone."""
_VARIABLES_OF_OPTIONS = {
    "transaction_isolation": "tx_isolation",
    "transaction_read_only": "tx_read_only",
    "default_time_zone": "time_zone",
}
"""Options that some servers show under another name."""


def adjusted_settings(
    asked: Mapping[str, str], effective: Mapping[str, str], ignored: Collection[str] = ()
) -> dict[str, str]:
    """Return what the server shows otherwise than it was asked for, as asked.

    A server that does not know an option, or cannot read its value, does not start; one that rounds
    a value starts and says so. So an option that is no variable has taken, unless it is one of the
    ``ignored``. What must not pass is a switch that is read as OFF because its value was no switch:
    ``RunError``.
    """
    adjusted = {}
    for name, value in asked.items():
        shown_name, wanted = shown_as(name, value, effective)
        shown = effective.get(shown_name)
        if shown_name == LOG_BIN and switch_of(wanted) is None and shown == "ON":
            continue
        if name.lower() in ignored or (shown is not None and not same_value(wanted, shown)):
            adjusted[name] = value
        if shown in ("ON", "OFF") and shown_name != LOG_BIN:
            _check_switch(name, value, switch_of(wanted), shown)
    return adjusted


def shown_as(name: str, value: str, effective: Mapping[str, str]) -> tuple[str, str]:
    """Return the name under which the server shows an option, and what it should show for it."""
    name = name.lower()
    for prefix in _SWITCHING_OFF:
        plain = name.removeprefix(prefix)
        if name not in effective and plain != name and plain in effective:
            # Of such an option the server minds no value but 0.
            return plain, "ON" if value.strip() == "0" else "OFF"
    other = _VARIABLES_OF_OPTIONS.get(name, name)
    return (other if name not in effective and other in effective else name), value


def not_shown(asked: Iterable[str], effective: Mapping[str, str]) -> set[str]:
    """Return the names, in lower case, of options that the server shows under no name."""
    return {name.lower() for name in asked if shown_as(name, "", effective)[0] not in effective}


def same_value(asked: str, shown: str) -> bool:
    """Tell whether two ways of writing a value mean the same: ``16M`` and ``16777216``."""
    if asked.strip().lower() == shown.strip().lower():
        return True
    numbers = number(asked), number(shown)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return switch_of(asked) is not None and switch_of(asked) == switch_of(shown)


def _check_switch(name: str, asked: str, wanted: bool | None, shown: str) -> None:
    if wanted != switch_of(shown):
        raise NotTakenError(
            f"setting {name}={asked} did not take: the server shows {shown}; "
            "this one is switched with ON or OFF"
        )


def switch_of(value: str) -> bool | None:
    """Return whether a value switches on or off; None where it is no switch."""
    return _SWITCH.get(value.strip().upper())


def number(value: str) -> float | None:
    """Return a number, with one of the units that option files know."""
    text = value.strip().upper()
    factor = _UNITS.get(text[-1:], 1)
    try:
        return float(text[:-1] if factor > 1 else text) * factor
    except ValueError:
        return None
