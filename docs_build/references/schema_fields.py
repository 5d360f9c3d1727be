"""The fields of the experiment file, read from its JSON schema and the models behind that.

The schema says how values are written. Bounds are the models' own, for the schema does not have
those of values that are written in several ways, such as durations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import annotated_types
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.limits import Memory
from dbdyno.experiment.file.quantity import Cpus, Duration, Share
from dbdyno.experiment.model import ExperimentFile

Schema = Mapping[str, Any]

SCHEMA: Schema = ExperimentFile.model_json_schema()


def pattern_of(quantity: Any) -> str:  # noqa: ANN401 - an annotated type
    """Return the pattern by which the schema knows a quantity that is written as text."""
    return str(TypeAdapter(quantity).json_schema()["anyOf"][1]["pattern"])


QUANTITIES = {
    pattern_of(kind): words
    for kind, words in (
        (Duration, "duration (`90s`, `5m`, `1.5h`; a number is seconds)"),
        (Share, "share (`0.05` or `5%`)"),
        (Cpus, "numbers (`3`, `0-7`, `0-3,8-11`)"),
        (Memory, "bytes (`8G`, `200M`; K, M, G and T are powers of 1024; at least `1M`)"),
    )
}
"""What people write in a way of its own, by the pattern of it."""

SCALARS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true`/`false`",
    "object": "mapping",
}

BOUNDS = (
    (annotated_types.Ge, "ge", "at least"),
    (annotated_types.Gt, "gt", "more than"),
    (annotated_types.Le, "le", "at most"),
    (annotated_types.Lt, "lt", "less than"),
)


@dataclass(frozen=True)
class Field:
    """A field: its path in a file, and what the schema and its model say of it."""

    path: str
    model: str
    name: str
    mappings: tuple[str, ...]
    """The models of the mappings that it may be, or may hold."""
    written: str
    """How its value is written, in words."""
    bounds: tuple[str, ...]
    is_required: bool
    default: Any
    meaning: str
    schema: Schema


@dataclass(frozen=True)
class Mapped:
    """A mapping with known fields, at the path where a reader meets it first."""

    path: str
    model: str
    meaning: str
    fields: tuple[Field, ...]


def mappings(path: str, node: Schema, seen: set[str]) -> Iterator[Mapped]:
    """Yield the mappings that stand at a path and below, each model once; ``seen`` are those."""
    for place, model, found in mappings_in(path, node):
        if model in seen:
            continue
        seen.add(model)
        fields = tuple(fields_of(place, model, found))
        yield Mapped(place, model, found.get("description", ""), fields)
        for name, field in found["properties"].items():
            yield from mappings(f"{place}.{name}" if place else name, field, seen)


def fields_of(path: str, model: str, node: Schema) -> Iterator[Field]:
    """Yield the fields of one mapping."""
    infos = {info.alias or name: info for name, info in _models()[model].model_fields.items()}
    for name, field in node["properties"].items():
        below = list(mappings_in("", field))
        meaning = field.get("description") or "".join(
            found.get("description", "") for _, _, found in below[:1]
        )
        yield Field(
            path=f"{path}.{name}" if path else name,
            model=model,
            name=name,
            mappings=tuple(found for _, found, _ in below),
            written=written_as(field),
            bounds=tuple(dict.fromkeys([*_bounds(infos[name]), *_bounds_in_schema(field)])),
            is_required=name in node.get("required", ()),
            default=field.get("default"),
            meaning=" ".join(meaning.split()),
            schema=field,
        )


def resolved(node: Schema, model: str) -> Iterator[tuple[Schema, str]]:
    """Yield what a value may be, without references, each with the model that it belongs to."""
    if "$ref" in node:
        model = node["$ref"].rpartition("/")[2]
        yield from resolved(SCHEMA["$defs"][model], model)
    choices = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    for choice in choices:
        yield from resolved(choice, model)
    if not choices and "$ref" not in node:
        yield node, model


def mappings_in(path: str, node: Schema, model: str = "") -> Iterator[tuple[str, str, Schema]]:
    """Yield the mappings with known fields that a value may be, or may hold.

    Each has its path and its model.
    """
    for choice, name in resolved(node, model):
        if "properties" in choice:
            yield path, name, choice
        for value in values_of(choice):
            yield from mappings_in(f"{path}.<name>", value, name)
        if isinstance(choice.get("items"), dict):
            yield from mappings_in(f"{path}[]", choice["items"], name)


def values_of(node: Schema) -> Iterator[Schema]:
    """Yield what the values of a mapping may be whose names are the user's own."""
    for value in (node.get("additionalProperties"), *node.get("patternProperties", {}).values()):
        if isinstance(value, dict):
            yield value


def _models() -> dict[str, type[FileModel]]:
    def below(model: type[FileModel]) -> Iterator[type[FileModel]]:
        yield model
        for each in model.__subclasses__():
            yield from below(each)

    return {model.__name__: model for model in below(FileModel)}


def written_as(node: Schema) -> str:
    """Return how a value is written: ``whole number``, ``list of text``, ``a, b or c``."""
    words = list(dict.fromkeys(_ways(node)))
    return " or ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])


def _ways(node: Schema) -> Iterator[str]:
    choices = [choice for choice, _ in resolved(node, "") if not choice.get("deprecated")]
    patterns = [choice.get("pattern") for choice in choices]
    quantity = next((QUANTITIES[each] for each in patterns if each in QUANTITIES), None)
    if quantity is not None:
        yield quantity
        choices = [choice for choice in choices if choice.get("type") in ("object", "array")]
    for choice in choices:
        yield from _ways_of_one(choice)


def _ways_of_one(node: Schema) -> Iterator[str]:
    constants = node.get("enum", [node["const"]] if "const" in node else [])
    if constants:
        yield from (f"`{value}`" for value in constants)
    elif node.get("type") == "array":
        yield _list(node)
    elif value := next(values_of(node), None):
        yield f"mapping of names to {_each(value)}"
    else:
        kinds = node.get("type", "object")
        known = [kinds] if isinstance(kinds, str) else kinds
        yield from (SCALARS[kind] for kind in known if kind != "null")


def _list(node: Schema) -> str:
    item = node.get("items") or node.get("prefixItems", [{}])[0]
    length = node.get("maxItems")
    is_fixed = length is not None and length == node.get("minItems")
    return f"list of {_each(item)}" + (f", {length} of them" if is_fixed else "")


def _each(node: Schema) -> str:
    """Return how each of several values is written, in brackets where there are several ways."""
    written = written_as(node)
    return f"({written})" if " or " in written else written


def _bounds(info: FieldInfo) -> Iterator[str]:
    for each in _metadata(info):
        for kind, attribute, words in BOUNDS:
            if isinstance(each, kind):
                yield f"{words} {_figure(getattr(each, attribute))}"
        pattern = getattr(each, "pattern", None)
        if isinstance(pattern, str):
            yield f"matches `{pattern}`"
        if isinstance(each, annotated_types.MinLen) and each.min_length == 1:
            yield "not empty"


def _bounds_in_schema(node: Schema) -> Iterator[str]:
    """Yield the bounds of plain numbers, which some types give in the schema alone."""
    choices = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    if any(choice.get("pattern") in QUANTITIES for choice in choices):
        return
    for each in (node, *choices):
        for words in ("minimum", "maximum"):
            if words in each:
                yield f"{'at least' if words == 'minimum' else 'at most'} {_figure(each[words])}"


def _figure(bound: float) -> str:
    return f"{int(bound):,}" if bound == int(bound) else f"{bound:g}"


def _metadata(info: FieldInfo) -> Iterator[object]:
    yield from info.metadata
    yield from _in_annotation(info.annotation)


def _in_annotation(annotation: object) -> Iterator[object]:
    """Yield what is said of a value's type; what is said of items of a list belongs to those."""
    yield from getattr(annotation, "__metadata__", ())
    is_container = getattr(annotation, "__origin__", None) in (list, tuple, dict)
    for argument in () if is_container else get_args(annotation):
        if isinstance(argument, FieldInfo):
            yield from argument.metadata
        else:
            yield from _in_annotation(argument)
