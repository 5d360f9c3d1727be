"""One call of pgbench's form, from its words to its output."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dbdyno import __version__
from dbdyno.errors import InputError, RunError
from dbdyno.peers.pgbench import guide, tables
from dbdyno.peers.pgbench.address import read_address
from dbdyno.peers.pgbench.arguments import Arguments, read_arguments
from dbdyno.peers.pgbench.request import read_request
from dbdyno.peers.pgbench.run import run
from dbdyno.peers.pgbench.scripts import builtin_list

Say = Callable[[str], None]


def call(words: Sequence[str], say: Say, warn: Say) -> None:
    """Carry out what the words ask for; ``InputError`` where they are wrong.

    Results go to ``say``, everything else to ``warn``, as pgbench has standard output and standard
    error.
    """
    arguments = read_arguments(words)
    if arguments.has("help"):
        say(guide.text())
    elif arguments.has("version"):
        say(f"pgbench (dbdyno {__version__})\n")
    elif "list" in arguments.values("builtin"):
        warn(builtin_list())
    else:
        _carry_out(arguments, say, warn)


def _carry_out(arguments: Arguments, say: Say, warn: Say) -> None:
    address = read_address(arguments)
    for warning in (*arguments.warnings(), *address.warnings):
        warn(f"WARNING: {warning}\n")
    if arguments.has("initialize"):
        try:
            tables.initialize(arguments, address, warn)
        except RunError as error:
            # Nothing was run: pgbench ends as it does after a wrong call.
            raise InputError(str(error)) from error
    else:
        run(read_request(arguments, address), say, warn)
