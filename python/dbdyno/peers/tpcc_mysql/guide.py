"""The help."""

from __future__ import annotations

from dbdyno.peers.call.options import Option
from dbdyno.peers.tpcc_mysql.catalogue import COMMANDS

GENERAL = """\
Usage:
  dbdyno tpcc-mysql load  -h HOST -P PORT -d DATABASE -u USER -p PASSWORD -w WAREHOUSES
  dbdyno tpcc-mysql load  HOST:PORT DATABASE USER PASSWORD WAREHOUSES [TEXTFILE]
  dbdyno tpcc-mysql start -h HOST -P PORT -d DATABASE -u USER -p PASSWORD -w WAREHOUSES
                          -c CONNECTIONS -r RAMP-UP -l MEASURED -i INTERVAL
  dbdyno tpcc-mysql start HOST DATABASE USER PASSWORD WAREHOUSES CONNECTIONS RAMP-UP MEASURED

The options of tpcc_load and tpcc_start, and their output. load makes the tables, their indexes and
foreign keys, too: neither create_table.sql nor add_fkey_idx.sql is needed. Tables that tpcc_load
has loaded can be run on.

What is not as there: response times are measured on a clock and limits are seconds (tpcc_start
takes them for milliseconds), the ramp-up is in no figure, the transactions are the specification's,
and the password is shown nowhere.
"""


def of(command: str) -> str:
    """Return the help of a command, or of both."""
    commands = [command] if command in COMMANDS else list(COMMANDS)
    parts = [GENERAL]
    for name in commands:
        parts.append(f"\nOptions of {name}:\n")
        rows = [_row(option) for option in COMMANDS[name]]
        width = max(len(written) for written, _ in rows)
        parts += [f"  {written:{width}}  {text}\n" for written, text in rows]
    return "".join(parts)


def _row(option: Option) -> tuple[str, str]:
    return f"{option.written} {option.value}".rstrip(), option.about
