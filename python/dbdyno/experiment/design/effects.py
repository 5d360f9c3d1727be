"""Where an option of the workload has an effect: one table for all options.

An option that does nothing misleads whoever reads the file, and a factor over one compares cells
that are equal. Neither is worth the time of an experiment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from dbdyno.experiment.design.resolved_cell import ResolvedCell
from dbdyno.experiment.workload.scripts import NUMBERS, PARAMETERS, RANGES
from dbdyno.experiment.workload.sysbench import Distribution, Script

Needs = Mapping[str, tuple[object, ...]]
"""What must be so: the name of an option and what it may be, ``database`` and what the target may
speak, or one of ``_CONDITIONS``."""

ALWAYS: Needs = {}

_SCRIPTS: tuple[Script, ...] = get_args(Script)
_WITH_KEYS = tuple(script for script in _SCRIPTS if script != "bulk_insert")
_WITH_RANGES: tuple[Script, ...] = ("oltp_read_write", "oltp_read_only")
_WITH_TRANSACTION: tuple[Script, ...] = (*_WITH_RANGES, "oltp_write_only")
_READING: tuple[Script, ...] = (
    *_WITH_RANGES,
    "oltp_point_select",
    "select_random_points",
    "select_random_ranges",
)
_SKEWED = tuple(name for name in get_args(Distribution) if name != "uniform")


def _needs_of_number(option: str) -> Needs:
    scripts = tuple(script for script, options in NUMBERS.items() if option in options)
    return {"script": scripts} | ({"range_selects": (True,)} if option in RANGES else {})


EFFECTS: Mapping[str, Needs] = {
    "script": ALWAYS,
    "tables": ALWAYS,
    "secondary": ALWAYS,
    "create_table_options": ALWAYS,
    "table_size": {"script": _WITH_KEYS},
    "distribution": {"script": _WITH_KEYS},
    "create_secondary": {"script": _WITH_KEYS},
    "auto_inc": {"script": _WITH_KEYS, "numbering": (True,)},
    **{
        parameter: {"script": _WITH_KEYS, "distribution": (distribution,)}
        for distribution, parameters in PARAMETERS.items()
        for parameter in parameters
    },
    # Rows that are equally hot may be scattered or not.
    "scrambled": {"script": _WITH_KEYS, "distribution": _SKEWED},
    **{option: _needs_of_number(option) for numbers in NUMBERS.values() for option in numbers},
    "range_selects": {"script": _WITH_RANGES, "ranges": (True,)},
    "range_size": {"script": _WITH_RANGES, "range_selects": (True,), "ranges": (True,)},
    "random_points": {"script": ("select_random_points",)},
    "number_of_ranges": {"script": ("select_random_ranges",)},
    "delta": {"script": ("select_random_ranges",)},
    "read_hash": {"script": _READING},
    "skip_trx": {"script": _WITH_TRANSACTION},
    "mysql_storage_engine": {"database": ("mysql",)},
}
"""For each option what it needs to have an effect."""


@dataclass(frozen=True)
class _Condition:
    """What is not the value of one option; ``words`` say when it is not so."""

    holds: Callable[[ResolvedCell], bool]
    words: str


_CONDITIONS: Mapping[str, _Condition] = {
    "ranges": _Condition(
        lambda resolved: any(getattr(resolved.sysbench, option) for option in RANGES),
        f"where {', '.join(RANGES[:-1])} and {RANGES[-1]} are 0",
    ),
    "numbering": _Condition(
        # There a primary key numbers itself in any case, and only this script makes use of it.
        lambda resolved: resolved.database != "sqlite" or resolved.sysbench.script == "oltp_insert",
        "on sqlite, but for script: oltp_insert",
    ),
}

MOST_NAMED = 5
"""More than so many right values are not listed: what is wrong says enough."""


@dataclass(frozen=True)
class Unmet:
    """A need that is not met, so that an option has no effect."""

    need: str
    value: object
    allowed: tuple[object, ...]


def unmet_need(option: str, resolved: ResolvedCell) -> Unmet | None:
    """Return why an option has no effect in a cell; None where it has one."""
    for need, allowed in EFFECTS[option].items():
        value = _value(need, resolved)
        if value not in allowed:
            return Unmet(need, value, allowed)
    return None


def _value(need: str, resolved: ResolvedCell) -> object:
    if need in _CONDITIONS:
        return _CONDITIONS[need].holds(resolved)
    return resolved.database if need == "database" else getattr(resolved.sysbench, need)


def say_no_effect(unmet: Sequence[Unmet]) -> str:
    """Return ``has no effect with script: oltp_insert, only with ...``, for one cell or several."""
    first = unmet[0]
    if first.need in _CONDITIONS:
        return f"has no effect {_CONDITIONS[first.need].words}"
    values = _join(dict.fromkeys(other.value for other in unmet if other.need == first.need))
    is_database = first.need == "database"
    sentence = f"has no effect {f'on {values}' if is_database else f'with {first.need}: {values}'}"
    if len(first.allowed) > MOST_NAMED:
        return sentence
    return f"{sentence}, only {'on' if is_database else 'with'} {_join(first.allowed)}"


def _join(values: Iterable[object]) -> str:
    words = [str(value).lower() if isinstance(value, bool) else str(value) for value in values]
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last
