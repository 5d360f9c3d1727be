"""Ports of servers: a free one of an address, and whether a server listens on its own.

A server opens its Unix socket after its port, and a client may come in between.
"""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from pathlib import Path

from dbdyno.target.local.network_namespace import OwnNetwork

_LISTENING = "0A"
_ACCEPTS_CONNECTIONS = 0x10000
"""The flag of a Unix socket that a server listens on: ``__SO_ACCEPTCON``."""


def free_port(address: str, network: OwnNetwork | None = None) -> int:
    """Ask the kernel for a port that nothing listens on just now; ``network`` has the address."""

    def ask() -> int:
        with socket.socket() as probe:
            probe.bind((address, 0))
            port: int = probe.getsockname()[1]
            return port

    return ask() if network is None else network.namespace.call(ask)


def is_listening(process_id: int, address: str, port: int) -> bool:
    """Look whether it is our server that listens, without the connection that would be logged.

    The network looked at is the process's. The kernel does not tell everybody whose a socket is;
    then the port alone must do.
    """
    sockets = _listeners(process_id, address, port)
    try:
        files = list(Path(f"/proc/{process_id}/fd").iterdir())
    except PermissionError:
        return bool(sockets)
    except OSError:
        return False
    for file in files:
        with suppress(OSError):
            if file.readlink().name in sockets:
                return True
    return False


def is_listening_at(process_id: int, path: Path) -> bool:
    """Look whether a server listens on the Unix socket of this path, in the process's network.

    The file alone tells nothing: it is there before the server listens, and after a crash.
    """
    with suppress(OSError):
        # Others' sockets may have any bytes in their names.
        text = Path(f"/proc/{process_id}/net/unix").read_text(errors="surrogateescape")
        lines = [line for line in text.split("\n") if line.endswith(f" {path}")]
        return any(int(line.split()[3], 16) & _ACCEPTS_CONNECTIONS for line in lines)
    return False


def _listeners(process_id: int, address: str, port: int) -> set[str]:
    """Return the sockets that listen there, as links to a process's files name them."""
    number = int.from_bytes(socket.inet_aton(address), sys.byteorder)
    place = f"{number:08X}:{port:04X}"
    with suppress(OSError):
        lines = Path(f"/proc/{process_id}/net/tcp").read_text().splitlines()[1:]
        rows = (line.split() for line in lines)
        return {f"socket:[{row[9]}]" for row in rows if row[1] == place and row[3] == _LISTENING}
    return set()
