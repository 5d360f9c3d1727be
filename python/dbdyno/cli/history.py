"""``dbdyno history``: many results of one experiment over time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def history(
    directories: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Results of one experiment, in any order."),
    ],
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv", metavar="FILE", help="Write the history as CSV, as Apache Otava reads it."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="DIR", help="Write a report into this directory."),
    ] = None,
    languages: Annotated[
        str, typer.Option("--lang", metavar="LIST", help="Of the report: en, zh.")
    ] = "en",
) -> None:
    """Show many results of one experiment over time, and where the level changed.

    A new level takes three results before it and two at it; a drift is named, too.
    """
    from dbdyno.cli.history_output import print_history, to_json, write_csv
    from dbdyno.cli.history_read import read_history, write_history_report

    read = read_history(directories)
    if as_json:
        print(to_json(read))
    else:
        print_history(read)
    if csv is not None:
        write_csv(read, csv)
    if report is not None:
        for path in write_history_report(read, report, languages):
            print(f"report: {path}", file=sys.stderr)
