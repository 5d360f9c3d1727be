"""How a figure of evidence is written: by the unit that its name ends with."""

from __future__ import annotations

from collections.abc import Callable

from dbdyno.analysis.evidence import Evidence, Figure, Value
from dbdyno.analysis.units import bytes_in_words
from dbdyno.report import figures
from dbdyno.report.language import listed, say
from dbdyno.report.words.durability import promise

SMALLEST_P_VALUE = 1e-4


def written(evidence: Evidence) -> dict[str, str]:
    """Return all figures of a piece of evidence as they are written, by their names."""
    return {name: _figure(name, value) for name, value in evidence.figures}


def count_of(evidence: Evidence) -> int:
    """Return what a sentence says in the singular or in the plural."""
    count = evidence["count"]
    assert isinstance(count, int), evidence
    return count


def number(value: float) -> str:
    """Write a number with three significant digits, one decimal at least where it has any.

    ``3,600``, ``123.5``, ``0.31``: no zeros stand at the end.
    """
    decimals = max(1, figures.decimals_of(value, 3))
    text = f"{value:,.{decimals}f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")


def p_value(value: float) -> str:
    """Write a p-value; one that is far below every threshold needs no figure."""
    return "p < 0.0001" if value < SMALLEST_P_VALUE else f"p = {value:.1g}"


def _change(share: float) -> str:
    return figures.effect(100 * share)[0]


_BY_UNIT: tuple[tuple[str, Callable[[float], str]], ...] = (
    ("_change_share", _change),
    ("_share", figures.share),
    ("_bytes", bytes_in_words),
    ("_p_value", p_value),
    ("_number", str),
)
"""Units that are not written as plain numbers. The first that fits is the one."""


def _figure(name: str, value: Figure) -> str:
    if isinstance(value, tuple):
        return listed(value_in_words(name, each) for each in value)
    return value_in_words(name, value)


def value_in_words(name: str, value: Value) -> str:
    """Write one value by the unit in its name; a text from outside stays as it is."""
    if value is None:
        return say("not known")
    if isinstance(value, str):
        return promise(value) if name.endswith("durability") else value
    for unit, write in _BY_UNIT:
        if f"_{name}".endswith(unit):
            return write(value)
    return figures.count(value) if isinstance(value, int) else number(value)
