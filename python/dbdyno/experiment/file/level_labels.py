"""Levels by name, as keys and as values of a mapping."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field

from dbdyno.experiment.file.quantity import describe
from dbdyno.refusal import refusal


def _label(value: object) -> str:
    """Return a level as it is shown: ``128`` and ``128.0`` are the same."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str | int | float):
        return str(value)
    raise refusal(f"a level must be text or a number, not {describe(value)}")


def _with_labels(value: object) -> object:
    """Return a mapping of levels as texts."""
    if not isinstance(value, dict):
        return value
    return {_label(told): _label(own) for told, own in value.items()}


def _with_lists(value: object) -> object:
    """Return a mapping of levels to lists of levels, as texts; one level alone is such a list."""
    if not isinstance(value, dict):
        return value
    return {
        _label(level): [_label(each) for each in (others if isinstance(others, list) else [others])]
        for level, others in value.items()
    }


Written: TypeAlias = str | int | float | bool
LevelLabels = Annotated[
    dict[str, str],
    BeforeValidator(_with_labels, json_schema_input_type=dict[str, Written]),
]
"""Levels by name, however they are written."""
LevelBaselines = Annotated[
    dict[str, Annotated[list[str], Field(min_length=1)]],
    BeforeValidator(_with_lists, json_schema_input_type=dict[str, Written | list[Written]]),
]
"""Levels by name, each with one level or several."""
