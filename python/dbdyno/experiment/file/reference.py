"""The reference cell as it is written: the baseline, or some of its levels."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import PlainValidator, WithJsonSchema

from dbdyno.experiment.file.quantity import describe
from dbdyno.refusal import refusal

Baseline = Literal["baseline"]
WrittenReference = Baseline | dict[str, str | int | float | bool]


def parse_reference(value: object) -> object:
    """Return ``baseline``, or a level for each factor that is named."""
    if value == "baseline":
        return value
    if not isinstance(value, dict) or not value:
        raise refusal(
            f"must be baseline or a level for some factors, as in {{clients: 8}}, "
            f"not {describe(value)}"
        )
    for name, level in value.items():
        if not isinstance(level, str | int | float | bool):
            raise refusal(f"the level of {name} must be text or a number, not {describe(level)}")
    return value


Reference = Annotated[
    WrittenReference,
    PlainValidator(parse_reference),
    WithJsonSchema(
        {
            "anyOf": [
                {"const": "baseline"},
                {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": {"type": ["string", "number", "boolean"]},
                },
            ]
        }
    ),
]
"""Factors that are not named are at their baseline level."""
