"""PostgreSQL for the benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

from bench.server import NAME, VERBS, BenchServer
from dbdyno.experiment.file.target import PostgresqlTarget
from dbdyno.target.local.launching import DATABASE, USER
from dbdyno.target.opening import open_server
from dbdyno.target.postgresql.binaries import find_postgres
from dbdyno.target.postgresql.data import PostgresDirectory
from dbdyno.target.postgresql.options import configuration_text

EXTENSION = "pg_stat_statements"

# Our own questions read one of the server's views of statistics, or its process id.
_COUNTS = (
    f"SELECT lower(substring(query FROM '\\w+')) AS verb, sum(calls) FROM {EXTENSION} "
    "WHERE query NOT LIKE '%pg_stat_%' AND query NOT LIKE '%pg_backend_pid%' GROUP BY verb"
)
_CONNECTIONS = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
)


class PostgresBenchServer(BenchServer):
    """A private server on the CPUs given (all, where none are).

    One table, as pgbench has one of accounts: with more, pgbench would have to draw a script too.
    """

    settings: ClassVar = {
        "shared_buffers": "512MB",
        "synchronous_commit": "off",
        # Tables are vacuumed once they are loaded, and not while somebody is measured.
        "autovacuum": "off",
        "shared_preload_libraries": EXTENSION,
    }
    tables = 1

    def __init__(self, directory: Path, cpus: tuple[int, ...] = ()) -> None:
        target = PostgresqlTarget.model_validate({"cpus": ",".join(map(str, cpus)) or None})
        super().__init__(open_server(target, NAME, directory))
        self._directory = directory

    def __enter__(self) -> Self:
        _make_extension(self._directory / NAME)
        return super().__enter__()

    def statement_counts(self) -> dict[str, int]:
        """Return what the server's extension counted: executions, by the first word."""
        counts = {str(verb): int(calls or 0) for verb, calls in self.query(_COUNTS)}
        return dict.fromkeys(VERBS, 0) | counts

    def other_connections(self) -> int:
        """Return how many connections there are but our own."""
        return int(self.query(_CONNECTIONS)[0][0] or 0)

    def vacuum(self) -> None:
        """Have the server do now what it would do with freshly loaded tables by and by."""
        self.query("VACUUM")


def _make_extension(path: Path) -> None:
    """Make the view of the statements, as nobody may who comes over a connection."""
    binaries = find_postgres(None)
    directory = PostgresDirectory(path, binaries, USER, DATABASE)
    directory.claim()
    directory.write_configuration(configuration_text("", {}))
    directory.initialise()
    statement = path / "extension.sql"
    statement.write_text(f"CREATE EXTENSION {EXTENSION}\n")
    directory.run_to_end(
        [binaries.server, "--single", *directory.options(), DATABASE],
        directory.error_log,
        f"make the extension {EXTENSION}",
        standard_input=statement,
    )
