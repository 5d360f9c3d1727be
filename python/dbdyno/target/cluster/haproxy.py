"""HAProxy as a member of a cluster: its configuration is written for the servers that are up."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Sequence
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.experiment.file.cluster import HaproxyMember
from dbdyno.experiment.plan import ServerSetup
from dbdyno.target.cluster.member import Places
from dbdyno.target.cluster.program import LocalPlace, ProgramMember
from dbdyno.target.local.files import file_errors, make_private_folder
from dbdyno.target.local.ports import free_port
from dbdyno.target.local.process import run_for_answer
from dbdyno.target.problem import Problem, noting

START_LIMIT_S = 30.0
CONNECTIONS_MAX = 20_000
FILES_OF_ITS_OWN = 200


class Haproxy(ProgramMember):
    """HAProxy in TCP mode, before the servers of another role."""

    kind = "haproxy"

    def __init__(
        self, name: str, role: str, place: LocalPlace, directory: Path, model: HaproxyMember
    ) -> None:
        super().__init__(name, role, place, directory)
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
        self._port = free_port(self.host, self._network)
        configuration = self._directory / "haproxy.cfg"
        with file_errors(f"use the directory {self._directory}"):
            make_private_folder(self._directory)
            configuration.write_text(self._configuration(places.of(self._model.to)))
        self._launch([self._program, "-db", "-f", configuration], START_LIMIT_S)

    @property
    def _program(self) -> str:
        return shutil.which(self._model.program) or self._model.program

    def says(self) -> str:
        """Return the line with its version, without the address of its site."""
        first, *_ = run_for_answer([self._program, "-v"]).splitlines() or [""]
        return first.partition(" - http")[0]

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
