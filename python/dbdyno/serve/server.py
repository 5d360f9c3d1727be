"""The server's process: bound, told where it is, and ended by Ctrl-C, with streams open or not."""

from __future__ import annotations

import errno
import os
import re
import secrets
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import uvicorn

from dbdyno.errors import InputError
from dbdyno.report.language import language
from dbdyno.serve.app import make_app
from dbdyno.serve.connections import BACKLOG, BoundedConnection, most_connections
from dbdyno.serve.guard import TOKEN, access_of, is_loopback
from dbdyno.serve.results import Results
from dbdyno.variables import SERVE_TOKEN

"""Holds a token to take, so that pages that are open find the next server again."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,}")
CLOSE_S = 2
"""Streams that are open have so long to end; each looks four times a second."""
NICENESS = 10
"""Beneath whatever is measured on the same machine."""


class _Server(uvicorn.Server):
    """Ends in order at SIGINT and SIGTERM; the second one ends at once."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Note that it is to end. The signal has done its work then, and is not raised again."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def serve(root: Path, host: str, port: int, spoken: str, tell: Callable[[str], None]) -> None:
    """Serve the results of a directory until somebody ends it; ``tell`` is told where.

    InputError where there is no such directory, or where host and port cannot be bound.
    """
    results = Results(root)
    token = None if is_loopback(host) else _token()
    listening = bind(host, port)
    with listening:
        bound_port = listening.getsockname()[1]
        server: _Server | None = None

        def is_closing() -> bool:
            return server is not None and server.should_exit

        access = access_of(host, bound_port, token)
        app = make_app(results, language(spoken), access, is_closing)
        BoundedConnection.most = most_connections()
        server = _Server(
            uvicorn.Config(
                app,
                http=BoundedConnection,
                backlog=BACKLOG,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=CLOSE_S,
            )
        )
        os.nice(NICENESS)
        for line in _where(results, host, bound_port, token):
            tell(line)
        server.run(sockets=[listening])


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that is bound; InputError in words of what to do."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise InputError(f"--host {host} is no address of this machine: {error}") from error
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(address)
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise InputError(_why_not_bound(error, host, port)) from error
    return bound


def _why_not_bound(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} of {host} is in use, perhaps by another dbdyno serve: end that one, or "
            "name another port with --port (0 takes any that is free)"
        )
    if error.errno == errno.EACCES:
        return f"port {port} may not be used by this user: name one above 1023 with --port"
    return f"{host} port {port} cannot be used: {error.strerror}"


def _token() -> str:
    given = SERVE_TOKEN.value()
    if given is None:
        return secrets.token_urlsafe(32)
    if not _TOKEN.fullmatch(given):
        raise InputError(
            f"{SERVE_TOKEN.name} must have at least 16 letters, digits, - or _; without it, a "
            "token is made"
        )
    return given


def _where(results: Results, host: str, port: int, token: str | None) -> list[str]:
    shown = host.strip("[]")
    if shown in ("0.0.0.0", "::"):
        shown = socket.gethostname()
    shown = f"[{shown}]" if ":" in shown else shown
    url = f"http://{shown}:{port}/" + (f"?{TOKEN}={token}" if token else "")
    lines = [f"results of {results.root}: {url}", "Ctrl-C ends it; runs go on without it."]
    if token:
        lines.append(
            "Whoever has this address can read the results. The connection is not encrypted: where "
            "others use the network, too, go through ssh -L instead."
        )
    if not results.find():
        lines.append(f"{results.root} has no result yet; one that begins there is shown by itself.")
    return lines
