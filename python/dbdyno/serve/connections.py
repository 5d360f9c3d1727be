"""Connections of the server: so many at a time, and none for long that asks for nothing.

Who opens hundreds and is silent keeps nobody else out: the one that has waited longest is closed.
Who asks and does not read the answer is silent, too.
"""

from __future__ import annotations

import asyncio
import resource
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

CONNECTIONS_MAX = 1000
REQUEST_WITHIN_S = 10.0
"""Within so long of its beginning, or of the last answer, a connection asks for something whole."""
BACKLOG = 16
"""So many are taken in at a time, before any of them can be closed."""
FILES_OF_A_CONNECTION = 3
"""One of its own, one for what it asks for, and room for those that are on their way out."""


def most_connections() -> int:
    """Return how many connections there may be, with as many open files as this process may have.

    The limit of open files is raised as far as it may be.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return min(CONNECTIONS_MAX, most // FILES_OF_A_CONNECTION)


class BoundedConnection(H11Protocol):
    """A connection that is closed where it keeps others out, or asks for nothing."""

    most: ClassVar[int] = CONNECTIONS_MAX
    _open: ClassVar[set[BoundedConnection]] = set()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection in; where there are too many, one that is silent makes room."""
        super().connection_made(transport)
        self._silent_since_s = self.loop.time()
        self._unread_bytes = 0
        self._patience = self.loop.call_later(REQUEST_WITHIN_S, self._look)
        self._open.add(self)
        if len(self._open) > self.most:
            silent = [each for each in self._open if each._is_silent]
            min(silent, key=lambda each: each._silent_since_s)._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of a connection."""
        self._patience.cancel()
        self._open.discard(self)
        super().connection_lost(exc)

    def _look(self) -> None:
        """Close the connection where it has been silent for too long; look again otherwise."""
        now_s = self.loop.time()
        before, self._unread_bytes = self._unread_bytes, self.transport.get_write_buffer_size()
        does_not_read = 0 < self._unread_bytes == before
        if not self._is_silent and not does_not_read:
            self._silent_since_s = now_s
        elif now_s - self._silent_since_s >= REQUEST_WITHIN_S:
            self._end()
            return
        self._patience = self.loop.call_later(REQUEST_WITHIN_S / 2, self._look)

    def _end(self) -> None:
        self._open.discard(self)
        self.transport.abort()

    @property
    def _is_silent(self) -> bool:
        """Whether no request of it is being answered."""
        return self.cycle is None or self.cycle.response_complete
