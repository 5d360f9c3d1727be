"""``dbdyno go-tpc``: the command that go-tpc users know."""

from __future__ import annotations

from typing import Annotated

import typer

CONTEXT_SETTINGS = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    # Whatever follows the command is its own: -h is go-tpc's help.
    "allow_interspersed_args": False,
    "help_option_names": [],
}


def go_tpc(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="tpcc prepare|run|cleanup|check [FLAGS]", help="As go-tpc takes them."
        ),
    ] = None,
) -> None:
    """Run TPC-C as go-tpc does: same flags, same output, dbdyno's engine."""
    from dbdyno.cli.say import say, warn
    from dbdyno.peers.go_tpc.command import call

    call(words or [], say, warn)
