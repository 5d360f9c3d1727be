"""Where the server is: what pgbench hands on to libpq."""

from __future__ import annotations

from dbdyno.peers.call.libpq.address import LibpqAddress, find_address
from dbdyno.peers.pgbench.arguments import Arguments
from dbdyno.variables import POSTGRESQL


def read_address(arguments: Arguments) -> LibpqAddress:
    """Return where a call leads to; InputError where it leads nowhere."""
    database, user = (POSTGRESQL[name].value() for name in ("dbname", "user"))
    return find_address(
        {
            "host": arguments.text("host"),
            "port": arguments.text("port") if arguments.has("port") else "",
            "user": arguments.text("username"),
            "dbname": arguments.database or database or user or "",
        }
    )
