"""A server at a port that stays: it can be killed, and come back where its clients look for it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

from dbdyno._native import Session
from dbdyno.experiment.file.target import MysqlTarget, PostgresqlTarget
from dbdyno.target.mysql.binaries import find_binaries
from dbdyno.target.postgresql.binaries import find_postgres

COMES_UP_WITHIN_S = 180.0


def hold_port() -> socket.socket:
    """Return a socket bound to a port on which nothing listens but the server that is told to.

    While it is open, the kernel gives the port to nobody who asks for any. The server can bind to
    it too, because both allow that, and only one of them listens.
    """
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    return holder


class FixedServer:
    """One server process of ours, without a password, with the database ``test``."""

    scheme: ClassVar[str]

    def __init__(self, *options: str) -> None:
        # Not among pytest's own, into which no other user may look.
        self.directory = Path(tempfile.mkdtemp(prefix="dbdyno-server-"))
        self._port_holder = hold_port()
        self.port = int(self._port_holder.getsockname()[1])
        self.options = options
        self.environment: dict[str, str] = {}
        self.process: subprocess.Popen[bytes] | None = None
        self.initialise()

    def initialise(self) -> None:
        """Make the data directory."""
        raise NotImplementedError

    def command(self) -> Sequence[str | Path]:
        """Return the command that starts the server."""
        raise NotImplementedError

    @property
    def host(self) -> str:
        """As it is written in URLs and in results."""
        return f"127.0.0.1:{self.port}"

    def url(self) -> str:
        """Return where it is reached alone."""
        return hosts_url(self)

    def start(self) -> None:
        """Start it, and wait until it lets clients in."""
        with (self.directory / "log").open("ab") as log:
            environment = os.environ | self.environment
            self.process = subprocess.Popen(
                self.command(), stdout=log, stderr=log, cwd="/", env=environment
            )
        started = time.monotonic()
        while not self.is_up():
            assert self.process.poll() is None, (self.directory / "log").read_text()
            assert time.monotonic() - started < COMES_UP_WITHIN_S, "it does not come up"
            time.sleep(0.05)

    def is_up(self) -> bool:
        """Tell whether it lets clients in."""
        try:
            Session.connect(self.url()).close()
        except ConnectionError:
            return False
        return True

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End it, by default as a crash does."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(COMES_UP_WITHIN_S)
            self.process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and remove all that it wrote."""
        self.kill()
        self._port_holder.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def query(self, sql: str) -> list[tuple[str | None, ...]]:
        """Ask this host alone."""
        session = Session.connect(self.url())
        try:
            return session.query(sql)
        finally:
            session.close()


def hosts_url(*servers: FixedServer, options: str = "") -> str:
    """Return the URL of several servers."""
    hosts = ",".join(server.host for server in servers)
    return f"{servers[0].scheme}://{hosts}/test{options}"


def as_user(user: str) -> list[str]:
    """Return what a server is started with that does not run as root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]


class MariaDb(FixedServer):
    """MariaDB, whose ``root`` needs no password."""

    scheme = "mysql"

    def initialise(self) -> None:
        """Make the data directory with mariadb-install-db."""
        install = shutil.which("mariadb-install-db")
        assert install is not None, "the package mariadb-server is missing"
        command = [install, "--no-defaults", f"--datadir={self.directory}/data", "--skip-test-db"]
        # Servers that share a folder for temporary tables remove each other's.
        command += [f"--tmpdir={self.directory}"]
        command += ["--auth-root-authentication-method=normal", *self._user()]
        subprocess.run(command, check=True, capture_output=True)
        (self.directory / "data" / "test").mkdir()

    def command(self) -> Sequence[str | Path]:
        """Return mariadbd with all that it needs and nothing of the system's."""
        return [
            find_binaries(MysqlTarget().basedir).server,
            *("--no-defaults", *self._user(), f"--datadir={self.directory}/data"),
            *(f"--socket={self.directory}/socket", f"--pid-file={self.directory}/pid"),
            *(f"--port={self.port}", "--bind-address=127.0.0.1", "--skip-name-resolve"),
            *(f"--tmpdir={self.directory}", f"--secure-file-priv={self.directory}"),
            *("--innodb-flush-log-at-trx-commit=0", *self.options),
        ]

    @staticmethod
    def _user() -> list[str]:
        return ["--user=root"] if os.geteuid() == 0 else []


class MyRocks(MariaDb):
    """MariaDB with the plug-in MyRocks, which makes all tables that name no other engine."""

    def __init__(self, plugins: Path) -> None:
        super().__init__(
            f"--plugin-dir={plugins}",
            "--plugin-load-add=ha_rocksdb",
            "--default-storage-engine=ROCKSDB",
        )
        self.environment["LD_LIBRARY_PATH"] = str(plugins)


class MySql(FixedServer):
    """MySQL as ``tests/servers/mysql-sid.sh`` installs it, whose ``root`` needs no password."""

    scheme = "mysql"

    def __init__(self, program: Path) -> None:
        self.program = program
        super().__init__()

    def initialise(self) -> None:
        """Make the data directory, and the database in it."""
        subprocess.run(
            [*self._common(), "--initialize-insecure"], check=True, capture_output=True, cwd="/"
        )
        (self.directory / "init.sql").write_text("CREATE DATABASE IF NOT EXISTS test;\n")

    def command(self) -> Sequence[str | Path]:
        """Return mysqld with little memory."""
        return [
            *self._common(),
            *(f"--socket={self.directory}/socket", f"--pid-file={self.directory}/pid"),
            *(f"--port={self.port}", "--bind-address=127.0.0.1"),
            *("--mysqlx=OFF", "--performance-schema=OFF", "--innodb-flush-log-at-trx-commit=0"),
            *("--skip-log-bin", f"--init-file={self.directory}/init.sql", *self.options),
        ]

    def _common(self) -> list[str | Path]:
        user = ["--user=root"] if os.geteuid() == 0 else []
        return [
            self.program,
            f"--datadir={self.directory}/data",
            f"--tmpdir={self.directory}",
            *user,
        ]


class PostgreSql(FixedServer):
    """PostgreSQL, which trusts everybody on this machine."""

    scheme = "postgresql"

    def initialise(self) -> None:
        """Make the data directory with initdb, and the database in it."""
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
        binaries = find_postgres(PostgresqlTarget().basedir)
        initdb = Path(binaries.server).with_name("initdb")
        data = f"{self.directory}/data"
        command: list[str | Path] = [
            *as_user("postgres"),
            initdb,
            "-D",
            data,
            "-U",
            "postgres",
            "-A",
            "trust",
        ]
        subprocess.run([*command, "--no-sync"], check=True, capture_output=True, cwd="/")
        self.start()
        session = Session.connect(self.url().replace("/test", "/postgres"))
        session.query("CREATE DATABASE test")
        session.close()
        self.kill(signal.SIGINT)

    def is_up(self) -> bool:
        """Tell whether it lets clients in, the database ``test`` being there or not."""
        try:
            Session.connect(self.url().replace("/test", "/postgres")).close()
        except ConnectionError:
            return False
        return True

    def command(self) -> Sequence[str | Path]:
        """Return postgres with all that it needs."""
        settings = ["listen_addresses=127.0.0.1", "fsync=off", *self.options]
        return [
            *as_user("postgres"),
            find_postgres(PostgresqlTarget().basedir).server,
            *("-D", f"{self.directory}/data", "-k", str(self.directory), "-p", str(self.port)),
            *(part for setting in settings for part in ("-c", setting)),
        ]
