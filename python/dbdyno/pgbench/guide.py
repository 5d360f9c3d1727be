"""The help of ``dbdyno pgbench``."""

from __future__ import annotations

from dbdyno.pgbench.catalogue import GROUPS, Option

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
transactions of all clients together; -M extended prepares each statement once. Scripts are those of
docs/own-transactions.md.
"""


def text() -> str:
    """Return the whole help."""
    parts = [GENERAL]
    for title, options in GROUPS:
        parts.append(f"\n{title}:\n")
        width = max(len(option.written) for option in options)
        parts += [f"  {option.written:{width}}  {_about(option)}\n" for option in options]
    return "".join(parts)


def _about(option: Option) -> str:
    if option.refusal:
        return f"refused: {option.refusal}"
    if option.no_effect:
        return f"no effect: {option.no_effect}"
    return f"{option.text} [{option.default}]" if option.default else option.text
