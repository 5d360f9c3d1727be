"""``dbdyno audit``: recompute what tables of results claim, and list what does not follow."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"


def audit(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="CSV, Markdown or HTML with tables of results or claims, or folders of them. "
            "What is named in one call is audited together.",
        ),
    ],
    columns: Annotated[
        Path | None,
        typer.Option(
            "--columns",
            metavar="YAML",
            help="Describe columns, set-up and conclusions of all tables; else NAME.audit.yaml "
            "beside each file is read. Of a folder, the NAME.audit.yaml in it.",
        ),
    ] = None,
    output: Annotated[
        Format, typer.Option("--format", help="text for people, json for programs.")
    ] = Format.TEXT,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="DIR",
            help="Draw each table as a report of ours, in this directory.",
        ),
    ] = None,
    languages: Annotated[
        str, typer.Option("--lang", metavar="LIST", help="Of the reports: en, zh.")
    ] = "en",
    everything: Annotated[
        bool, typer.Option("--all", help="Print all lines of evidence, and not the first of each.")
    ] = False,
) -> None:
    """Recompute what results tables claim, and list what does not follow from their figures.

    The exit status is 0 when nothing was found, 1 when something was found, and 2 when a file
    cannot be read.
    """
    from dbdyno.analysis.audit.audit import audit as find
    from dbdyno.cli.audit_output import print_findings, print_json
    from dbdyno.cli.drawn_tables import draw_tables
    from dbdyno.cli.exit_status import ExitStatus
    from dbdyno.cli.listed_names import required_names
    from dbdyno.results_table.read import read_tables

    tables = read_tables(paths, columns)
    found = find(tables)
    if output is Format.JSON:
        print_json(tables, found)
    else:
        print_findings(tables, found, everything=everything)
    if report is not None:
        for path in draw_tables(tables, report, required_names("--lang", languages)):
            print(f"report: {path}", file=sys.stderr)
    if found:
        raise typer.Exit(ExitStatus.FAILED)
