"""Members that are programs without SQL of their own: HAProxy, and whatever commands start."""

from __future__ import annotations

import resource
import shlex
import shutil
import socket
import subprocess
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from dbdyno.errors import InputError, RunError
from dbdyno.experiment.file.cluster import CommandMember, HaproxyMember
from dbdyno.experiment.file.commands import filled_in
from dbdyno.experiment.plan import ServerSetup
from dbdyno.password import environment, without_passwords
from dbdyno.target.cluster.member import ClusterMember, Places
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.files import file_errors, make_private_folder
from dbdyno.target.local.launching import free_port
from dbdyno.target.local.process import ServerProcess
from dbdyno.target.member import Member
from dbdyno.target.problem import Problem, noting

POLL_S = 0.05
START_LIMIT_S = 30.0
STOP_LIMIT_S = 30.0
REACH_LIMIT_S = 20.0
CONNECT_LIMIT_S = 2.0
LAST_LINES = 5
CONNECTIONS_MAX = 20_000
FILES_OF_ITS_OWN = 200


class ProgramMember(ClusterMember):
    """A program of ours in the foreground; it ends with us."""

    kind: str

    def __init__(self, name: str, role: str, host: str, directory: Path) -> None:
        super().__init__(name, role, host)
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

    def _launch(self, command: Sequence[str | Path], limit_s: float) -> None:
        """Start the program and wait for its port."""
        with file_errors(f"use the directory {self._directory}"):
            make_private_folder(self._directory)
            self._log.unlink(missing_ok=True)
        self._process = ServerProcess(
            command, directory=self._directory, log=self._log, confinement=Confinement()
        )
        self._wait_for_port(limit_s)

    def _wait_for_port(self, limit_s: float) -> None:
        deadline_s = time.monotonic() + limit_s
        while not _answers(self.host, self._port):
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


class Haproxy(ProgramMember):
    """HAProxy in TCP mode, before the servers of another role."""

    kind = "haproxy"

    def __init__(
        self, name: str, role: str, host: str, directory: Path, model: HaproxyMember
    ) -> None:
        super().__init__(name, role, host, directory)
        self._model = model

    def preflight(self, setup: ServerSetup) -> list[Problem]:
        """See that the program is there."""
        del setup
        problems: list[Problem] = []
        with noting(problems):
            if shutil.which(self._model.program) is None:
                raise InputError(
                    f"{self.name}: there is no program {self._model.program}; install haproxy, or "
                    "write haproxy: {program: /path/to/haproxy, ...}"
                )
        return problems

    def start(self, setup: ServerSetup, places: Places) -> None:
        """Write its configuration for the servers that are up, and start it."""
        del setup
        self._port = free_port(self.host)
        configuration = self._directory / "haproxy.cfg"
        with file_errors(f"use the directory {self._directory}"):
            make_private_folder(self._directory)
            configuration.write_text(self._configuration(places.of(self._model.to)))
        program = shutil.which(self._model.program) or self._model.program
        self._launch([program, "-db", "-f", configuration], START_LIMIT_S)

    def _configuration(self, servers: Sequence[str]) -> str:
        lines = [
            "global",
            f"    maxconn {_most_connections()}",
            "defaults",
            "    mode tcp",
            "    timeout connect 10s",
            "    timeout client 24h",
            "    timeout server 24h",
            "listen dbdyno",
            f"    bind {self.host}:{self._port}",
            f"    balance {self._model.balance}",
            *(
                f"    server s{number} {address} check inter 500ms fall 2 rise 1"
                for number, address in enumerate(servers, start=1)
            ),
        ]
        return "\n".join(lines) + "\n"


def _most_connections() -> int:
    """Return how many clients HAProxy may have: each takes two files of those that it may open."""
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(CONNECTIONS_MAX, (files - FILES_OF_ITS_OWN) // 2)


class Commanded(ProgramMember):
    """A server that commands start, here or on another machine."""

    kind = "command"

    def __init__(  # noqa: PLR0913 - each is one thing that a command may need to know
        self,
        name: str,
        role: str,
        directory: Path,
        model: CommandMember,
        home: Path,
        variables: Mapping[str, str],
    ) -> None:
        super().__init__(name, role, model.host, directory)
        self._model = model
        self._home = home
        self._variables = variables
        self._port = model.port
        self._has_started = False

    def preflight(self, setup: ServerSetup) -> list[Problem]:
        """See that its machine is reached, and that nothing else has its port."""
        del setup
        problems: list[Problem] = []
        with noting(problems):
            if self._model.ssh is not None:
                self._run("ssh", ["true"], REACH_LIMIT_S)
        return problems

    def start(self, setup: ServerSetup, places: Places) -> None:
        """Run the command, to its end where another one stops the server."""
        del setup
        if _answers(self.host, self._port):
            raise RunError(
                f"{self.name}: something listens on {self.address} already; stop it, or name "
                "another port"
            )
        self._has_started = True
        words = self._words(self._model.start, places)
        if self._model.stop is None:
            self._launch(self._there(words), self._model.timeout_s)
        else:
            self._run("start", words, self._model.timeout_s)
            self._wait_for_port(self._model.timeout_s)

    def _words(self, command: Sequence[str], places: Places) -> list[str]:
        found = {role: ",".join(addresses) for role, addresses in places.by_role.items()}
        return filled_in(tuple(command), {**found, **self._variables})

    def _there(self, words: Sequence[str]) -> list[str]:
        """Return the command as it runs here, or as it reaches a shell on its machine."""
        way = self._model.ssh
        program = words[0]
        if way is None:
            # Relative to the experiment file, as in the shell of whoever wrote it.
            is_path = "/" in program
            return [str(self._home / program) if is_path else _found(program), *words[1:]]
        return [_found(way[0]), *way[1:], shlex.join(words)]

    def _run(self, what: str, words: Sequence[str], limit_s: float) -> None:
        called = f"{self.name}: its command {what} ({' '.join(self._there(words)[:6])})"
        try:
            done = subprocess.run(
                self._there(words),
                cwd=self._home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=limit_s,
                env=environment(),
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RunError(f"{called} did not end within {limit_s:g} s") from None
        except OSError as error:
            raise RunError(f"{called} cannot be run: {error}") from error
        if done.returncode != 0:
            said = last_lines(done.stdout + done.stderr)
            raise RunError(f"{called} ended with exit status {done.returncode}: {said}")

    def check_running(self) -> None:
        """Look at the process, or at the port of a server that is no process of ours."""
        if self._model.stop is None:
            super().check_running()
        elif not self._has_started:
            raise RunError(f"{self.name} is not running")

    def why_ended(self) -> str | None:
        """Look at its port, too."""
        reason = super().why_ended()
        if reason is None and not _answers(self.host, self._port):
            return f"{self.name} does not listen on {self.address} any more"
        return reason

    def stop(self) -> None:
        """Run the command that ends it, or end the process."""
        if not self._has_started:
            return
        self._has_started = False
        if self._model.stop is None:
            super().stop()
        else:
            words = self._words(self._model.stop, Places())
            self._run("stop", words, self._model.timeout_s)


def _found(program: str) -> str:
    return shutil.which(program) or program


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=CONNECT_LIMIT_S):
            return True
    except OSError:
        return False


def last_lines(text: str) -> str:
    """Return the end of what a program has said, for a message."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return without_passwords(" / ".join(lines[-LAST_LINES:])) or "nothing"
