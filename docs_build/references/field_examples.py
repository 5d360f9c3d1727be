"""Examples of fields: the model's own, or from ready experiment files, or made of the type."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from dbdyno.experiment.file.limits import Memory
from dbdyno.experiment.file.quantity import Cpus, Duration, Share
from docs_build.references.schema_fields import (
    SCHEMA,
    Field,
    Schema,
    pattern_of,
    resolved,
    values_of,
)

LONGEST = 90
"""An example is a line; what is longer is left to the file that has it."""

_FLOW = YAML(typ="safe", pure=True)
_FLOW.default_flow_style = True
_FLOW.width = 10_000

USUAL = {
    pattern_of(Duration): "30s",
    pattern_of(Share): "5%",
    pattern_of(Cpus): "0-7",
    pattern_of(Memory): "8G",
}
"""By the pattern of a quantity, a value of it."""

Key = tuple[str, str]
"""A model, and the name of a field in it."""


def examples_of_files(folder: Path) -> dict[Key, str]:
    """Return the shortest line that experiment files in a folder have for each field."""
    found: dict[Key, Any] = {}
    for file in sorted(folder.rglob("*.yaml")):
        values = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
        for key, value in _fields(values, SCHEMA, "ExperimentFile"):
            if key not in found or len(repr(value)) < len(repr(found[key])):
                found[key] = value
    lines = {key: line_of(key[1], value) for key, value in found.items()}
    return {key: line for key, line in lines.items() if len(line) <= LONGEST}


def example_of(field: Field, from_files: Mapping[Key, str]) -> str:
    """Return a field with a value as a line of YAML; nothing for a mapping with known fields."""
    values = [*field.schema.get("examples", ()), *_made(field)]
    from_file = from_files.get((field.model, field.name), "")
    if "examples" in field.schema or (values and not from_file):
        return line_of(field.name, values[0])
    return from_file


def line_of(name: str, value: Any) -> str:  # noqa: ANN401 - whatever YAML may hold
    """Return a field with a value as a line of YAML."""
    text = io.StringIO()
    _FLOW.dump({name: value}, text)
    return text.getvalue().strip().removeprefix("{").removesuffix("}")


def _made(field: Field) -> Iterator[Any]:
    """Yield values that a field may have by its type, those first that are not its default."""
    choices = [choice for choice, _ in resolved(field.schema, "")]
    for choice in choices:
        if choice.get("pattern") in USUAL:
            yield USUAL[choice["pattern"]]
    for choice in choices:
        constants = choice.get("enum", [choice["const"]] if "const" in choice else [])
        yield from (value for value in constants if value != field.default)
        if choice.get("type") == "boolean":
            yield not field.default
    if isinstance(field.default, str | int | float | list):
        yield field.default


def _fields(value: Any, node: Schema, model: str) -> Iterator[tuple[Key, Any]]:  # noqa: ANN401
    """Yield the fields that a value has, with the models that they belong to."""
    for choice, name in resolved(node, model):
        known = choice.get("properties", {})
        for key, inner in value.items() if isinstance(value, dict) else ():
            if key in known:
                yield (name, key), inner
            for each in [known[key]] if key in known else values_of(choice):
                yield from _fields(inner, each, name)
        for inner in value if isinstance(value, list) else ():
            if isinstance(choice.get("items"), dict):
                yield from _fields(inner, choice["items"], name)
