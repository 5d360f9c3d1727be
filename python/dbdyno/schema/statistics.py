"""What a server's optimizer knows of its tables, and the rows that it read without an index.

An optimizer that knows nothing of a table guesses, and may read all of it for a single row. Here
servers are asked for both: whether statistics are there, and what was read by full scans so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dbdyno._native import Session
from dbdyno.size.asking import Connect, ask
from dbdyno.size.dialect import DIALECTS

_MYSQL = """
    SELECT t.table_name, NULLIF(s.n_rows, 0), UNIX_TIMESTAMP(s.last_update)
    FROM information_schema.tables t
    JOIN mysql.innodb_table_stats s
      ON s.database_name = t.table_schema AND s.table_name = t.table_name
    WHERE t.table_schema = DATABASE()"""

_POSTGRESQL = """
    SELECT t.relname,
        CASE WHEN EXISTS (SELECT FROM pg_stats s
                          WHERE s.schemaname = n.nspname AND s.tablename = t.relname)
             THEN GREATEST(t.reltuples, 0)::bigint END,
        EXTRACT(EPOCH FROM GREATEST(u.last_analyze, u.last_autoanalyze))
    FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
    LEFT JOIN pg_stat_user_tables u ON u.relid = t.oid
    WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition AND pg_table_is_visible(t.oid)
      AND t.relnamespace <> 'pg_catalog'::regnamespace"""

_SQLITE_HAS_ANY = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"
# A statistic of SQLite begins with the number of rows: "1000 10 1".
_SQLITE = """
    SELECT m.name, (SELECT MAX(CAST(s.stat AS INTEGER)) FROM sqlite_stat1 s WHERE s.tbl = m.name),
        NULL
    FROM sqlite_master m WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite^_%' ESCAPE '^'"""
_SQLITE_WITHOUT = """
    SELECT name, NULL, NULL FROM sqlite_master
    WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"""

_MYSQL_SCANS = """
    SHOW GLOBAL STATUS WHERE variable_name IN ('Handler_read_rnd_next', 'Rows_tmp_read')"""
_POSTGRESQL_SCANS = "SELECT relname, seq_tup_read FROM pg_stat_user_tables WHERE seq_tup_read > 0"


@dataclass(frozen=True)
class Statistics:
    """What the optimizer knows of some tables.

    ``rows`` is how many it takes all tables to have, ``missing`` are tables with rows of which it
    knows nothing, and ``analysed_unix_s`` is when the oldest statistics were made, where the server
    tells. A server that does not tell of a table has it in neither. ``reason`` says why nothing is
    known.
    """

    rows: int | None = None
    missing: tuple[str, ...] = ()
    analysed_unix_s: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class ScannedRows:
    """Rows read by full scans since the server counts, by table where it tells that.

    ``by_table`` has the whole under an empty name where it does not. Rows of temporary tables that
    grouping and sorting make may be among that whole, and ``temporary`` is how many were read in
    any way. ``reason`` says why nothing is known.
    """

    by_table: Mapping[str, int] = field(default_factory=dict)
    temporary: int = 0
    reason: str | None = None

    def since(self, before: ScannedRows) -> ScannedRows:
        """Return what was read since then, as few as that can be of tables that last.

        A counter that began again makes it unknown.
        """
        reason = before.reason or self.reason
        grown = {name: rows - before.by_table.get(name, 0) for name, rows in self.by_table.items()}
        if reason is None and any(rows < 0 for rows in grown.values()):
            reason = "the server began to count again during the load"
        temporary = self.temporary - before.temporary
        lasting = {name: rows - temporary for name, rows in grown.items() if rows > temporary}
        return ScannedRows(lasting, reason=reason)


def read_statistics(connect: Connect, database: str, tables: Sequence[str] | None) -> Statistics:
    """Return what is known of some tables, or of all; ``database`` as in ``read_schema``."""
    found = ask(connect, lambda session: known_of(session, database, tables))
    return Statistics(reason=found) if isinstance(found, str) else found


def read_scanned_rows(connect: Connect, database: str) -> ScannedRows:
    """Return how many rows of all tables were read by full scans; SQLite does not count them."""
    found = ask(connect, lambda session: _scanned_rows(session, database))
    return ScannedRows(reason=found) if isinstance(found, str) else found


def known_of(session: Session, database: str, tables: Sequence[str] | None) -> Statistics:
    """Do as ``read_statistics`` over a session that is open; its errors are the session's."""
    known: dict[str, int | None] = {}
    times_s = []
    for table, rows, time_s in session.query(_question(session, database)):
        if tables is None or table in tables:
            known[str(table)] = None if rows is None else int(rows)
            times_s += [] if time_s is None else [float(time_s)]
    quoted = DIALECTS[database].quoted
    missing = [
        name
        for name, rows in known.items()
        if rows is None and session.query(f"SELECT 1 FROM {quoted(name)} LIMIT 1")
    ]
    return Statistics(
        rows=sum(rows or 0 for rows in known.values()) if known else None,
        missing=tuple(sorted(missing)),
        analysed_unix_s=min(times_s, default=None),
    )


def _question(session: Session, database: str) -> str:
    if database != "sqlite":
        return {"mysql": _MYSQL, "postgresql": _POSTGRESQL}[database]
    return _SQLITE if session.query(_SQLITE_HAS_ANY)[0][0] != "0" else _SQLITE_WITHOUT


def _scanned_rows(session: Session, database: str) -> ScannedRows:
    if database == "sqlite":
        return ScannedRows(reason="SQLite does not count them")
    if database == "postgresql":
        rows = session.query(_POSTGRESQL_SCANS)
        return ScannedRows({str(name): int(count or 0) for name, count in rows})
    counters = {str(name).lower(): int(value or 0) for name, value in session.query(_MYSQL_SCANS)}
    # Only MariaDB has the second.
    scanned, temporary = counters["handler_read_rnd_next"], counters.get("rows_tmp_read", 0)
    return ScannedRows({"": scanned}, temporary)
