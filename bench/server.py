"""The server that both programs load, and its own count of the statements that it was sent."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from dbdyno._native import Session
from dbdyno.errors import RunError
from dbdyno.experiment.target import MysqlTarget
from dbdyno.server import Server, open_server

SETTINGS = {
    # The data are in memory and no commit waits for a disk: the server's CPU is the limit, which
    # other programs on the machine's disk do not move.
    "innodb_buffer_pool_size": "512M",
    "innodb_log_file_size": "512M",
    "innodb_flush_log_at_trx_commit": "2",
}

VERBS = ("select", "insert", "update", "delete", "begin", "commit", "rollback")
_NAMES = ", ".join(f"'Com_{verb}'" for verb in VERBS)
_COUNTS = f"SHOW GLOBAL STATUS WHERE Variable_name IN ({_NAMES})"
_CONNECTIONS = "SHOW GLOBAL STATUS LIKE 'Threads_connected'"

DISCONNECT_LIMIT_S = 30.0


@dataclass(frozen=True)
class Address:
    """Where clients find the server, and as whom they come."""

    user: str
    password: str
    database: str
    host: str
    port: int
    socket: str


class BenchServer:
    """A private server on the CPUs given (all, where none are); stopped on the way out."""

    def __init__(self, directory: Path, cpus: tuple[int, ...] = ()) -> None:
        target = MysqlTarget.model_validate({"cpus": ",".join(map(str, cpus)) or None})
        self._server: Server = open_server(target, "server", directory)

    def __enter__(self) -> Self:
        self._server.start(SETTINGS)
        try:
            self._session = Session.connect(self.url, self.password)
        except BaseException:
            self._server.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._session.close()
        self._server.stop()

    @property
    def server(self) -> Server:
        """The server as dbdyno's own parts know it."""
        return self._server

    @property
    def process_id(self) -> int:
        """Its one process."""
        return self._server.process_ids()[0]

    @property
    def url(self) -> str:
        """The address of its TCP port."""
        return self._server.url

    @property
    def password(self) -> str:
        """What clients need besides the URL."""
        return self._server.password or ""

    @property
    def address(self) -> Address:
        """The same in parts, for programs that know no URLs."""
        parts = urlsplit(self.url)
        ((socket,),) = self.query("SELECT @@socket")
        return Address(
            user=parts.username or "",
            password=self.password,
            database=parts.path.strip("/"),
            host=parts.hostname or "",
            port=parts.port or 0,
            socket=socket or "",
        )

    def query(self, sql: str) -> list[tuple[str | None, ...]]:
        """Run a statement on a connection that stays open, so that it is counted nowhere else."""
        return self._session.query(sql)

    def statement_counts(self) -> dict[str, int]:
        """Return how often each verb was sent since the server's start (``Com_select`` ...)."""
        rows = self.query(_COUNTS)
        return {str(name).removeprefix("Com_"): int(count or 0) for name, count in rows}

    def wait_until_alone(self) -> None:
        """Wait for the end of all connections but our own."""
        deadline_s = time.monotonic() + DISCONNECT_LIMIT_S
        while (connections := int(self.query(_CONNECTIONS)[0][1] or 0)) > 1:
            if time.monotonic() > deadline_s:
                raise RunError(f"{connections - 1} connections outlived the program that made them")
            time.sleep(0.02)

    def allow_socket(self) -> None:
        """Let the user in over the Unix socket too, which the server takes for another host."""
        user = f"'{self.address.user}'@'localhost'"
        url = f"mysql://root@localhost/{self.address.database}?socket={self.address.socket}"
        with closing(Session.connect(url)) as root:
            root.query(f"CREATE OR REPLACE USER {user} IDENTIFIED BY '{self.password}'")
            root.query(f"GRANT ALL ON {self.address.database}.* TO {user}")

    def drop_tables(self) -> None:
        """Remove all tables of the database."""
        for (table,) in self.query("SHOW TABLES"):
            self.query(f"DROP TABLE `{table}`")


def difference(after: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    """Return what was counted in between, verb by verb."""
    return {verb: after[verb] - before[verb] for verb in VERBS}
