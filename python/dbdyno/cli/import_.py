"""``dbdyno import``: logs of other tools → a directory that reports and comparisons read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dbdyno.cli.exit_status import ExitStatus


def import_(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="[FACTOR=LEVEL:]LOG...",
            help="Logs, or directories of logs. A prefix gives all logs behind it a level that "
            "they do not tell: target=mysql:logs/mysql-*.log. Levels with / between are those of "
            "the runs in one file, in their order: machine=small/large:both.txt",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="The directory to write.", show_default=False),
    ],
    name: Annotated[
        str, typer.Option("--name", help="What the result is called; without it, as DIR is.")
    ] = "",
    question: Annotated[
        str, typer.Option("--question", help="The question that the runs are to answer.")
    ] = "",
) -> None:
    """Read logs of sysbench, pgbench, BenchmarkSQL, tpcc-mysql, go-tpc, HammerDB and others."""
    from rich.console import Console

    from dbdyno.cli.import_output import show_import
    from dbdyno.importer.arrange import arrange
    from dbdyno.importer.given import read_given
    from dbdyno.importer.storing import write_import

    trials, levels = read_given(logs)
    result = arrange(trials, levels, name=name or out.resolve().name, question=question)
    write_import(result, out)
    show_import(result, out, Console(highlight=False))
    if any(trial.failure for trial in result.trials):
        raise typer.Exit(ExitStatus.FAILED)
