"""Settings that follow a factor: ``{memory} * 0.7`` is worked out for each level of ``memory``.

A setting is a number or a size in bytes. What is added must be of one kind, and a size divided by
a size is a number, as a physicist counts with units.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dbdyno.experiment.file.base import Scalar
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.target import ClusterTarget, Target, UrlTarget, database_of
from dbdyno.experiment.model import Factor, Level
from dbdyno.experiment.plan import FollowingSetting
from dbdyno.refusal import suggest

_PLACE = re.compile(r"\{([A-Za-z_][\w.-]*)\}")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?\b|(%))", re.I)
_EXPONENTS = {"k": 10, "m": 20, "g": 30, "t": 40}
_SIZES = ("memory", "_bytes_per_s")
"""The fields of limits whose levels are bytes also where they are written as numbers."""
_UNITS = (("G", 30), ("M", 20), ("K", 10))
_UNIT_WORDS = {
    "mysql": {"G": "G", "M": "M", "K": "K"},
    "postgresql": {"G": "GB", "M": "MB", "K": "kB"},
}


@dataclass(frozen=True)
class _Quantity:
    """A number of bytes to a power: 0 is a plain number, 1 a size."""

    value: float
    power: int = 0


def follows(value: str) -> bool:
    """Tell whether the value of a setting follows a factor."""
    return _PLACE.search(value) is not None


def followed_factor(formula: str, factors: Sequence[Factor]) -> Factor:
    """Return the factor that a formula names; ``ValueError`` in words where it is not just one."""
    names = list(dict.fromkeys(_PLACE.findall(formula)))
    if len(names) > 1:
        raise ValueError(f"follows {' and '.join(names)}; a setting may follow one factor")
    factor = next((each for each in factors if names[0] in (each.name, each.sets)), None)
    if factor is None:
        known = [each.name for each in factors]
        hint = suggest(names[0], known) if known else "there is no factor"
        raise ValueError(f"follows {names[0]!r}, which is no factor; {hint}")
    return factor


def value_at(formula: str, factor: Factor, level: Level, database: str) -> str:
    """Return a formula's value at a level, as a server of this kind takes it.

    ``ValueError`` in words where it cannot be worked out. Sizes are rounded down to whole units of
    three digits and more, so that what a server is asked for can be read.
    """
    label = level.label
    try:
        result = _worked_out(formula, level.value, is_size=factor.field.endswith(_SIZES))
    except (ArithmeticError, KeyError, SyntaxError, TypeError, ValueError) as error:
        why = f": {error}" if isinstance(error, ValueError) and str(error) else ""
        raise ValueError(
            f"{formula!r} cannot be worked out at the level {label}{why}; write numbers, sizes as "
            "in 256M, percentages, + - * / and parentheses"
        ) from None
    if result.power not in (0, 1) or result.value <= 0:
        unit = "" if result.power in (0, 1) else f" bytes to the power of {result.power}"
        raise ValueError(
            f"{formula!r} is {result.value:.15g}{unit} at the level {label}, which is no setting"
        )
    return _written(result, database)


def with_following(
    factors: Sequence[Factor], targets: Mapping[str, Target], *, is_alone: bool
) -> tuple[Factor, ...]:
    """Return the factors with what follows each; FieldError for a formula that has no value.

    ``is_alone`` tells whether the file has one target, under ``target``.
    """
    found: dict[str, list[FollowingSetting]] = {}
    for name, target in targets.items():
        place: Location = ("target",) if is_alone else ("targets", name)
        for where, database, settings in _settings_of(target):
            for setting, formula in settings.items():
                if not follows(formula):
                    continue
                try:
                    factor = followed_factor(formula, factors)
                    values = tuple(value_at(formula, factor, at, database) for at in factor.levels)
                except ValueError as error:
                    raise FieldError((*place, *where, "set", setting), str(error)) from None
                found.setdefault(factor.name, []).append(FollowingSetting(name, setting, values))
    return tuple(replace(each, follows=tuple(found.get(each.name, ()))) for each in factors)


def _settings_of(target: Target) -> Iterator[tuple[Location, str, Mapping[str, str]]]:
    """Yield where settings are in a target, what their server speaks, and the settings."""
    if isinstance(target, ClusterTarget):
        for role, group in target.members.items():
            if group.sql is not None:
                where = ("cluster", "members", role, group.kind)
                yield where, database_of(group.sql), group.sql.settings
    elif not isinstance(target, UrlTarget):
        yield (database_of(target),), database_of(target), target.settings


def at_levels(
    settings: Mapping[str, str], factors: Sequence[Factor], levels: Sequence[Level], database: str
) -> dict[str, str]:
    """Return settings with the values that those which follow a factor have in a cell."""
    level_of = dict(zip((each.name for each in factors), levels, strict=True))

    def value(formula: str) -> str:
        factor = followed_factor(formula, factors)
        return value_at(formula, factor, level_of[factor.name], database)

    return {
        name: value(written) if follows(written) else written for name, written in settings.items()
    }


def without_following(settings: Mapping[str, str]) -> dict[str, str]:
    """Return settings without those that follow a factor: where there is no cell yet."""
    return {name: value for name, value in settings.items() if not follows(value)}


def _worked_out(formula: str, level: Scalar | None, *, is_size: bool) -> _Quantity:
    if level is None or isinstance(level, bool):
        raise ValueError("the level is no number")
    unit = " * SIZE" if is_size and not isinstance(level, str) else ""
    text = _PLACE.sub(lambda _: f"({level}{unit})", formula)
    return _evaluated(ast.parse(_AMOUNT.sub(_amount, text).strip(), mode="eval").body)


def _amount(found: re.Match[str]) -> str:
    """Return a size or a percentage as an expression; ``SIZE`` is a byte."""
    number, unit, _ = found.groups()
    if unit is None:
        return f"({number} / 100)"
    return f"({number} * {2 ** _EXPONENTS[unit.lower()]} * SIZE)"


_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _evaluated(node: ast.expr) -> _Quantity:
    """Return what an expression of numbers and sizes comes to."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _Quantity(float(value))
        case ast.Name(id="SIZE"):
            return _Quantity(1.0, 1)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _evaluated(operand)
            return _Quantity(-inner.value, inner.power)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _combined(type(op), _evaluated(left), _evaluated(right))
    raise ValueError(f"{ast.unparse(node)!r} is no number")


def _combined(kind: type[ast.operator], left: _Quantity, right: _Quantity) -> _Quantity:
    if kind in (ast.Add, ast.Sub) and left.power != right.power:
        raise ValueError("a size and a number without a unit cannot be added")
    powers = {ast.Mult: left.power + right.power, ast.Div: left.power - right.power}
    return _Quantity(_OPERATORS[kind](left.value, right.value), powers.get(kind, left.power))


def _written(quantity: _Quantity, database: str) -> str:
    if quantity.power == 0:
        return f"{quantity.value:.15g}"
    words = _UNIT_WORDS.get(database, {})
    for unit, exponent in _UNITS:
        if unit in words and quantity.value >= 100 * 2**exponent:
            return f"{int(quantity.value / 2**exponent)}{words[unit]}"
    return str(int(quantity.value))
