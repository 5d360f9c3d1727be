"""Options that take several names, with commas between."""

from __future__ import annotations

from dbdyno.errors import InputError


def listed_names(text: str) -> list[str]:
    """Return the names; none of an empty text. One between two commas is empty."""
    return [name.strip() for name in text.split(",")] if text else []


def required_names(option: str, text: str) -> list[str]:
    """Return the names; InputError where an option names none."""
    names = listed_names(text)
    if not any(names):
        raise InputError(f"{option} {text!r} names none")
    return names
