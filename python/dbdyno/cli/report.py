"""``dbdyno report``: write the report again, from nothing but a result directory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="A result directory, or an import.")
    ],
    formats: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="LIST",
            help="Formats, with commas between: html, md, pdf. Without it, what the experiment "
            "file names, which is html unless it says otherwise.",
        ),
    ] = "",
    languages: Annotated[
        str,
        typer.Option(
            "--lang",
            metavar="LIST",
            help="Languages, with commas between: en, zh. Without it, what the experiment file "
            "names, which is en unless it says otherwise.",
        ),
    ] = "",
    summary: Annotated[
        bool, typer.Option("--summary", help="Write one page: the answer and what stands with it.")
    ] = False,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            metavar="FACTOR=LEVEL",
            help="Hold the factor's other levels against this one. The report goes into a file of "
            "its own. Give it once for each factor that is to have another baseline.",
        ),
    ] = None,
) -> None:
    """Analyse a result again and write its report."""
    from rich.console import Console

    from dbdyno.cli.listed_names import listed_names
    from dbdyno.errors import RunError
    from dbdyno.experiment.baselines import read_baselines
    from dbdyno.importer.stored import is_import

    # What reads logs of other tools, and what reads trials, take their time to import.
    if is_import(directory):
        from dbdyno.cli.imported_report import show_and_write_import as show_and_write
    else:
        from dbdyno.cli.outcome import show_and_write
    findings = show_and_write(
        directory,
        Console(highlight=False),
        listed_names(formats),
        listed_names(languages),
        is_summary=summary,
        baselines=read_baselines(baseline or []),
    )
    if not findings.trials_used:
        raise RunError(
            f"{directory} has nothing to report: of its {findings.trials_planned} trials none can "
            "be used, as the warnings say"
        )
