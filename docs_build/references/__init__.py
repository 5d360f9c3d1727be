"""Pages that list everything of a kind, each made of the one place in the code that declares it."""

from __future__ import annotations

from pathlib import Path

from docs_build.references.exit_statuses import exit_statuses
from docs_build.references.warnings import warnings

FOLDER = "docs/reference"


def references(repository: Path) -> dict[str, str]:
    """Return the Markdown of all generated pages, by their paths in the repository."""
    return {
        f"{FOLDER}/exit-statuses.md": exit_statuses(),
        f"{FOLDER}/warnings.md": warnings(),
    }
