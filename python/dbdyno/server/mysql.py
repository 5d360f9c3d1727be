"""A private MySQL or MariaDB server, started from installed programs in a directory of its own.

Clients come in as the user ``dbdyno``, who has all rights on the database ``dbdyno`` and a password
that is made anew at every start and is nowhere on disk once the server is up.
"""

from __future__ import annotations

import secrets
import signal
import socket
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from dbdyno.errors import RunError
from dbdyno.server.base import Server, ServerDescription
from dbdyno.server.binaries import Binaries
from dbdyno.server.durability import mysql_durability
from dbdyno.server.error_log import names_errors, port_was_taken, reasons
from dbdyno.server.files import copy_folder, file_errors, replace_folder, sizes_bytes
from dbdyno.server.mysql_data import MysqlDirectory
from dbdyno.server.mysql_description import (
    comparable_settings,
    effective_settings,
    product_and_version,
)
from dbdyno.server.options import (
    check_settings,
    network_options,
    option_file_text,
    private_options,
)
from dbdyno.server.process import ServerProcess, check_cpus
from dbdyno.server.readback import adjusted_settings
from dbdyno.server.session import open_session

ADDRESS = "127.0.0.1"
USER = "dbdyno"
DATABASE = "dbdyno"

START_LIMIT_S = 300.0
"""Long enough for recovery after a crash; a server that dies is noticed at once."""
STOP_LIMIT_S = 300.0
"""Long enough to flush a large buffer pool."""
DYING_LIMIT_S = 10.0
"""How long a server that refuses clients may take to end, and to tell in its log why."""
POLL_S = 0.05
PORT_ATTEMPTS = 5


class _PortTakenError(Exception):
    """Another program took the port between our asking for it and the server's listening."""


class MysqlServer(Server):
    """A private server; ``option_file_text`` is the user's own option file, read once."""

    def __init__(
        self,
        name: str,
        directory: Path,
        binaries: Binaries,
        *,
        option_file_text: str = "",
        cpus: tuple[int, ...] = (),
    ) -> None:
        super().__init__(name)
        self._binaries = binaries
        self._directory = MysqlDirectory(directory, binaries)
        self._user_options = option_file_text
        self._cpus = cpus
        self._process: ServerProcess | None = None
        self._port = 0
        self._password = ""
        self._log_start_bytes = 0
        self._adjusted: dict[str, str] = {}
        self._files_are_consistent = True

    @property
    def url(self) -> str:
        """The address of this start: the port is a new one each time."""
        self._running()
        return f"mysql://{USER}@{ADDRESS}:{self._port}/{DATABASE}"

    @property
    def password(self) -> str:
        """The password of this start."""
        return self._password

    @property
    def can_restart(self) -> bool:
        """Always: the server is ours."""
        return True

    def start(self, settings: Mapping[str, str]) -> None:
        """Start with these settings over the option file's over ours, and see that they took."""
        self.stop()
        check_settings(settings)
        check_cpus(self._cpus)
        self._directory.claim()
        self._directory.write_option_file(
            option_file_text(self._binaries.product, self._user_options, settings)
        )
        self._directory.initialise()
        try:
            self._launch_on_free_port()
            self._adjusted = self._read_back(settings)
        except BaseException:
            self._kill()
            raise

    def stop(self) -> None:
        """End the server; killed because it did not end in time, it is not fit for a snapshot."""
        if self._process is not None:
            process, self._process = self._process, None
            self._files_are_consistent = process.stop(STOP_LIMIT_S)

    def describe(self) -> ServerDescription:
        """Ask the server for its version and all its variables, and add up its files."""
        self._running()
        with open_session(self.url, self.password) as session:
            product, version = product_and_version(session)
            settings = effective_settings(session)
        with file_errors(f"look at {self._directory.data}"):
            file_sizes_bytes = sizes_bytes(self._directory.data)
        return ServerDescription(
            product=product,
            version=version,
            settings=comparable_settings(settings, str(self._directory.path)),
            durability=mysql_durability(settings),
            adjusted_settings=dict(self._adjusted),
            cpus=self._cpus,
            file_sizes_bytes=file_sizes_bytes,
        )

    def process_ids(self) -> tuple[int, ...]:
        """Return the server's one process."""
        return () if self._process is None else (self._process.pid,)

    def snapshot(self, directory: Path) -> None:
        """Copy the data directory of the server, which must have ended in good order."""
        self._require_stopped()
        if not self._files_are_consistent:
            raise RunError(
                f"server {self.name} did not end in good order, so that its files are not fit to "
                f"be copied; its error log says: {self._log_reasons()}"
            )
        copy_folder(self._directory.data, directory)

    def restore(self, directory: Path) -> None:
        """Replace the data directory by a snapshot's."""
        self._require_stopped()
        self._directory.claim()
        replace_folder(directory, self._directory.data)
        self._files_are_consistent = True

    def _launch_on_free_port(self) -> None:
        for _ in range(PORT_ATTEMPTS):
            try:
                self._launch(_free_port())
            except _PortTakenError:
                continue
            return
        raise RunError(
            f"server {self.name}: {PORT_ATTEMPTS} free ports in a row were taken by other programs "
            "before the server could listen; what else opens ports on this machine?"
        )

    def _launch(self, port: int) -> None:
        directory = self._directory
        self._port = port
        self._password = _new_password()
        self._log_start_bytes = directory.log_size_bytes()
        with file_errors(f"write to {directory.path}"):
            directory.write_init_file(_statements_at_start(self._password))
        try:
            self._process = ServerProcess(
                self._command(port),
                directory=directory.path,
                log=directory.error_log,
                cpus=self._cpus,
            )
            self._wait_until_it_listens()
            self._connect()
        finally:
            directory.init_file.unlink(missing_ok=True)

    def _command(self, port: int) -> list[str | Path]:
        directory = self._directory
        return [
            self._binaries.server,
            f"--defaults-file={directory.option_file}",
            f"--datadir={directory.data}",
            f"--tmpdir={directory.temporary}",
            f"--log-error={directory.error_log}",
            f"--init-file={directory.init_file}",
            *private_options(self._binaries.basedir),
            *network_options(directory.path, port),
        ]

    def _wait_until_it_listens(self) -> None:
        deadline_s = time.monotonic() + START_LIMIT_S
        while not _is_listening(self._running(), self._port):
            if time.monotonic() > deadline_s:
                raise RunError(
                    f"server {self.name} did not come up within {START_LIMIT_S:.0f} s; "
                    f"its error log says: {self._log_reasons()}"
                )
            time.sleep(POLL_S)

    def _connect(self) -> None:
        """See that a client gets in. MySQL reads its options to the end only when it listens."""
        try:
            with open_session(self.url, self._password):
                pass
        except RunError:
            if self._running().wait(DYING_LIMIT_S) is not None:
                self._running()
            raise

    def _read_back(self, settings: Mapping[str, str]) -> dict[str, str]:
        with open_session(self.url, self._password) as session:
            effective = effective_settings(session)
        adjusted = adjusted_settings(settings, effective)
        unseen = [name for name in adjusted if name.lower() not in effective]
        log = self._directory.log_since(self._log_start_bytes)
        if unseen and names_errors(log):
            raise RunError(
                f"server {self.name} came up with errors, and does not show whether "
                f"{', '.join(unseen)} took: {reasons(log)}"
            )
        return adjusted

    def _running(self) -> ServerProcess:
        """Return the process; an error tells why there is none or why it has ended."""
        if self._process is None:
            raise RunError(f"server {self.name} is not running")
        exit_code = self._process.exit_code()
        if exit_code is None:
            return self._process
        log = self._directory.log_since(self._log_start_bytes)
        if port_was_taken(log):
            raise _PortTakenError
        if exit_code == -signal.SIGKILL:
            raise RunError(
                f"server {self.name} was killed; if nobody did that, the kernel did for want of "
                "memory (look in dmesg)"
            )
        how = f"signal {-exit_code}" if exit_code < 0 else f"exit status {exit_code}"
        raise RunError(f"server {self.name} ended by itself ({how}): {reasons(log)}")

    def _log_reasons(self) -> str:
        return reasons(self._directory.log_since(self._log_start_bytes))

    def _require_stopped(self) -> None:
        if self._process is not None:
            raise RunError(f"server {self.name} is running; its files are copied only when stopped")

    def _kill(self) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            self._files_are_consistent = False
            process.kill()


def _free_port() -> int:
    """Ask the kernel for a port that nothing listens on just now."""
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        port: int = probe.getsockname()[1]
        return port


def _is_listening(process: ServerProcess, port: int) -> bool:
    """Look whether it is our server that listens, without the connection that would be logged.

    The kernel does not tell everybody whose a socket is; then the port alone must do.
    """
    return any(
        connection.status == psutil.CONN_LISTEN
        and connection.laddr == (ADDRESS, port)
        and connection.pid in (process.pid, None)
        for connection in psutil.net_connections("tcp4")
    )


def _new_password() -> str:
    """Return a random password that also passes the usual password checks."""
    return f"{secrets.token_urlsafe(24)}-Aa1"


def _statements_at_start(password: str) -> str:
    """Return what the server runs before it lets anybody in; each statement is one line."""
    user = f"'{USER}'@'{ADDRESS}'"
    return "\n".join(
        [
            f"CREATE DATABASE IF NOT EXISTS {DATABASE};",
            f"CREATE USER IF NOT EXISTS {user} IDENTIFIED BY '{password}';",
            f"ALTER USER {user} IDENTIFIED BY '{password}';",
            f"GRANT ALL ON {DATABASE}.* TO {user};",
            "",
        ]
    )
