"""The JSON schema of the experiment file, from which editors complete and check.

``python -m dbdyno.experiment.file.schema docs/experiment.schema.json`` writes it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from dbdyno.experiment.model import ExperimentFile


def schema_text() -> str:
    """Return the schema as it is published."""
    schema = ExperimentFile.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "dbdyno experiment"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(schema_text(), encoding="utf-8")
