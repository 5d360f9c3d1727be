"""``dbdyno tpcc-mysql``: the commands that tpcc-mysql users know."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

CONTEXT_SETTINGS = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    # Whatever follows the command is its own: -h is the host.
    "allow_interspersed_args": False,
    "help_option_names": [],
}


def tpcc_mysql(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="load|start [OPTIONS]", help="As tpcc_load and tpcc_start do."),
    ] = None,
) -> None:
    """Load and run as tpcc_load and tpcc_start do: same options, same output, dbdyno's engine."""
    from dbdyno.cli.say import say, warn
    from dbdyno.peers.tpcc_mysql.command import call

    call(words or [], say, warn, is_terminal=sys.stdout.isatty())
