"""What a server is to the runner: something to start, to set, to describe and to stop.

A server goes through these states, and only in this order: *stopped* → ``start`` → *running* →
``stop`` → *stopped*. Snapshots are taken and restored while it is stopped. As a context manager a
server is stopped on the way out, whatever happened inside.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from dbdyno.experiment.plan import NO_LIMITS, ServerLimits
from dbdyno.target.description import ServerDescription


class Server(ABC):
    """One server of the system under test. All errors for the user are ``DbdynoError``."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    @abstractmethod
    def url(self) -> str:
        """Where clients connect to; the password is never a part of it."""

    @property
    def host_urls(self) -> tuple[str, ...]:
        """Where each of several hosts is reached alone; the one URL where there is one host."""
        return (self.url,)

    @property
    def password(self) -> str | None:
        """What clients give as password; None where none is needed."""
        return None

    @property
    def nodes(self) -> tuple[tuple[str, str | None], ...]:
        """The servers behind a layer, each as URL and password; none where there is no layer."""
        return ()

    @property
    @abstractmethod
    def can_restart(self) -> bool:
        """Whether the server is ours: to be restarted, set, and its files copied."""

    @abstractmethod
    def check(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """See that a start with these settings can come off, as far as that is known without one.

        ``InputError`` or ``RunError`` as in ``start``. Nothing is written, and nothing is started.
        """

    def validate(self, settings: Mapping[str, str]) -> None:
        """Have the server's program read these settings, where there is one to ask.

        ``InputError`` with its words. Nothing is left on disk, and what shows only in a start is
        not found.
        """
        del settings

    @abstractmethod
    def start(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """Start with these settings and return when clients can connect.

        The kernel holds a private server to ``limits``; no other server is given any. A running
        server is stopped first. ``InputError`` where the settings or the installation
        are wrong, ``RunError`` with the server's own words where it does not come up; no process is
        left then.
        """

    @abstractmethod
    def stop(self) -> None:
        """End in an orderly way; nothing happens where the server is not running."""

    @abstractmethod
    def describe(self) -> ServerDescription:
        """Ask the running server what it is and how it is set."""

    def directory_bytes(self) -> int | None:
        """Return what the server's data directory takes on disk; None where it is not ours."""
        return None

    def out_of_memory_kills(self) -> int | None:
        """Count the processes of this start that the kernel killed for lack of memory.

        None where no counter is this server's alone.
        """
        return None

    def killed_for_memory(self) -> str | None:
        """Say that the kernel killed a process of this start for lack of memory; None if not."""
        return None

    @abstractmethod
    def process_ids(self) -> tuple[int, ...]:
        """Return the running server's processes on this machine, for the watcher."""

    @abstractmethod
    def snapshot(self, directory: Path) -> None:
        """Copy the stopped server's files into a directory that does not exist yet."""

    @abstractmethod
    def restore(self, directory: Path) -> None:
        """Replace the stopped server's files by those of a snapshot."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
