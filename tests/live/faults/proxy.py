"""A proxy between clients and a server that cuts connections, or changes what clients say."""

from __future__ import annotations

import selectors
import socket
import struct
import threading
from collections.abc import Callable
from typing import Self

from tests.live.engine.fixed_server import FixedServer

CHUNK_BYTES = 1 << 16

RESET = struct.pack("ii", 1, 0)
"""SO_LINGER: closing throws away what is under way, and the other side is told so."""

IsToCut = Callable[[bytes, int], bool]
"""Of what the server says, and how many bytes it has said before on that connection."""


ChangeWords = Callable[[int, bytes], bytes]
"""Of the connection's number, and what its client says; returns what the server is told."""


class CuttingProxy:
    """Passes bytes on, and half of what is to be cut; then both sides are closed."""

    def __init__(
        self,
        server: FixedServer,
        is_to_cut: IsToCut = lambda _, said_bytes: False,
        *,
        change_words: ChangeWords = lambda _, words: words,
        resets: bool = False,
    ) -> None:
        self._server = ("127.0.0.1", server.port)
        self._is_to_cut = is_to_cut
        self._change_words = change_words
        self._resets = resets
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._is_over = threading.Event()
        self._threads = [threading.Thread(target=self._accept)]
        self.url = f"{server.scheme}://127.0.0.1:{self._listener.getsockname()[1]}/test"
        self.cuts = 0

    def __enter__(self) -> Self:
        self._listener.settimeout(0.05)
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        """End all threads; connections that are left are closed."""
        self._is_over.set()
        self._threads[0].join()
        for thread in self._threads[1:]:
            thread.join()
        self._listener.close()

    def lead_to(self, server: FixedServer) -> None:
        """Lead new connections to another server, as an address does that moves."""
        self._server = ("127.0.0.1", server.port)

    def _accept(self) -> None:
        while not self._is_over.is_set():
            try:
                client, _ = self._listener.accept()
            except TimeoutError:
                continue
            thread = threading.Thread(target=self._serve, args=(client,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        client.settimeout(None)
        with client, socket.create_connection(self._server) as server:
            for side in (client, server):
                side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                self._pass_on(client, server)
            except OSError:
                return

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        said_bytes = 0
        with selectors.DefaultSelector() as selector:
            selector.register(client, selectors.EVENT_READ, server)
            selector.register(server, selectors.EVENT_READ, client)
            while not self._is_over.is_set():
                for key, _ in selector.select(0.05):
                    assert isinstance(key.fileobj, socket.socket)
                    chunk = key.fileobj.recv(CHUNK_BYTES)
                    if not chunk:
                        return
                    if key.fileobj is server:
                        if self._is_to_cut(chunk, said_bytes):
                            self._cut(client, chunk)
                            return
                        said_bytes += len(chunk)
                    else:
                        chunk = self._change_words(client.fileno(), chunk)
                    key.data.sendall(chunk)

    def _cut(self, client: socket.socket, chunk: bytes) -> None:
        self.cuts += 1
        client.sendall(chunk[: len(chunk) // 2])
        if self._resets:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
