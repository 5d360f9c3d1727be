"""Reads the values of single properties; InputError names the property that is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping

from dbdyno.errors import InputError


def required(properties: Mapping[str, str], name: str) -> str:
    """Return a property that must be there."""
    value = properties.get(name, "").strip()
    if not value:
        raise InputError(f"the property {name} is missing")
    return value


def integer(
    properties: Mapping[str, str], name: str, default: int | None = None, at_least: int = 0
) -> int:
    """Return a whole number; without a default it must be there."""
    text = properties.get(name, "").strip()
    if not text and default is not None:
        return default
    if not text:
        raise InputError(f"the property {name} is missing")
    if not (text.isascii() and text.isdecimal()) or int(text) < at_least:
        raise InputError(f"{name}={text}: not a whole number of {at_least} or more")
    return int(text)


def number(
    properties: Mapping[str, str],
    name: str,
    default: float | None = None,
    at_most: float = math.inf,
) -> float:
    """Return a number that is not below 0; without a default it must be there."""
    text = properties.get(name, "").strip()
    if not text and default is not None:
        return default
    text = text or required(properties, name)
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if math.isfinite(value) and 0 <= value <= at_most:
        return value
    limits = "a number of 0 or more" if math.isinf(at_most) else f"a number from 0 to {at_most:g}"
    raise InputError(f"{name}={text}: not {limits}")


def switch(properties: Mapping[str, str], name: str) -> bool:
    """Return a switch as Java's Boolean reads it: what is not true is false."""
    return properties.get(name, "").strip().lower() == "true"
