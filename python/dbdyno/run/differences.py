"""In what two experiments differ, field by field: the one that a result holds, and the one given.

Values are compared as they are written in the files, so that a message can show them so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Difference:
    """A field with its two values; None is one that is not given."""

    field: str
    stored: Any
    given: Any

    def __str__(self) -> str:
        return f"{self.field}: {_show(self.stored)} in the result, {_show(self.given)} in the file"


def differences(stored: Any, given: Any, field: str = "") -> Iterator[Difference]:  # noqa: ANN401
    """Yield the fields that differ, by their way from the top: ``procedure.rounds``."""
    if stored == given:
        return
    if _is_mapping(stored, given):
        stored, given = stored or {}, given or {}
        for name in dict.fromkeys([*stored, *given]):
            way = f"{field}.{name}" if field else str(name)
            yield from differences(stored.get(name), given.get(name), way)
    else:
        yield Difference(field, stored, given)


def _is_mapping(*values: object) -> bool:
    """Tell whether the values are mappings, or missing ones, whose fields can be told apart.

    In ``sqlite: {}`` and no ``sqlite`` at all there is no field, and yet the two differ.
    """
    are_mappings = all(value is None or isinstance(value, Mapping) for value in values)
    return are_mappings and any(values)


def _show(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return "nothing"
    is_word = isinstance(value, str) and " " not in value
    return value if is_word else json.dumps(value, ensure_ascii=False, default=str)
