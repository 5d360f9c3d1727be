"""``dbdyno pgbench``: the command that pgbench users know."""

from __future__ import annotations

from typing import Annotated

import typer

CONTEXT_SETTINGS = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    # -h is the host, and pgbench's help has its own form.
    "help_option_names": [],
}

WRONG_CALL, FAILED_RUN = 1, 2
"""pgbench's own: the call is wrong or the server away; the run has failed."""


def pgbench(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[OPTIONS] [DBNAME]", help="As pgbench takes them."),
    ] = None,
) -> None:
    """Run pgbench's scripts: same options, same output, dbdyno's engine."""
    from dbdyno.cli.exit_status import report_error
    from dbdyno.cli.say import say, warn
    from dbdyno.errors import InputError, RunError
    from dbdyno.peers.pgbench.command import call

    try:
        call(words or [], say, warn)
    except InputError as error:
        report_error(error)
        raise typer.Exit(WRONG_CALL) from error
    except RunError as error:
        report_error(error)
        raise typer.Exit(FAILED_RUN) from error
