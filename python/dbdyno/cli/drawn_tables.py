"""Published tables drawn as our report, a page a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dbdyno.analysis.imported.analyse import analyse_evidence
from dbdyno.errors import InputError
from dbdyno.report.write import refuse_unwritable, write_report
from dbdyno.results_table.evidence import to_evidence
from dbdyno.results_table.model import ResultsTable
from dbdyno.target.local.files import file_errors


def draw_tables(
    tables: Sequence[ResultsTable], directory: Path, languages: Sequence[str]
) -> Iterator[Path]:
    """Write a page for each table that has figures, named like the table; yield their paths."""
    refuse_unwritable(["html"], languages)
    for table in tables:
        if not table.figures:
            continue
        findings = analyse_evidence(to_evidence(table))
        with file_errors(f"write reports into {directory}", InputError):
            directory.mkdir(parents=True, exist_ok=True)
            label = re.sub(r"[^\w.-]+", "_", table.name)
            yield from write_report(findings, directory, ["html"], languages, label=label)
