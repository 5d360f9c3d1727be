"""Who gets into a private server: with its password its own user does, and nobody else."""

from __future__ import annotations

import getpass
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.mysql.server import MysqlServer
from tests.live.target.kinds import MYSQL, POSTGRESQL, Kind

pytestmark = pytest.mark.live

ACCOUNTS = ("root", "dbdyno", "mysql", "mariadb.sys", "mysql.sys", "mysql.session", "postgres")
"""The users that any of the servers makes by itself, and our own."""
USERS = {*ACCOUNTS, "somebody", getpass.getuser()}
HOSTS = ("127.0.0.1", "localhost", "[::1]", socket.gethostname())
PASSWORDS = (None, "wrong")
READS_A_FILE = {
    "mysql": "LOAD DATA INFILE '/etc/passwd' INTO TABLE passwords",
    "postgresql": "SELECT pg_read_file('/etc/passwd')",
}
DATABASES = {"mysql": ("", "mysql", "dbdyno"), "postgresql": ("postgres", "template1", "dbdyno")}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the servers have their directories."""
    return tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="module", params=["mariadb", "mysql", "postgresql"])
def server(request: pytest.FixtureRequest, directory: Path) -> Iterator[PrivateServer]:
    """Return each kind of server in turn, at its first start."""
    kind: Kind = POSTGRESQL if request.param == "postgresql" else MYSQL
    target: dict[str, Path] = {}
    if request.param == "mysql":
        target["basedir"] = request.getfixturevalue("mysql_basedir")
    with kind.open(directory, request.param, **target) as opened:
        opened.start({})
        yield opened


def test_only_its_own_user_gets_in(server: PrivateServer, directory: Path) -> None:
    ways = [*ways_over_tcp(server), *ways_over_sockets(server, directory)]
    assert any("socket=" in url for url in ways)
    got_in = [(url, password) for url in ways for password in PASSWORDS if gets_in(url, password)]
    assert got_in == []
    assert gets_in(server.url, server.password)


def test_no_other_user_of_the_machine_reaches_its_files(
    server: PrivateServer, directory: Path
) -> None:
    assert (directory / server.name).stat().st_mode & 0o077 == 0


def test_statements_reach_no_files_but_in_a_folder_of_the_server(server: PrivateServer) -> None:
    if isinstance(server, MysqlServer):
        assert server.describe().settings["secure_file_priv"] == "./files/"
    with (
        open_session(server.url, server.password) as session,
        pytest.raises(RuntimeError, match=r"denied"),
    ):
        session.query(READS_A_FILE[urlsplit(server.url).scheme])


def test_the_next_start_lets_nobody_else_in_either(server: PrivateServer) -> None:
    first_password = server.password
    server.start({})
    assert gets_in(server.url, server.password)
    assert not any(gets_in(url, first_password) for url in ways_over_tcp(server))


def ways_over_tcp(server: PrivateServer) -> list[str]:
    """Return the URLs of all users at all addresses of this machine."""
    parts = urlsplit(server.url)
    return [
        f"{parts.scheme}://{user}@{host}:{parts.port}/{database}"
        for user in sorted(USERS)
        for host in HOSTS
        for database in DATABASES[parts.scheme]
    ]


def ways_over_sockets(server: PrivateServer, directory: Path) -> list[str]:
    """Return the URLs of all users at the server's sockets."""
    parts = urlsplit(server.url)
    return [
        f"{parts.scheme}://{user}@localhost:{parts.port}/{database}?socket={quote(str(path))}"
        for user in sorted(USERS)
        for path in directory.rglob("*")
        if path.is_socket()
        for database in DATABASES[parts.scheme]
    ]


def gets_in(url: str, password: str | None) -> bool:
    """Tell whether the server lets a client in."""
    with suppress(ConnectionError):
        Session.connect(url, password).close()
        return True
    return False
