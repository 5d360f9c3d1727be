"""A server that answers every prepared statement from memory, and the barest client for it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Literal, Self

from bench.process import family_cpu_s
from bench.programs import Command, Load
from bench.server import VERBS, BenchServer
from dbdyno._native import Session
from dbdyno.errors import RunError

ROOT = Path(__file__).parents[1]
BUILD = (
    *("cargo", "build", "--release", "--locked", "-p", "bindings", "-p", "driver"),
    *("--example", "ping_pong"),
)
"""Beside the extension it is built of the same crates with the same features. Alone, cargo would
compile thirty of them a second time, with fewer features."""

Protocol = Literal["mysql", "postgresql"]
PROTOCOLS: tuple[Protocol, ...] = ("mysql", "postgresql")

PROGRAM = ROOT / "target" / "release" / "examples" / "ping_pong"


class NullServer(BenchServer):
    """Speaks as much of a protocol as ``oltp_point_select`` takes, on one CPU."""

    settings: ClassVar = {}
    tables = 1
    password = ""

    def __init__(self, protocol: Protocol, cpu: int) -> None:
        self.protocol = protocol
        self._command = ("taskset", "--cpu-list", str(cpu), str(PROGRAM), "serve", protocol)

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self._session = Session.connect(self.url)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._session.close()
        self._process.kill()
        self._process.communicate()

    @property
    def url(self) -> str:
        """The address of its TCP port."""
        return f"{self.protocol}://root@127.0.0.1:{self.port}/none"

    def cpu_s(self) -> float:
        """Return the CPU time of its only thread."""
        return family_cpu_s(self._process.pid)

    def statement_counts(self) -> dict[str, int]:
        """Return how many statements were answered: it takes all for ``SELECT``."""
        ((count,),) = self.query("SELECT the number of statements")
        return {**dict.fromkeys(VERBS, 0), "select": int(count or 0)}

    def other_connections(self) -> int:
        """Return none: whoever leaves a server without any work takes nothing along."""
        return 0


def build() -> None:
    """Build the program, of which nothing is installed; RunError with the compiler's words."""
    built = subprocess.run(BUILD, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        raise RunError(f"{' '.join(BUILD)} failed: {built.stderr.strip()[-500:]}")


def ping_pong(server: NullServer, load: Load) -> Command:
    """Return the client that exchanges the same bytes and looks at none of them."""
    arguments = ("ask", server.protocol, str(server.port), str(load.clients), str(load.duration_s))
    return Command("ping-pong", (str(PROGRAM), *arguments))
