"""An HTTP server on the loopback that answers with just the bytes that a test gives it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

Answer = Callable[[socket.socket, int], None]
"""Writes one answer, its number given, onto a connection whose request has been read."""


def ok(body: str | bytes) -> bytes:
    """Return a whole answer."""
    content = body.encode() if isinstance(body, str) else body
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content


def saying(*answers: bytes) -> Answer:
    """Answer with these, one after the other, and with the last again and again."""

    def answer(connection: socket.socket, number: int) -> None:
        connection.sendall(answers[min(number, len(answers) - 1)])

    return answer


class Liar:
    """A server; as a context manager it ends with all of its connections."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/metrics"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._connections: list[socket.socket] = []
        self.requests: list[bytes] = []
        self.ended = threading.Event()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection = self._socket.accept()[0]
                self._connections.append(connection)
                threading.Thread(target=self._serve_one, args=(connection,), daemon=True).start()

    def _serve_one(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            request = b""
            while not request.endswith(b"\r\n\r\n"):
                request += connection.recv(1 << 16)
            self.requests.append(request)
            self._answer(connection, len(self.requests) - 1)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.ended.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in self._connections:
            with suppress(OSError):
                connection.close()
        self._thread.join()
