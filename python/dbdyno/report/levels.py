"""What the levels of a factor amount to, as the field that they set reads them.

A server's setting, and a limit, is read as MySQL and PostgreSQL read it: ``K``, ``M``, ``G``,
``kB``, ``MB`` and ``GB`` are powers of 1024, and ``min`` is a minute. Any other field has a number
or a duration, of which ``m`` is a minute.
"""

from __future__ import annotations

import re

from dbdyno.experiment.plan import FactorLevels

_BYTES = {
    f"{prefix}{ending}": 1024.0**power
    for power, prefix in enumerate(("k", "m", "g", "t", "p", "e"), start=1)
    for ending in ("", "b", "ib", "i")
} | {"b": 1.0}
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_OF_SETTINGS = {"": 1.0, **_TIMES, **_BYTES}
_OF_OTHERS = {"": 1.0, **_TIMES, "m": 60.0}

_NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*([A-Za-z]*)")


def numeric_levels(factor: FactorLevels) -> dict[str, float] | None:
    """Return what each level amounts to; None where one is a mere name or two are the same."""
    is_setting = factor.sets.startswith(("server.", "limits."))
    units = _OF_SETTINGS if is_setting else _OF_OTHERS
    written = {level: _NUMBER.fullmatch(level.strip()) for level in factor.levels}
    values: dict[str, float] = {}
    for level, match in written.items():
        unit = match[2].lower() if match else ""
        if match is None or unit not in units:
            return None
        values[level] = float(match[1]) * units[unit]
    kinds = {_kind(match[2]) for match in written.values() if match and float(match[1]) > 0}
    # A plain number beside durations, or beside PostgreSQL's kB, has a unit that only the server
    # knows; beside MySQL's M it is bytes.
    is_ambiguous = len(kinds - {"letter", "plain"}) > 0 and len(kinds) > 1 and is_setting
    return None if is_ambiguous or len(set(values.values())) < len(values) else values


def _kind(unit: str) -> str:
    if not unit:
        return "plain"
    if unit.lower() in _TIMES:
        return "time"
    return "letter" if len(unit) == 1 and unit.lower() != "b" else "bytes"
