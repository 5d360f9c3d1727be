"""Which combinations of levels run, as it is written: entries of factors and their levels."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PlainValidator, WithJsonSchema

from dbdyno.experiment.file.base import Scalar
from dbdyno.experiment.file.quantity import describe
from dbdyno.refusal import refusal

CASE = "case"
"""Of an entry, the name under which a report has its cells; no factor has this name."""

_EXAMPLE = "as in {script: oltp_read_write, threads: [32, 64]}"


def parse_entry(value: object) -> object:
    """Return the levels of each factor that an entry names, as a list."""
    if not isinstance(value, dict) or not value:
        raise refusal(f"must be some factors with their levels, {_EXAMPLE}, not {describe(value)}")
    if isinstance(case := value.get(CASE, ""), str):
        return {name: _levels(name, written) for name, written in value.items()}
    raise refusal(f"{CASE} must be a name, as in T1-1, not {describe(case)}")


def _levels(name: object, written: object) -> list[Scalar]:
    if written == []:
        raise refusal(f"names no level of {name}; name one, {_EXAMPLE}, or leave {name} out")
    levels: list[Scalar] = []
    for level in written if isinstance(written, list) else [written]:
        if not isinstance(level, str | int | float | bool):
            raise refusal(f"a level of {name} must be text or a number, not {describe(level)}")
        levels.append(level)
    return levels


_SCALAR = {"type": ["string", "number", "boolean"]}

Entry = Annotated[
    dict[str, list[Scalar]],
    PlainValidator(parse_entry),
    WithJsonSchema(
        {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {
                "anyOf": [_SCALAR, {"type": "array", "items": _SCALAR, "minItems": 1}]
            },
        }
    ),
]

WrittenCells = Annotated[list[Entry], Field(min_length=1)]
"""A combination of levels runs if it fits at least one entry. One may have a name: ``case``."""
