"""Experiments that pages show can be planned, and fields that pages name are fields."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dbdyno.experiment.design.search_plan import plan_experiment
from dbdyno.experiment.file.read import read_experiment
from tests.unit.docs.pages import DOCS, GUIDES, PAGES, Block, blocks, inline_code

WHOLE = re.compile(r"^experiment:", re.MULTILINE)
EXPERIMENTS = [block for block in blocks("yaml", PAGES) if WHOLE.search(block.text)]

PATH = re.compile(r"(load|session|procedure|workload|watch|search|report)(\.[a-z_0-9]+)+")


@pytest.mark.parametrize("block", EXPERIMENTS, ids=lambda block: block.place)
def test_an_experiment_in_a_page_can_be_planned(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "experiment.yaml"
    file.write_text(block.text, encoding="utf-8")
    for name in re.findall(r"option_file: ([\w.-]+)", block.text):
        (tmp_path / name).touch()
    assert plan_experiment(read_experiment(file)).trials


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_fields_that_a_page_names_are_fields(page: Path) -> None:
    named = {code for code in inline_code(page) if PATH.fullmatch(code)}
    assert {path for path in named if not is_field(path)} == set()


def test_a_field_that_is_none_is_found() -> None:
    assert is_field("procedure.retry.max_retries")
    assert not is_field("procedure.retry.tries")
    assert not is_field("workload.sysbench.table_count")


def is_field(path: str) -> bool:
    """Tell whether an experiment file may have a field."""
    schema = json.loads((DOCS / "experiment.schema.json").read_text(encoding="utf-8"))
    models = [schema]
    for name in path.split("."):
        fields = [model["properties"][name] for model in models if name in model["properties"]]
        if not fields:
            return False
        models = [model for field in fields for model in _models(field, schema)]
    return True


def _models(field: dict[str, Any], schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the mappings that a field may hold."""
    for option in field.get("anyOf", field.get("allOf", [field])):
        name = option.get("$ref", "").rpartition("/")[2]
        model = schema["$defs"].get(name, {})
        if "properties" in model:
            yield model
        elif model:
            yield from _models(model, schema)
