"""Loads TPC-C's rows from ready files, with the programs that come with the servers."""

from __future__ import annotations

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

from bench.server import BenchServer
from dbdyno.errors import RunError

CONNECTIONS = 2
"""As many as there are CPUs that both sides share."""

TABLES = (
    *("order_line", "stock", "customer", "orders", "history"),
    *("item", "new_order", "district", "warehouse"),
)
"""The largest first: no connection is left with a long table at the end."""

INDEXES = {
    "customer": ("customer_by_name", "c_w_id, c_d_id, c_last, c_first"),
    "orders": ("orders_by_customer", "o_w_id, o_d_id, o_c_id, o_id"),
}
KEYS = {
    "order_line": "ol_w_id, ol_d_id, ol_o_id, ol_number",
    "stock": "s_w_id, s_i_id",
    "customer": "c_w_id, c_d_id, c_id",
    "orders": "o_w_id, o_d_id, o_id",
    "item": "i_id",
    "new_order": "no_w_id, no_d_id, no_o_id",
    "district": "d_w_id, d_id",
    "warehouse": "w_id",
}


class PlainLoader(ABC):
    """Takes the rows of loaded tables into files, and loads them from there again."""

    analyze: ClassVar[str]

    def __init__(self, server: BenchServer, directory: Path) -> None:
        self.server = server
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)

    def save(self) -> None:
        """Write each table into a file."""
        for table in TABLES:
            self.save_table(table, self._directory / table)

    def empty(self) -> None:
        """Put empty tables in the places of those that are there, without what is made later."""
        for table in TABLES:
            self.make_twin(table)
            self.server.query(f"DROP TABLE {table}")
            self.server.query(f"ALTER TABLE twin_{table} RENAME TO {table}")

    def load(self) -> None:
        """Load all tables, then make what is made once the rows are there."""
        self._in_parallel([self.load_command(t, self._directory / t) for t in TABLES])
        self._in_parallel([self.run_command("; ".join(self.later(t))) for t in TABLES])

    def later(self, table: str) -> list[str]:
        """Return the statements for a table that has its rows."""
        statements = []
        if table in INDEXES:
            name, columns = INDEXES[table]
            statements.append(f"CREATE INDEX {name} ON {table} ({columns})")
        return [*statements, f"{self.analyze} {table}"]

    @abstractmethod
    def save_table(self, table: str, file: Path) -> None:
        """Write the rows of a table into a file."""

    @abstractmethod
    def make_twin(self, table: str) -> None:
        """Make an empty table ``twin_<table>``."""

    @abstractmethod
    def load_command(self, table: str, file: Path) -> Sequence[str]:
        """Return the command that loads a file into a table."""

    @abstractmethod
    def run_command(self, sql: str) -> Sequence[str]:
        """Return the command that runs statements."""

    def _in_parallel(self, commands: Sequence[Sequence[str]]) -> None:
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            list(pool.map(self.run, commands))

    def run(self, command: Sequence[str]) -> str:
        """Run a server's own client and return what it says; RunError where it fails."""
        password = self.server.password
        environment = {**os.environ, "MYSQL_PWD": password, "PGPASSWORD": password}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if done.returncode != 0:
            raise RunError(f"{command[0]} ended with status {done.returncode}: {done.stderr}")
        return done.stdout


class MariaDbLoader(PlainLoader):
    """``LOAD DATA LOCAL INFILE`` through the program ``mariadb``."""

    analyze = "ANALYZE TABLE"

    def save_table(self, table: str, file: Path) -> None:
        """Save it as LOAD DATA reads it: ``mariadb`` writes all in that form but for NULL."""
        rows = self.run(self.run_command(f"SELECT * FROM {table}"))
        with file.open("w", encoding="latin1") as output:
            for row in rows.removesuffix("\n").split("\n"):
                fields = ("\\N" if field == "NULL" else field for field in row.split("\t"))
                output.write("\t".join(fields) + "\n")

    def make_twin(self, table: str) -> None:
        """Make it with the primary key, in the order of which InnoDB keeps the rows."""
        self.server.query(f"CREATE TABLE twin_{table} LIKE {table}")
        if table in INDEXES:
            self.server.query(f"ALTER TABLE twin_{table} DROP INDEX {INDEXES[table][0]}")

    def load_command(self, table: str, file: Path) -> Sequence[str]:
        """Return LOAD DATA."""
        return self.run_command(
            f"LOAD DATA LOCAL INFILE '{file}' INTO TABLE {table} CHARACTER SET latin1"
        )

    def run_command(self, sql: str) -> Sequence[str]:
        """Return a call of ``mariadb``."""
        address = self.server.address
        return (
            *("mariadb", "--no-defaults", "--skip-column-names", "--default-character-set=utf8mb4"),
            *("--local-infile=1", f"--host={address.host}"),
            *(f"--port={address.port}", f"--user={address.user}"),
            *("--database", address.database, "--execute", sql),
        )


class PostgresLoader(PlainLoader):
    """``COPY`` through the program ``psql``."""

    analyze = "ANALYZE"

    def save_table(self, table: str, file: Path) -> None:
        """Have psql write the file."""
        self.run(self.run_command(f"\\copy {table} TO '{file}'"))

    def make_twin(self, table: str) -> None:
        """Make it without any index."""
        self.server.query(f"CREATE TABLE twin_{table} (LIKE {table})")

    def later(self, table: str) -> list[str]:
        """Return the statements for a table that has its rows: the primary key, too."""
        key = [f"ALTER TABLE {table} ADD PRIMARY KEY ({KEYS[table]})"] if table in KEYS else []
        return [*key, *super().later(table)]

    def load_command(self, table: str, file: Path) -> Sequence[str]:
        """Return COPY."""
        return self.run_command(f"\\copy {table} FROM '{file}'")

    def run_command(self, sql: str) -> Sequence[str]:
        """Return a call of ``psql``."""
        address = self.server.address
        return (
            *("psql", "--no-psqlrc", "--quiet", f"--host={address.host}"),
            *(f"--port={address.port}", f"--username={address.user}"),
            *("--set=ON_ERROR_STOP=1", f"--dbname={address.database}", f"--command={sql}"),
        )
