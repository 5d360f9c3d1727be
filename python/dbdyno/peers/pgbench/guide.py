"""The help of ``dbdyno pgbench``."""

from __future__ import annotations

from dbdyno.peers.pgbench.catalogue import GROUPS

GENERAL = """\
pgbench's own command, on dbdyno's engine: PostgreSQL's benchmark with the options of pgbench 15
and its output.

Usage:
  dbdyno pgbench -i [OPTION]... [DBNAME]    make the tables
  dbdyno pgbench [OPTION]... [DBNAME]       run scripts

DBNAME may be a URL, such as postgresql://user@host:5432/database. The password is in the variable
PGPASSWORD or DBDYNO_PASSWORD, or in ~/.pgpass.

What is not as in pgbench: a transaction that was due at a rate is timed from when it was due and is
never skipped; an error other than a deadlock or a serialization failure ends the run; -t counts the
transactions of all clients together. Scripts are those of docs/own-transactions.md.
"""


def text() -> str:
    """Return the whole help."""
    parts = [GENERAL]
    for title, options in GROUPS:
        parts.append(f"\n{title}:\n")
        rows = [(f"{option.written} {option.value}".rstrip(), option) for option in options]
        width = max(len(written) for written, _ in rows)
        parts += [f"  {written:{width}}  {option.about}\n" for written, option in rows]
    return "".join(parts)
