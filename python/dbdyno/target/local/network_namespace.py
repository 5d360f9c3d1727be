"""A network namespace for one server: interfaces, addresses and ports that nobody else has.

It has no name in the system. The kernel removes it, and every cable that ends in it, when nothing
holds it any more: neither this process nor one that runs in it. So nothing stays behind, whatever
ends this process.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dbdyno.errors import RunError

_CLONE_NEWNET = 0x40000000
_OF_THIS_THREAD = "/proc/thread-self/ns/net"

_Answer = TypeVar("_Answer")


class NetworkNamespace:
    """A new network without any interface that is up; ``OSError`` where this user may make none."""

    def __init__(self) -> None:
        self._descriptor = _in_a_thread(_make)

    @property
    def path(self) -> str:
        """Where programs that this process starts find it, as long as it is not closed."""
        return f"/proc/{os.getpid()}/fd/{self._descriptor}"

    def call(self, function: Callable[[], _Answer]) -> _Answer:
        """Call a function inside: sockets that it opens and programs that it starts are there."""

        def enter_and_call() -> _Answer:
            _switch("setns", self._descriptor, _CLONE_NEWNET)
            return function()

        return _in_a_thread(enter_and_call)

    def close(self) -> None:
        """Let go of it; it lasts until the last process in it has ended."""
        os.close(self._descriptor)


class OwnNetwork:
    """The network of one server of a cluster: its address, and while it runs its namespace."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._namespace: NetworkNamespace | None = None

    @property
    def namespace(self) -> NetworkNamespace:
        """The namespace of this start; ``RunError`` where the network is not made."""
        if self._namespace is None:
            raise RunError(f"the network of the server at {self.address} is not made")
        return self._namespace

    def make(self) -> NetworkNamespace:
        """Make the namespace of the next start."""
        self._namespace = NetworkNamespace()
        return self._namespace

    def remove(self) -> None:
        """Let go of the namespace, if there is one."""
        if self._namespace is not None:
            self._namespace.close()
            self._namespace = None


def _in_a_thread(function: Callable[[], _Answer]) -> _Answer:
    """Call a function in a thread that ends then: only that thread is in another network."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(function).result()


def _make() -> int:
    _switch("unshare", _CLONE_NEWNET)
    return os.open(_OF_THIS_THREAD, os.O_RDONLY | os.O_CLOEXEC)


def _switch(call: str, *arguments: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, call)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
