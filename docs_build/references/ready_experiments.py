"""The experiment files that are ready to run, each with its question and its text."""

from __future__ import annotations

from pathlib import Path

from ruamel.yaml import YAML

from dbdyno.experiment.translated import text_in
from docs_build.markdown import block, code, page, plain


def ready_experiments(repository: Path) -> str:
    """Return the page."""
    folder = repository / "experiments"
    files = sorted(folder.rglob("*.yaml"), key=lambda file: (len(file.parts), file))
    return page(
        "Texts of the experiment files",
        "`dbdyno plan FILE` shows what a file asks for, and `dbdyno run FILE` runs it.",
        *(_experiment(file, file.relative_to(repository)) for file in files),
    )


def _experiment(file: Path, path: Path) -> str:
    text = file.read_text(encoding="utf-8")
    question = YAML(typ="safe").load(text).get("question", "")
    return f"## {code(path)}\n\n{plain(text_in(question))}\n\n{block(text, 'yaml')}"
