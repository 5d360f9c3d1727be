"""Launching a private server: on a free port, with a new password, until a client gets in.

What it is prepared with, and what becomes of it and its files afterwards, is not known here.
"""

from __future__ import annotations

import signal
import time
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.target.base import Server
from dbdyno.target.local.access import Access
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.directory import ServerDirectory
from dbdyno.target.local.ports import free_port, is_listening, is_listening_at
from dbdyno.target.local.process import ServerProcess
from dbdyno.target.local.transport import address_options

USER = "dbdyno"
DATABASE = "dbdyno"

DEFAULT_ACCESS = Access()

START_LIMIT_S = 300.0
"""Long enough for recovery after a crash; a server that dies is noticed at once."""
DYING_LIMIT_S = 10.0
"""How long a server that refuses clients may take to end, and to tell in its log why."""
POLL_S = 0.05
PORT_ATTEMPTS = 5


class _PortTakenError(Exception):
    """Another program took the port between our asking for it and the server's listening."""


class LaunchedServer(Server):
    """A server whose process is ours; each kind says how it is commanded and lets clients in."""

    scheme: str
    """How its URLs begin."""

    def __init__(
        self,
        name: str,
        directory: ServerDirectory,
        confinement: Confinement,
        access: Access = DEFAULT_ACCESS,
    ) -> None:
        super().__init__(name)
        self._access = access
        self._files = directory
        self._confinement = confinement
        self._process: ServerProcess | None = None
        self._port = 0
        self._password = ""

    @abstractmethod
    def _give_password(self, password: str) -> None:
        """See that the next start lets clients in with this password."""

    @abstractmethod
    def _command(self, port: int) -> list[str | Path]:
        """Return the command that starts the server."""

    @abstractmethod
    def _forget_password(self) -> None:
        """Remove what ``_give_password`` left on disk."""

    @abstractmethod
    def _socket(self, port: int) -> Path:
        """Return the path of the server's Unix socket."""

    @property
    def url(self) -> str:
        """The address of this start: the port is a new one each time."""
        self._running()
        host = "localhost" if self._access.transport == "socket" else self._access.address
        options = address_options(self._access.transport, self._socket(self._port))
        return f"{self.scheme}://{USER}@{host}:{self._port}/{DATABASE}{options}"

    @property
    def password(self) -> str:
        """The password of this start."""
        return self._password

    def out_of_memory_kills(self) -> int | None:
        """Ask the counter of its control group, which may have ended with a start that failed."""
        return self._confinement.out_of_memory_kills()

    def killed_for_memory(self) -> str | None:
        """Say so where its control group tells, of this server or a process that it started."""
        return self._confinement.killed_for_memory(self.name)

    @property
    def kind(self) -> str:
        """What it speaks, also while it has no URL."""
        return self.scheme

    def own_process_ids(self) -> tuple[int, ...]:
        """Return the server's first process."""
        return () if self._process is None else (self._process.pid,)

    def _launch_on_free_port(self) -> None:
        for _ in range(PORT_ATTEMPTS):
            try:
                self._launch(free_port(self._access.address, self._access.network))
            except _PortTakenError:
                continue
            return
        raise RunError(
            f"server {self.name}: {PORT_ATTEMPTS} free ports in a row were taken by other programs "
            "before the server could listen; what else opens ports on this machine?"
        )

    def _launch(self, port: int) -> None:
        self._port = port
        self._password = self._access.make_password()
        self._files.begin_log()
        try:
            self._give_password(self._password)
            self._process = ServerProcess(
                self._command(port),
                directory=self._files.path,
                log=self._files.error_log,
                confinement=self._confinement,
                as_root=not self._files.refuses_root,
                library_path=self._files.library_path,
            )
            self._wait_until_it_listens()
            self._connect()
            self._confinement.confirm(self._running().pid)
        finally:
            self._forget_password()

    def _wait_until_it_listens(self) -> None:
        deadline_s = time.monotonic() + START_LIMIT_S
        while not self._listens():
            if time.monotonic() > deadline_s:
                raise RunError(
                    f"server {self.name} did not come up within {START_LIMIT_S:.0f} s; "
                    f"its error log says: {self._log_reasons()}"
                )
            time.sleep(POLL_S)

    def _connect(self) -> None:
        """See that a client gets in; some servers come to their end only when they listen."""
        deadline_s = time.monotonic() + START_LIMIT_S
        while True:
            try:
                with open_session(self.url, self._password):
                    return
            except RunError as error:
                if not self._is_starting(error) or time.monotonic() > deadline_s:
                    if self._running().wait(DYING_LIMIT_S) is not None:
                        self._running()
                    raise
            time.sleep(POLL_S)

    @contextmanager
    def _session(self) -> Iterator[Session]:
        """Connect to the running server; where it is coming to its end, the error tells why."""
        try:
            with open_session(self.url, self._password) as session:
                yield session
        except RunError:
            self._wait_while_it_ends()
            raise

    def _wait_while_it_ends(self) -> None:
        """Give a server that no longer listens the time to be gone: then its cause is known."""
        deadline_s = time.monotonic() + DYING_LIMIT_S
        while not self._listens() and time.monotonic() < deadline_s:
            time.sleep(POLL_S)

    def _listens(self) -> bool:
        """Look whether it listens where its clients come in; an error tells why it has ended."""
        process_id = self._running().pid
        if self._access.transport == "socket":
            # Whoever comes in by the socket may have told the server to listen on no port.
            return is_listening_at(process_id, self._socket(self._port))
        return is_listening(process_id, self._access.address, self._port)

    def _is_starting(self, error: RunError) -> bool:
        """Tell whether a client was sent away only because the server is not up yet."""
        del error
        return False

    def _running(self) -> ServerProcess:
        """Return the process; an error tells why there is none or why it has ended."""
        if self._process is None:
            raise RunError(f"server {self.name} is not running")
        exit_code = self._process.exit_code()
        if exit_code is None:
            return self._process
        if self._files.log_reader.port_was_taken(self._files.log()):
            raise _PortTakenError
        # One that has lost a process of its own may end by itself.
        cause = self.killed_for_memory()
        if cause is None and exit_code == -signal.SIGKILL:
            cause = self._confinement.killed(self.name)
        if cause is not None:
            raise RunError(cause)
        how = f"signal {-exit_code}" if exit_code < 0 else f"exit status {exit_code}"
        raise RunError(f"server {self.name} ended by itself ({how}): {self._log_reasons()}")

    def _log_reasons(self) -> str:
        return self._files.log_reader.reasons(self._files.log())
