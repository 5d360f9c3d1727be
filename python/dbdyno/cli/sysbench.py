"""``dbdyno sysbench``: the command that sysbench users know."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dbdyno.errors import RunError

CONTEXT_SETTINGS = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    # sysbench's own help has its own form.
    "help_option_names": [],
}


def sysbench(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[OPTIONS] SCRIPT COMMAND", help="As sysbench takes them."),
    ] = None,
) -> None:
    """Run sysbench's OLTP scripts: same options, same output, dbdyno's engine."""
    from dbdyno.cli.exit_status import ExitStatus
    from dbdyno.sysbench.command import call

    if not call(words or [], _print):
        raise typer.Exit(ExitStatus.FAILED)


def _print(said: str) -> None:
    """Print at once, also into a pipe: whoever reads interval lines reads them live."""
    if sys.stdout is None:
        raise RunError("standard output is closed, so that nothing can be printed")
    try:
        sys.stdout.write(said)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still in the buffer would be tried once more at the end.
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - it lives as long as we do
        raise RunError(f"what is to be printed cannot be written: {error.strerror}") from error
