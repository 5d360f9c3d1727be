"""One call of go-tpc's form, from its words to its output."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dbdyno import __version__
from dbdyno.errors import RunError
from dbdyno.peers.go_tpc import guide
from dbdyno.peers.go_tpc.address import address_beside, read_address, read_connection
from dbdyno.peers.go_tpc.arguments import HELP, VERSION, Arguments, read_arguments
from dbdyno.peers.go_tpc.check import check, violation
from dbdyno.peers.go_tpc.parameters import Parameters
from dbdyno.peers.go_tpc.request import read_prepare, read_run
from dbdyno.peers.go_tpc.run import run
from dbdyno.peers.go_tpc.tables import drop, load, make_database
from dbdyno.peers.go_tpc.values import integer

Say = Callable[[str], None]

NO_ENCRYPTION = "does not offer encryption"
WITHOUT_ENCRYPTION = "sslmode=disable, with MySQL tls=false"
"""How go-tpc's flags say what a message calls ssl_mode=disabled."""


def call(words: Sequence[str], say: Say, warn: Say) -> None:
    """Carry out what the words ask for; ``InputError`` where they are wrong.

    What go-tpc prints goes to ``say``; what it would not print goes to ``warn``.
    """
    arguments = read_arguments(words)
    if arguments.workload == VERSION:
        say(f"Release version: dbdyno {__version__}\n")
    elif arguments.has(HELP) or not arguments.command:
        say(guide.of(arguments))
    else:
        try:
            _carry_out(arguments, say, warn)
        except RunError as error:
            if NO_ENCRYPTION not in str(error):
                raise
            raise RunError(f"{error} (here --conn-params {WITHOUT_ENCRYPTION})") from error


def _carry_out(arguments: Arguments, say: Say, warn: Say) -> None:
    connection = read_connection(arguments)
    for warning in (*arguments.warnings(), *connection.warnings):
        warn(f"WARNING: {warning}\n")
    match arguments.command:
        case "prepare":
            _prepare(arguments, connection, say, warn)
        case "run":
            asked = read_run(arguments, connection)
            run(asked, integer(arguments, "warehouses", 1), say, warn)
        case "cleanup":
            drop(read_prepare(arguments, connection), say)
            say("Finished\n")
        case "check":
            _check(arguments, connection, say)


def _prepare(arguments: Arguments, connection: Parameters, say: Say, warn: Say) -> None:
    request = read_prepare(arguments, connection)
    beside = address_beside(arguments, connection.encryption)
    make_database(request.address, beside, arguments.text("db"), warn)
    load(request, say, warn, drops=arguments.switch("dropdata"))
    if arguments.switch("no-check"):
        say("Finished\n")
    else:
        _check(arguments, connection, say)


def _check(arguments: Arguments, connection: Parameters, say: Say) -> None:
    address = read_address(arguments, connection.encryption)
    violated = check(address, integer(arguments, "warehouses", 1), say)
    # As there, also where conditions are violated; the status and the error say so.
    say("Finished\n")
    if violated:
        raise violation(violated)
