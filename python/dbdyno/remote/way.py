"""The way to a host: the command that starts an agent there, and the way back from it."""

from __future__ import annotations

import shlex
import socket
from dataclasses import dataclass

AGENT = "dbdyno.agent"
"""The module that makes load for a runner."""
SSH = "ssh -T -o BatchMode=yes {host}"
"""The user's own SSH with its configuration: jump hosts, known hosts, keys."""

ANY_PORT = 9
"""Nothing is sent to it: the kernel only says from which address that would be."""


@dataclass(frozen=True)
class Way:
    """``command`` leads to the host; what is to run there is put behind it."""

    host: str
    command: str = SSH
    call_back: str = ""
    """The runner's address as the host sees it; empty: the one from which the host is reached."""
    python: str = "python3"
    module: str = AGENT

    def arguments(self) -> list[str]:
        """Return the command that starts an agent there."""
        return [*shlex.split(self.command.format(host=self.host)), self.python, "-m", self.module]

    @property
    def name(self) -> str:
        """The host's name alone, without the user who signs on there."""
        return self.host.rpartition("@")[2]

    def runner_address(self) -> str:
        """Return the address at which the host finds the runner; OSError where it is unknown."""
        if self.call_back:
            return self.call_back
        family, kind, protocol, _, address = socket.getaddrinfo(
            self.name, ANY_PORT, type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(address)
            return str(probe.getsockname()[0])
