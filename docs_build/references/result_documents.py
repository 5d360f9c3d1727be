"""The JSON documents of a result directory: every field of each, with its type.

They are read from the types by which dbdyno itself checks a document that it reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter

from dbdyno.facts.host import HOST, OtherHost
from dbdyno.store import layout
from dbdyno.store.facts import DatasetFacts, ServerFacts
from dbdyno.store.record import PLAN, TRIAL, TRIAL_PLAN
from docs_build.markdown import code, page, plain, table
from docs_build.references.schema_fields import SCALARS, Schema, values_of

KINDS = {**SCALARS, "null": "null"}

UNITS = (
    "A name ends with its unit: `_s` for seconds, `_us` for microseconds, `_bytes`, `_per_s`; "
    "`_unix_s` is seconds since 1970. A field that is not there, or null (None below), is "
    "not known. A later dbdyno may add fields."
)

DOCUMENTS: Mapping[str, tuple[str, TypeAdapter[Any], Mapping[str, type]]] = {
    layout.PLAN_FILE: (layout.TOP_LEVEL[layout.PLAN_FILE], PLAN, {}),
    layout.HOST_FILE: (layout.TOP_LEVEL[layout.HOST_FILE], HOST, {}),
    layout.OTHER_HOSTS_FILE: (
        layout.TOP_LEVEL[layout.OTHER_HOSTS_FILE],
        TypeAdapter(OtherHost),
        {},
    ),
    f"trials/0007/{layout.TRIAL_FILE}": (
        layout.TRIAL_FILES[layout.TRIAL_FILE],
        TRIAL,
        {"server": ServerFacts, "dataset": DatasetFacts},
    ),
    f"trials/0007/{layout.GENERATOR_PLAN_FILE}": (
        layout.TRIAL_FILES[layout.GENERATOR_PLAN_FILE],
        TRIAL_PLAN,
        {},
    ),
}
"""By file: what it is, its type, and the types of fields that it has only as objects."""


def result_documents() -> str:
    """Return the page."""
    return page(
        "Result documents",
        f"The JSON documents of a result directory. {UNITS} What each file is for, and the columns "
        "of tables, are in [Result format](result-format.md).",
        *(
            part
            for name, (meaning, kind, parts) in DOCUMENTS.items()
            for part in _document(name, meaning, kind, parts)
        ),
    )


def _document(
    name: str, meaning: str, kind: TypeAdapter[Any], parts: Mapping[str, type]
) -> Iterator[str]:
    yield f"## {name}"
    yield plain(meaning)
    models = {"": kind} | {path: TypeAdapter(model) for path, model in parts.items()}
    for path, model in models.items():
        schema = model.json_schema()
        yield from _Objects(schema.get("$defs", {})).of(path, _target(schema))


def _target(schema: Schema) -> Schema:
    """Return the object that a schema is of; one that refers to itself names it."""
    reference = schema.get("$ref")
    found: Schema = schema["$defs"][_name_of(reference)] if reference else schema
    return found


class _Objects:
    """The objects of one document; ``paths`` are where those are described that were met."""

    def __init__(self, known: Mapping[str, Schema]) -> None:
        self._known = known
        self._paths: dict[str, str] = {}

    def of(self, path: str, node: Schema) -> Iterator[str]:
        """Yield an object's fields, and then those of each object below that was not met yet."""
        if path:
            yield f"### {path}"
        yield plain(node.get("description", ""))
        below = dict(self._paths)
        rows = [
            (code(name), self._written(f"{path}.{name}" if path else name, field))
            for name, field in node.get("properties", {}).items()
        ]
        yield table(("Field", "Value"), rows)
        for name, place in dict(self._paths).items():
            if name not in below:
                yield from self.of(place, self._known[name])

    def _written(self, path: str, field: Schema) -> str:
        """Return in words how a value is written, and where an object's fields stand."""
        if "$ref" in field:
            return self._referred(path, _name_of(field["$ref"]))
        if "enum" in field or "const" in field:
            return " or ".join(code(each) for each in field.get("enum", [field.get("const")]))
        choices = [choice for choice in ("anyOf", "oneOf", "allOf") if choice in field]
        if choices:
            written = (self._written(path, option) for option in field[choices[0]])
            return " or ".join(dict.fromkeys(written))
        if field.get("type") == "array":
            return self._list(f"{path}[]", field)
        for held in values_of(field):
            return f"mapping of names to {self._written(f'{path}.*', held)}"
        return KINDS.get(str(field.get("type")), "any value")

    def _referred(self, path: str, name: str) -> str:
        node = self._known[name]
        if "properties" not in node:
            return self._written(path, node)
        return f"mapping {code(self._paths.setdefault(name, path))}"

    def _list(self, path: str, field: Schema) -> str:
        if "prefixItems" in field:
            return f"list: {', '.join(self._written(path, each) for each in field['prefixItems'])}"
        return f"list of {self._written(path, field.get('items', {}))}"


def _name_of(reference: str) -> str:
    return reference.rpartition("/")[2]
