"""Fetches what an exporter tells, over HTTP, within a time and a size.

It follows no redirect, and uses no proxy of the environment.
"""

from __future__ import annotations

import base64
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from urllib.parse import SplitResult, unquote, urlsplit

from dbdyno.errors import RunError

LIMIT_S = 3.0
"""To connect, and again from then on to the answer's last byte."""
MAX_MIB = 8

_OK = 200
_REDIRECTS = range(300, 400)


class ScrapeError(RunError):
    """Why there is nothing to read, in words that are the same each time."""


def fetch(url: str, password: str | None = None, limit_s: float = LIMIT_S) -> bytes:
    """Return what is at a URL; ``ScrapeError`` where that does not come whole and in time."""
    parts = urlsplit(url)
    late = ScrapeError(f"gave no whole answer within {limit_s:g} s")
    made = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        with closing(made(parts.hostname or "", parts.port, timeout=limit_s)) as connection:
            connection.connect()
            with _cut_off(connection.sock, limit_s) as is_late:
                body = _ask(connection, parts, password)
                if is_late.is_set():
                    raise late
                return body
    except TimeoutError as error:
        raise late from error
    except HTTPException as error:
        raise ScrapeError("broke its answer off, or it is no HTTP") from error
    except UnicodeError as error:
        raise ScrapeError("cannot be reached: its URL has no name that a host can have") from error
    except OSError as error:
        raise ScrapeError(f"cannot be reached: {error.strerror or error}") from error


@contextmanager
def _cut_off(connected: socket.socket, limit_s: float) -> Iterator[threading.Event]:
    """End a connection after a while: a time limit of a socket begins anew with each byte."""
    is_late = threading.Event()

    def cut() -> None:
        is_late.set()
        with suppress(OSError):
            # The plain one also of a socket with TLS, which would wait for the other side.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)

    timer = threading.Timer(limit_s, cut)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    except (HTTPException, OSError) as error:
        if is_late.is_set():
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()


def _ask(connection: HTTPConnection, parts: SplitResult, password: str | None) -> bytes:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection.request("GET", path, headers=_headers(parts, password))
    with closing(connection.getresponse()) as response:
        _check_status(response)
        body = response.read((MAX_MIB << 20) + 1)
    if len(body) > MAX_MIB << 20:
        raise ScrapeError(f"sends more than {MAX_MIB} MiB, which is not read")
    if response.length:
        raise IncompleteRead(body, response.length)
    return body


def _headers(parts: SplitResult, password: str | None) -> dict[str, str]:
    headers = {"Accept": "text/plain;version=0.0.4", "User-Agent": "dbdyno"}
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{password or ''}"
        headers["Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"
    return headers


def _check_status(response: HTTPResponse) -> None:
    if response.status in _REDIRECTS:
        raise ScrapeError(
            f"redirects elsewhere (status {response.status}), which is not followed; write the "
            "address at which it answers itself"
        )
    if response.status != _OK:
        raise ScrapeError(f"answers with status {response.status}")
