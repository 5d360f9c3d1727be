"""``dbdyno report``: write the report again, from nothing but a result directory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A result directory.")],
    formats: Annotated[
        str, typer.Option("--format", metavar="LIST", help="Formats, with commas between: html.")
    ] = "html",
    languages: Annotated[
        str, typer.Option("--lang", metavar="LIST", help="Languages, with commas between: en.")
    ] = "en",
) -> None:
    """Analyse a result again and write its report."""
    from rich.console import Console

    from dbdyno.cli.outcome import show_and_write
    from dbdyno.errors import InputError, RunError

    if languages != "en":
        raise InputError(f"--lang {languages}: reports are written in en in this release")
    names = [name.strip() for name in formats.split(",")]
    findings = show_and_write(directory, names, Console(highlight=False))
    if not findings.trials_used:
        raise RunError(
            f"{directory} has nothing to report: of its {findings.trials_planned} trials none can "
            "be used, as the warnings say"
        )
