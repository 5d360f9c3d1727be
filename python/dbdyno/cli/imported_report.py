"""The report of an import: what logs of other tools tell, by the rules for our own trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.imported.analyse import analyse_evidence
from dbdyno.analysis.imported.factors import factors_of
from dbdyno.errors import InputError
from dbdyno.experiment.baselines import changed_baselines, factors_with_baselines, label_of
from dbdyno.importer.stored import read_import
from dbdyno.report.terminal import print_verdicts
from dbdyno.report.write import write_report
from dbdyno.target.local.files import file_errors

if TYPE_CHECKING:
    from rich.console import Console


def show_and_write_import(
    directory: Path,
    console: Console,
    formats: list[str],
    languages: list[str],
    *,
    is_summary: bool = False,
    baselines: Mapping[str, str],
) -> Findings:
    """Analyse an import, write its reports into its directory and print its verdicts.

    Without formats and languages it is HTML in English.
    """
    result = read_import(directory)
    own = factors_of(result.trials)
    factors = factors_with_baselines(own, baselines, [factor.name for factor in own])
    changed = changed_baselines(own, factors)
    findings = replace(analyse_evidence(result, factors), planned_baselines=changed)
    with file_errors(f"write the report into {directory}", InputError):
        paths = write_report(
            findings,
            directory,
            formats or ["html"],
            languages or ["en"],
            is_summary=is_summary,
            label=label_of(factors, changed),
        )
    console.print()
    print_verdicts(findings, console)
    for path in paths:
        console.print(f"report: {path}", soft_wrap=True, markup=False)
    return findings
