"""``dbdyno sysbench``: the command that sysbench users know."""

from __future__ import annotations

from typing import Annotated

import typer

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
    from dbdyno.cli.exit_status import ExitStatus, report_error
    from dbdyno.cli.say import say, warn
    from dbdyno.errors import InputError
    from dbdyno.peers.sysbench.command import call

    try:
        is_done = call(words or [], say, warn)
    except InputError as error:
        # sysbench knows one status for whatever goes wrong, and scripts look for it.
        report_error(error)
        is_done = False
    if not is_done:
        raise typer.Exit(ExitStatus.FAILED)
