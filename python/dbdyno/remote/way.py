"""The way to a host: the command that starts an agent there, and the way back from it."""

from __future__ import annotations

import shlex
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dbdyno.password import environment

AGENT = "dbdyno.agent"
"""The module that makes load for a runner."""
SSH = "ssh -T -o BatchMode=yes {host}"
"""The user's own SSH with its configuration: jump hosts, known hosts, keys."""

CONFIGURATION_LIMIT_S = 30.0
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

    @property
    def address_name(self) -> str:
        """The name or address that leads to the host: an alias is known to ssh alone."""
        return self._ssh_settings().get("hostname", self.name)

    @property
    def is_known(self) -> bool:
        """Whether this machine knows an address of the host; the host is not called.

        Where another program or a jump host leads there, this is not known, and True.
        """
        settings = self._ssh_settings()
        if not settings or not {"proxyjump", "proxycommand"}.isdisjoint(settings):
            return True
        try:
            socket.getaddrinfo(settings.get("hostname", self.name), None)
        except OSError:
            return False
        return True

    def _ssh_settings(self) -> dict[str, str]:
        """Return what ssh would go by, names in lower case; nothing of any other program."""
        program, *options = shlex.split(self.command.format(host=self.host))
        if Path(program).name != "ssh":
            return {}
        printed = subprocess.run(
            [program, "-G", *options],
            capture_output=True,
            text=True,
            timeout=CONFIGURATION_LIMIT_S,
            env=environment(),
            check=False,
        ).stdout
        return dict(line.split(" ", 1) for line in printed.splitlines() if " " in line)

    def runner_address(self) -> str:
        """Return the address at which the host finds the runner; OSError where it is unknown."""
        if self.call_back:
            return self.call_back
        family, kind, protocol, _, address = socket.getaddrinfo(
            self.address_name, ANY_PORT, type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(address)
            return str(probe.getsockname()[0])
