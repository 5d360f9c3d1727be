"""What only some targets can do. A target has such a method, or it has not: none refuses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable


@runtime_checkable
class Restartable(Protocol):
    """A target that is ours to end and to start again."""

    def restart(self) -> None:
        """End it, and start it as it was started last."""


@runtime_checkable
class Snapshotable(Protocol):
    """A target whose files are ours."""

    def maker(self) -> str:
        """Return what makes the files: programs with their versions, and the user's options."""

    def directory_bytes(self) -> int:
        """Return what its data directories take on disk."""

    def snapshot(self, directory: Path) -> None:
        """Copy the files into a directory that does not exist yet; nothing of it may run."""

    def restore(self, directory: Path) -> None:
        """Replace the files by those of a snapshot; nothing of it may run."""


@runtime_checkable
class Watchable(Protocol):
    """A target whose processes we have started, so that their end can be told of."""

    def out_of_memory_kills(self) -> int | None:
        """Count the processes of this start that the kernel killed for lack of memory.

        None where no counter is the target's alone.
        """

    def killed_for_memory(self) -> str | None:
        """Say that the kernel killed a process of this start for lack of memory; None if not."""


@runtime_checkable
class Clustered(Protocol):
    """A target of several servers that we have started, of which one may end by itself."""

    def lost_member(self) -> str | None:
        """Say which server has ended by itself, and why; None where all run."""


@runtime_checkable
class Distributed(Protocol):
    """A target some of whose files may be on other hosts."""

    def has_files_of(self, directory: Path) -> bool:
        """Tell whether all of a snapshot is still there, of which this directory tells."""

    def remove_files(self) -> None:
        """Remove its data on other hosts; it does not run."""

    def remove_files_of(self, directory: Path) -> None:
        """Remove what other hosts have of a snapshot."""


@runtime_checkable
class Reroutable(Protocol):
    """A target whose clients may be sent another way while its servers run."""

    def reroute(self, url: str) -> None:
        """Take this URL of the experiment file in place of the one before."""


@runtime_checkable
class Settable(Protocol):
    """A server that takes settings while it runs."""

    def set_online(self, settings: Mapping[str, str]) -> None:
        """Make these settings; ``RunError`` for one that the server does not show then."""


@runtime_checkable
class Validating(Protocol):
    """A server whose program reads settings without a start."""

    def validate(self, settings: Mapping[str, str]) -> None:
        """Have the program read these settings; ``InputError`` with its words.

        Nothing is left on disk, and what shows only in a start is not found.
        """


@runtime_checkable
class ReadingSettings(Protocol):
    """A server whose program says without a start what it reads settings as."""

    def read(self, settings: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        """Return what it reads otherwise than these settings say, as asked, and what it reads.

        Only numbers and switches are among what it reads: words it may write in another way.
        """


def out_of_memory_kills(target: object) -> int | None:
    """Return the count of a target that has one."""
    return target.out_of_memory_kills() if isinstance(target, Watchable) else None


def killed_for_memory(target: object) -> str | None:
    """Return why a process of a target ended, where its memory was too little."""
    return target.killed_for_memory() if isinstance(target, Watchable) else None


def lost_member(target: object) -> str | None:
    """Return which server of a target has ended by itself, and why."""
    return target.lost_member() if isinstance(target, Clustered) else None


def directory_bytes(target: object) -> int | None:
    """Return what the files of a target take on disk; None where they are not ours."""
    return target.directory_bytes() if isinstance(target, Snapshotable) else None
