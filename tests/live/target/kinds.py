"""The kinds of private servers, and what a test that holds for all of them must know of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dbdyno.experiment.file.target import MysqlTarget, PostgresqlTarget
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.opening import open_server


@dataclass(frozen=True)
class Kind:
    """One kind; ``name`` is that of its field in an experiment file, and of the servers here.

    ``basic`` are the programs that an installation needs, in the words of a refusal, and
    ``processes`` what a server may be called when it runs. ``who_and_where`` asks for user and
    database, which are ``user`` and ``dbdyno``; ``socket`` asks for the socket, and ``tables`` for
    the tables. ``login_refused`` is in what the server says to a wrong password.
    """

    name: str
    target: type[MysqlTarget] | type[PostgresqlTarget]
    product: str
    basic: str
    processes: tuple[str, ...]
    who_and_where: str
    user: str
    socket: str
    tables: str
    login_refused: str

    def open(self, directory: Path, name: str | None = None, **target: object) -> PrivateServer:
        """Return a server that is not started yet, with these fields of its target."""
        server = open_server(self.target.model_validate(target), name or self.name, directory)
        assert isinstance(server, PrivateServer)
        return server

    def __str__(self) -> str:
        return self.name


MYSQL = Kind(
    name="mysql",
    target=MysqlTarget,
    product="MariaDB",
    basic="mariadbd or mysqld",
    processes=("mariadbd", "mysqld"),
    who_and_where="SELECT CURRENT_USER(), DATABASE()",
    user="dbdyno@127.0.0.1",
    socket="SELECT @@socket",
    tables="SHOW TABLES",
    login_refused="Access denied",
)
POSTGRESQL = Kind(
    name="postgresql",
    target=PostgresqlTarget,
    product="PostgreSQL",
    basic="postgres and initdb",
    processes=("postgres",),
    who_and_where="SELECT current_user, current_database()",
    user="dbdyno",
    socket="SHOW unix_socket_directories",
    tables="SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
    login_refused="password authentication failed",
)
KINDS = (MYSQL, POSTGRESQL)
