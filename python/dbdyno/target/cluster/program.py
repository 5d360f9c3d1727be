"""Members that are programs without SQL of their own: how they start, are watched and end."""

from __future__ import annotations

import re
import socket
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import RunError
from dbdyno.experiment.plan import ServerSetup
from dbdyno.password import without_passwords
from dbdyno.target.cluster.member import ClusterMember, Places
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.files import file_errors, make_private_folder
from dbdyno.target.local.network_namespace import OwnNetwork
from dbdyno.target.local.process import ServerProcess
from dbdyno.target.member import Member

POLL_S = 0.05
STOP_LIMIT_S = 30.0
CONNECT_LIMIT_S = 2.0
LAST_LINES = 5


@dataclass(frozen=True)
class LocalPlace:
    """Where a server is that has no agent; ``machine`` is what commands know its host as."""

    address: str
    machine: str
    network: OwnNetwork | None = None


class ProgramMember(ClusterMember):
    """A program of ours in the foreground; it ends with us."""

    kind: str

    def __init__(self, name: str, role: str, place: LocalPlace, directory: Path) -> None:
        super().__init__(name, role, place.address)
        self._network = place.network
        self._confinement = Confinement(network=place.network)
        self._directory = directory
        self._log = directory / "log"
        self._process: ServerProcess | None = None
        self._port = 0

    @property
    def address(self) -> str:
        """Where its port is."""
        return f"{self.host}:{self._port}"

    @property
    def member(self) -> Member:
        """Without SQL: a client would only be led on to another member."""
        ids = () if self._process is None else (self._process.pid,)
        return Member(self.name, self.role, self.host, self.kind, ids)

    def _launch(
        self, command: Sequence[str | Path], limit_s: float, runs_in: Path | None = None
    ) -> None:
        """Start the program and wait for its port; without ``runs_in`` it runs in its folder."""
        with file_errors(f"use the directory {self._directory}"):
            make_private_folder(self._directory)
            self._log.unlink(missing_ok=True)
        self._process = ServerProcess(
            command,
            directory=runs_in or self._directory,
            log=self._log,
            confinement=self._confinement,
        )
        self._wait_for_port(limit_s)

    def _wait_for_port(self, limit_s: float) -> None:
        deadline_s = time.monotonic() + limit_s
        while not answers(self.host, self._port):
            self.check_running()
            if time.monotonic() > deadline_s:
                raise RunError(
                    f"{self.name}: nothing listens on {self.address} after {limit_s:g} s; "
                    f"it said: {self._said()}"
                )
            time.sleep(POLL_S)

    def check_running(self) -> None:
        """``RunError`` with its last words where it has ended."""
        if self._process is None:
            raise RunError(f"{self.name} is not running")
        code = self._process.exit_code()
        if code is not None:
            how = f"signal {-code}" if code < 0 else f"exit status {code}"
            raise RunError(f"{self.name} ended by itself ({how}): {self._said()}")

    def _said(self) -> str:
        text = self._log.read_text(errors="replace") if self._log.exists() else ""
        return last_lines(text)

    def stop(self) -> None:
        """End the program, with all that it has started."""
        if self._process is not None:
            process, self._process = self._process, None
            process.stop(STOP_LIMIT_S)

    @abstractmethod
    def start(self, setup: ServerSetup, places: Places) -> None:
        """Start and return when it is ready."""


def answers(host: str, port: int) -> bool:
    """Tell whether something listens there."""
    try:
        with socket.create_connection((host, port), timeout=CONNECT_LIMIT_S):
            return True
    except OSError:
        return False


_FRAME = re.compile(r"at [\w.$/<>@]+\(.*\)$|\.\.\. \d+ more$")


def last_lines(text: str) -> str:
    """Return the end of what a program has said, for a message, without frames of Java's stacks."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not _FRAME.match(line)]
    return without_passwords(" / ".join(lines[-LAST_LINES:])) or "nothing"
