"""Durations, shares, sets of CPUs and settings: how they are written in a file, and their values.

Each type parses with pydantic, refuses with a message for the reader, and says in the JSON schema
how it is written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from dbdyno.refusal import refusal

SECONDS_PER_UNIT = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}

LARGEST_CPU = 4095
LONGEST_S = 10_000_000
"""The generator takes no more."""

_NUMBER_AND_UNIT = re.compile(r"(\d+(?:\.\d+)?)\s*(\S*)")
_PERCENTAGE = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SETTING_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.]*")
_HOST_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@:-]*")
_COMMAND = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""A command to a terminal; line ends and tabs are text."""
"""It can't be taken for an option of ssh."""


def check_host_name(name: str) -> str:
    """Refuse what ssh could not take for the name of a host."""
    if not _HOST_NAME.fullmatch(name):
        raise refusal(f"{name!r} is no host; write its name as ssh knows it, as in db1 or me@db1")
    return name


def check_variable(name: str) -> str:
    """Return the name unchanged; a refusal never repeats it, for it might be the password."""
    if not _VARIABLE.fullmatch(name):
        raise refusal(
            "is not the name of an environment variable; set a variable to the password, and write "
            "its name here"
        )
    return name


def is_number(value: object) -> bool:
    """Tell whether a value is a number that is one for the reader, too."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def parse_duration(value: object) -> object:
    """Return seconds from ``300``, ``"300s"``, ``"5m"`` or ``"1.5h"``."""
    if is_number(value):
        return _refuse_ages(value, value)
    written = _NUMBER_AND_UNIT.fullmatch(value) if isinstance(value, str) else None
    if written is None:
        raise refusal(
            f"{value!r} is not a duration; write a number and a unit, as in 90s, 5m or 1.5h "
            "(a number alone is seconds)"
        )
    number, unit = written.groups()
    if unit and unit not in SECONDS_PER_UNIT:
        raise refusal(f"{unit!r} is not a unit of time; use us, ms, s, m or h, as in {number}s")
    return _refuse_ages(value, float(number) * SECONDS_PER_UNIT[unit or "s"])


def _refuse_ages(written: object, seconds: object) -> object:
    if isinstance(seconds, int | float) and seconds > LONGEST_S:
        raise refusal(f"{written!r} is too long; {LONGEST_S:,} s (115 days) is the most")
    return seconds


def parse_share(value: object) -> object:
    """Return a share between 0 and 1 from ``0.01`` or ``"1%"``."""
    percentage = _PERCENTAGE.fullmatch(value) if isinstance(value, str) else None
    share = float(percentage[1]) / 100 if percentage else value
    if not isinstance(share, int | float) or isinstance(share, bool) or not 0 <= share <= 1:
        raise refusal(f"{value!r} is not a share; write 0.01 or 1%, between 0 and 1 (100%)")
    return share


def parse_cpus(value: object) -> object:
    """Return CPU numbers in order from ``3``, ``"0-7"`` or ``"0-3,8-11"``."""
    cpus = parse_numbers(value, LARGEST_CPU)
    if cpus is None:
        raise refusal(f"{value!r} is not a set of CPUs; write 3, 0-7 or 0-3,8-11")
    return cpus


def parse_numbers(value: object, largest: int) -> tuple[int, ...] | None:
    """Return numbers in order from ``3``, ``"0-7"`` or ``"0-3,8-11"``; None where it is no such."""
    if isinstance(value, tuple):
        return value
    numbers: set[int] = set()
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    for part in text.split(","):
        written = _RANGE.fullmatch(part.strip())
        first = int(written[1]) if written else -1
        last = int(written[2] or first) if written else -1
        if not 0 <= first <= last <= largest:
            return None
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))


def show_numbers(numbers: Iterable[int]) -> str:
    """Return numbers as a file has them: ``0-7``, ``0-3,8-11``."""
    runs = runs_of(numbers)
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)


def runs_of(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return numbers as runs of consecutive ones, each by its first and its last."""
    runs: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def parse_setting(value: object) -> object:
    """Return a server setting as text, as it was written: ``16M`` stays ``16M``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and not value.isprintable():
        raise refusal("a setting must be one line of printable text")
    if isinstance(value, str) and any(sign in value for sign in "\uff1a\uff0c"):
        raise refusal(
            f"{value!r} has a full-width colon or comma (U+FF1A, U+FF0C) of a Chinese keyboard; "
            "write ':' or ',' and a space"
        )
    if isinstance(value, str) or is_number(value):
        return str(value)
    raise refusal(f"must be text or a number, not {describe(value)}")


def without_commands(text: str) -> str:
    """Return a text from outside with a sign in place of each command to a terminal."""
    return _COMMAND.sub("\N{REPLACEMENT CHARACTER}", text)


def check_printable(text: str) -> str:
    """Refuse characters that would steer a terminal."""
    if found := _COMMAND.search(text):
        raise refusal(f"holds the control character U+{ord(found[0]):04X}; take it out")
    return text


def parse_setting_name(value: object) -> object:
    """Return the name with underscores, so that one setting has one name."""
    name = str(value).replace("-", "_")
    if not _SETTING_NAME.fullmatch(name):
        raise refusal(f"{value!r} is not the name of a setting; use letters, digits, _ and .")
    return name


def describe(value: object) -> str:
    """Return a value in words that somebody who writes YAML knows."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, int | float | str) else str(value)


Duration = Annotated[
    float,
    BeforeValidator(parse_duration),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0},
                {"type": "string", "pattern": r"^\d+(\.\d+)?\s*(us|ms|s|m|h)?$"},
            ]
        }
    ),
]
"""Seconds."""

Share = Annotated[
    float,
    BeforeValidator(parse_share),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": r"^\d+(\.\d+)?\s*%$"},
            ]
        }
    ),
]
"""A part of a whole, between 0 and 1."""

NUMBERS_IN_TEXT = PlainSerializer(lambda numbers: ",".join(map(str, numbers)), when_used="json")
"""Writes numbers in JSON as files have them."""

Cpus = Annotated[
    tuple[int, ...],
    BeforeValidator(parse_cpus),
    NUMBERS_IN_TEXT,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0},
                {"type": "string", "pattern": r"^\d+(-\d+)?(,\s*\d+(-\d+)?)*$"},
            ]
        }
    ),
]
"""CPU numbers in ascending order."""

Setting = Annotated[
    str,
    BeforeValidator(parse_setting),
    WithJsonSchema({"type": ["string", "number", "boolean"]}),
]
"""The value of a server setting, as text."""

SettingName = Annotated[str, BeforeValidator(parse_setting_name)]
"""The name of a server setting, with underscores."""
