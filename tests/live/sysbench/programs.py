"""sysbench and ``dbdyno sysbench``, each called with the same words, on the same servers."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from dbdyno._native import Session
from dbdyno.peers.sysbench import command
from tests.live.run import launch
from tests.sysbench_output import Output, read_output

LIMIT_S = 240.0

SYSBENCH = ("sysbench",)
DBDYNO = (sys.executable, "-m", "dbdyno", "sysbench")


@dataclass(frozen=True)
class Ended:
    """A program that has ended."""

    status: int
    output: str
    errors: str

    @property
    def read(self) -> Output:
        """What it printed, field by field."""
        return read_output(self.output)


@dataclass(frozen=True)
class Database:
    """Where both programs go: as options of theirs, and as a URL."""

    driver: str
    url: str
    password: str | None
    more: tuple[str, ...] = ()
    """Options besides."""

    @property
    def options(self) -> tuple[str, ...]:
        """How sysbench is told."""
        parts = urlsplit(self.url)
        if self.driver == "sqlite":
            return ("--db-driver=sqlite", f"--sqlite-db={parts.path.removeprefix('/')}")
        values = {
            "host": parts.hostname,
            "port": parts.port,
            # Without a name, libpq signs on as the user of the operating system.
            "user": parts.username or ("postgres" if self.driver == "pgsql" else ""),
            "password": self.password,
            "db": parts.path.strip("/"),
        }
        options = (f"--{self.driver}-{name}={value or ''}" for name, value in values.items())
        return (f"--db-driver={self.driver}", *options, *self.more)

    def call(self, program: tuple[str, ...], *words: str) -> Ended:
        """Run a program to its end."""
        ended = subprocess.run(
            [*program, *self.options, *words],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def must(self, program: tuple[str, ...], *words: str) -> Ended:
        """Run a program that must succeed; dbdyno in this process, which saves a start."""
        if program == DBDYNO:
            done = launch.call(["sysbench", *self.options, *words])
            ended = Ended(done.status, done.output, done.errors)
        else:
            ended = self.call(program, *words)
        assert ended.status == 0, ended.output + ended.errors
        return ended

    def here(self, *words: str) -> Ended:
        """Call dbdyno's command in this process, without the command line around it."""
        said: list[str] = []
        warned: list[str] = []
        is_done = command.call([*self.options, *words], said.append, warned.append)
        return Ended(0 if is_done else 1, "".join(said), "".join(warned))

    def query(self, sql: str) -> list[tuple[str | None, ...]]:
        """Ask the server."""
        session = Session.connect(self.url, self.password)
        try:
            return session.query(sql)
        finally:
            session.close()


def sqlite(folder: Path) -> Database:
    """Return a database in a file of its own."""
    return Database("sqlite", f"sqlite:///{folder / 'test.db'}", None)
