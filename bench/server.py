"""The server that both programs load, and its own count of the statements that it was sent."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import ClassVar, Self
from urllib.parse import urlsplit

from bench.process import family_cpu_s
from dbdyno._native import Session
from dbdyno.errors import RunError
from dbdyno.target.base import Server
from dbdyno.target.description import ServerDescription

NAME = "server"
"""What the server's folder is called."""

VERBS = ("select", "insert", "update", "delete", "begin", "commit", "rollback")

DISCONNECT_LIMIT_S = 30.0


@dataclass(frozen=True)
class Address:
    """Where clients find the server, and as whom they come."""

    user: str
    password: str
    database: str
    host: str
    port: int


class BenchServer(ABC):
    """A private server, stopped on the way out; each kind of server counts in its own way."""

    settings: ClassVar[Mapping[str, str]]
    """With these all data are in memory and no commit waits for a disk: the server's CPU is the
    limit, which other programs on the machine's disk do not move."""

    tables: ClassVar[int]
    """How many tables are loaded, and then asked."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def __enter__(self) -> Self:
        self._server.start(self.settings)
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
        return Address(
            user=parts.username or "",
            password=self.password,
            database=parts.path.strip("/"),
            host=parts.hostname or "",
            port=parts.port or 0,
        )

    def describe(self) -> ServerDescription:
        """Ask the server what it is."""
        return self._server.describe()

    def cpu_s(self) -> float:
        """Return the CPU time of all its processes that run."""
        return family_cpu_s(self._server.process_ids()[0])

    def query(self, sql: str) -> list[tuple[str | None, ...]]:
        """Run a statement on a connection that stays open, so that it is counted nowhere else."""
        return self._session.query(sql)

    @abstractmethod
    def statement_counts(self) -> dict[str, int]:
        """Return how often each verb was sent since the server's start, for ``VERBS`` at least."""

    @abstractmethod
    def other_connections(self) -> int:
        """Return how many connections there are but our own."""

    def wait_until_alone(self) -> None:
        """Wait for the end of all connections but our own."""
        deadline_s = time.monotonic() + DISCONNECT_LIMIT_S
        while (connections := self.other_connections()) > 0:
            if time.monotonic() > deadline_s:
                raise RunError(f"{connections} connections outlived the program that made them")
            time.sleep(0.02)


def difference(after: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    """Return what was counted in between, verb by verb."""
    return {verb: after[verb] - before[verb] for verb in VERBS}
