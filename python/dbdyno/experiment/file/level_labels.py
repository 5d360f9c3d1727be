"""Levels by name, as keys and as values of a mapping."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

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


LevelLabels = Annotated[
    dict[str, str],
    BeforeValidator(_with_labels, json_schema_input_type=dict[str, str | int | float | bool]),
]
"""Levels by name, however they are written."""
