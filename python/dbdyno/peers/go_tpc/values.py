"""Reads the values of flags as Go reads them."""

from __future__ import annotations

import re

from dbdyno.errors import InputError
from dbdyno.peers.call.options import whole_number
from dbdyno.peers.go_tpc.arguments import Arguments
from dbdyno.peers.go_tpc.catalogue import OPTIONS
from dbdyno.peers.tpcc.kinds import KINDS

LARGEST = 2**31 - 1

UNITS_S = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)"

ISOLATIONS = {
    0: None,
    1: "read_uncommitted",
    2: "read_committed",
    4: "repeatable_read",
    6: "serializable",
}
"""Go's numbers of levels. MySQL and PostgreSQL have none of the others."""

WHOLE_WEIGHT = 100


def integer(arguments: Arguments, name: str, at_least: int = 0) -> int:
    """Return a whole number; the message repeats no word, which may be a password."""
    number = whole_number(arguments.text(name), at_least, LARGEST)
    if number is None:
        raise InputError(
            f"{OPTIONS[name].written} is not a whole number from {at_least} to {LARGEST}"
        )
    return number


def duration_s(arguments: Arguments, name: str) -> float:
    """Return seconds from Go's form: 90s, 1h30m, 500ms."""
    text = arguments.text(name)
    seconds = parse_duration_s(text)
    if seconds is None:
        raise InputError(
            f"{OPTIONS[name].written}: {text!r} is not a duration with its unit; write 90s or 1h30m"
        )
    return seconds


def parse_duration_s(text: str) -> float | None:
    """Return the seconds of a duration; None where it is none."""
    if text == "0":
        return 0.0
    if re.fullmatch(f"(?:{_PART})+", text) is None:
        return None
    return sum(float(number) * UNITS_S[unit] for number, unit in re.findall(_PART, text))


def interval_s(arguments: Arguments) -> int:
    """Return the seconds between two lines of a run."""
    seconds = duration_s(arguments, "interval")
    if seconds < 1 or seconds != int(seconds):
        raise InputError(
            f"--interval: {arguments.text('interval')!r} is not a whole number of seconds from 1 "
            "up; lines are printed at whole seconds"
        )
    return int(seconds)


def isolation(arguments: Arguments) -> str | None:
    """Return the level; None for the server's."""
    level = integer(arguments, "isolation")
    if level not in ISOLATIONS:
        raise InputError(
            f"--isolation {level} is a level that neither MySQL nor PostgreSQL has; give 0 (the "
            "server's), 1 (read uncommitted), 2 (read committed), 4 (repeatable read) or "
            "6 (serializable)"
        )
    return ISOLATIONS[level]


def weights(arguments: Arguments) -> dict[str, float]:
    """Return the weight of each kind of transaction."""
    texts = arguments.texts("weight")
    are_numbers = all(text.isascii() and text.isdecimal() for text in texts)
    if len(texts) != len(KINDS) or not are_numbers or sum(map(int, texts)) != WHOLE_WEIGHT:
        raise InputError(
            f"--weight: {','.join(texts)!r} is not five whole numbers with the sum "
            f"{WHOLE_WEIGHT}, as 45,43,4,4,4 (New-Order, Payment, Order-Status, Delivery, "
            "Stock-Level)"
        )
    return dict(zip(KINDS, map(float, texts), strict=True))


def choice(arguments: Arguments, name: str, known: tuple[str, ...]) -> str:
    """Return one of the words that a flag may have."""
    text = arguments.text(name)
    if text not in known:
        raise InputError(f"{OPTIONS[name].written}: {text!r} is not one of {', '.join(known)}")
    return text
