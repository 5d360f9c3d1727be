"""Pages that list everything of a kind, each made of the one place in the code that declares it."""

from __future__ import annotations

from pathlib import Path

from docs_build.references.command_line import command_line
from docs_build.references.environment_variables import environment_variables
from docs_build.references.exit_statuses import exit_statuses
from docs_build.references.experiment_file import experiment_file
from docs_build.references.ready_experiments import ready_experiments
from docs_build.references.result_documents import result_documents
from docs_build.references.result_format import result_format
from docs_build.references.warnings import warnings

FOLDER = "docs/reference"


def references(repository: Path) -> dict[str, str]:
    """Return the Markdown of all generated pages, by their paths in the repository."""
    return {
        **experiment_file(repository),
        f"{FOLDER}/command-line.md": command_line(),
        f"{FOLDER}/exit-statuses.md": exit_statuses(),
        f"{FOLDER}/environment-variables.md": environment_variables(),
        f"{FOLDER}/warnings.md": warnings(),
        f"{FOLDER}/result-format.md": result_format(),
        f"{FOLDER}/result-documents.md": result_documents(),
        "experiments/index.md": ready_experiments(repository),
    }
