"""MariaDB or MySQL for the benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from bench.server import NAME, VERBS, BenchServer
from dbdyno.experiment.file.target import MysqlTarget
from dbdyno.target.opening import open_server

_NAMES = ", ".join(f"'Com_{verb}'" for verb in VERBS)
_COUNTS = f"SHOW GLOBAL STATUS WHERE Variable_name IN ({_NAMES})"
_CONNECTIONS = "SHOW GLOBAL STATUS LIKE 'Threads_connected'"


class MysqlBenchServer(BenchServer):
    """A private server on the CPUs given (all, where none are)."""

    settings: ClassVar = {
        "innodb_buffer_pool_size": "512M",
        "innodb_log_file_size": "512M",
        "innodb_flush_log_at_trx_commit": "2",
    }
    tables = 4

    def __init__(self, directory: Path, cpus: tuple[int, ...] = ()) -> None:
        target = MysqlTarget.model_validate({"cpus": ",".join(map(str, cpus)) or None})
        super().__init__(open_server(target, NAME, directory))

    def statement_counts(self) -> dict[str, int]:
        """Return the server's own counters (``Com_select`` ...)."""
        rows = self.query(_COUNTS)
        return {str(name).removeprefix("Com_"): int(count or 0) for name, count in rows}

    def other_connections(self) -> int:
        """Return how many connections there are but our own."""
        return int(self.query(_CONNECTIONS)[0][1] or 0) - 1

    def socket(self) -> str:
        """Return the path of the Unix socket, over which the user gets in too."""
        ((socket,),) = self.query("SELECT @@socket")
        return socket or ""

    def drop_tables(self) -> None:
        """Remove all tables of the database."""
        for (table,) in self.query("SHOW TABLES"):
            self.query(f"DROP TABLE `{table}`")
