"""The published JSON schema is that of the models, and agrees with the ready experiments."""

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from ruamel.yaml import YAML

from dbdyno.experiment.file.schema import schema_text

ROOT = Path(__file__).parents[3]
PUBLISHED = ROOT / "docs" / "experiment.schema.json"


def test_published_schema_is_up_to_date() -> None:
    assert PUBLISHED.read_text() == schema_text(), (
        "run: python -m dbdyno.experiment.file.schema docs/experiment.schema.json"
    )


@pytest.mark.parametrize("path", sorted((ROOT / "experiments").glob("*.yaml")), ids=str)
def test_ready_experiments_fit_the_schema(path: Path) -> None:
    jsonschema.validate(YAML(typ="safe").load(path), json.loads(PUBLISHED.read_text()))


def test_schema_refuses_what_reading_refuses() -> None:
    wrong = YAML(typ="safe").load(ROOT / "experiments" / "first-experiment.yaml")
    wrong["procedure"]["warm_up"] = "5s"
    with pytest.raises(jsonschema.ValidationError, match="warm_up"):
        jsonschema.validate(wrong, json.loads(PUBLISHED.read_text()))
