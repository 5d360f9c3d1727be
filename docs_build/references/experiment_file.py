"""The fields of the experiment file: a page for each of its parts, and one that leads to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docs_build.markdown import block, code, page, plain, table, target
from docs_build.references.field_examples import Key, example_of, examples_of_files, line_of
from docs_build.references.schema_fields import SCHEMA, Field, Mapped, fields_of, mappings

FOLDER = "docs/reference/experiment-file"
FIRST_EXPERIMENT = Path("experiments/first-experiment.yaml")


@dataclass(frozen=True)
class Place:
    """Where a mapping is described: the part of the file whose page it is on, and its path."""

    part: str
    path: str

    @property
    def link(self) -> str:
        """A link to it, by its path."""
        is_page = self.path == self.part
        return f"[{code(self.path)}]({self.part}.md{'' if is_page else '#' + _heading(self.path)})"


def experiment_file(repository: Path) -> dict[str, str]:
    """Return the pages by their paths."""
    examples = examples_of_files(repository / "experiments")
    top = list(fields_of("", "ExperimentFile", SCHEMA))
    pages: dict[str, str] = {}
    seen = {"ExperimentFile"}
    places: dict[str, Place] = {}
    for field in top:
        below = list(mappings(field.name, SCHEMA["properties"][field.name], seen))
        places |= {mapped.model: Place(field.name, mapped.path) for mapped in below}
        if below:
            pages[field.name] = _page(field, below, places, examples)
    index = _index(top, set(pages), (repository / FIRST_EXPERIMENT).read_text(encoding="utf-8"))
    return {f"{FOLDER}/{name}.md": text for name, text in {"index": index, **pages}.items()}


def _index(fields: list[Field], parts: set[str], first: str) -> str:
    rows = (
        (
            f"[`{field.name}`]({field.name}.md)" if field.name in parts else code(field.name),
            field.written,
            " ".join(_default(field)).removeprefix("default "),
            plain(field.meaning),
        )
        for field in fields
    )
    return page(
        "Fields of the experiment file",
        "An experiment file is YAML. A few lines are a complete one:",
        block(first, "yaml"),
        "Every field has a default that a careful engineer would choose, but for those that are "
        "required. `docs/experiment.schema.json` in the repository gives completion in editors.",
        table(("Field", "Written as", "Default", "Meaning"), rows),
        "In the names of fields, `<name>` stands for a name of your own, and `[]` for each entry "
        "of a list.",
        ":::{toctree}\n:hidden:\n\n" + "\n".join(sorted(parts)) + "\n:::",
    )


def _page(
    part: Field, below: list[Mapped], places: Mapping[str, Place], examples: Mapping[Key, str]
) -> str:
    blocks = [each for mapped in below for each in _mapped(mapped, places, examples)]
    return page(part.name, plain(part.meaning), *blocks)


def _mapped(
    mapped: Mapped, places: Mapping[str, Place], examples: Mapping[Key, str]
) -> Iterator[str]:
    is_page = mapped.path.isalpha()
    if not is_page:
        yield f"{target(_heading(mapped.path))}\n## {code(mapped.path)}"
        yield plain(mapped.meaning)
    for field in mapped.fields:
        yield f"{target(_anchor(field.path))}\n{'##' if is_page else '###'} {field.name}"
        yield "\\\n".join(_facts(field, places))
        yield plain(field.meaning)
        example = example_of(field, examples)
        if example:
            yield f"Example: {code(example)}"


def _facts(field: Field, places: Mapping[str, Place]) -> Iterator[str]:
    yield f"{code(field.path)}: {'; '.join([field.written, *field.bounds, *_default(field)])}."
    links = [places[model].link for model in field.mappings]
    if links:
        yield f"Its fields: {', '.join(links)}."


def _heading(path: str) -> str:
    """Return the anchor of the fields of a mapping, which may be a field itself."""
    return _anchor(path).replace("field-", "fields-", 1)


def _anchor(path: str) -> str:
    return "field-" + re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-")


def _default(field: Field) -> Iterator[str]:
    """Yield what holds where the field is absent, unless its meaning says that."""
    if field.is_required:
        yield "required"
    elif field.default not in (None, "", [], {}) and not _is_of_mappings(field):
        yield f"default {code(_shown(field))}"
    elif field.default is None:
        yield "optional"


def _is_of_mappings(field: Field) -> bool:
    """Tell whether the default is made of the defaults of other fields, which tell more."""
    values = field.default if isinstance(field.default, list) else [field.default]
    return any(isinstance(value, dict) for value in values)


def _shown(field: Field) -> str:
    if "duration" in field.written and isinstance(field.default, float):
        return f"{field.default:g}s"
    return line_of("", field.default).partition(":")[2].strip()
