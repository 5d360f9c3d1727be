"""Snapshots of loaded servers: taken once, restored before every trial.

Every trial of a cell then starts from the same bytes, whatever the trial before it has changed.
What a server's files are, and how they are copied, only the server knows.
"""

from __future__ import annotations

from pathlib import Path

from dbdyno.errors import InputError, RunError
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.capabilities import Distributed, Snapshotable
from dbdyno.target.local.files import file_errors, make_private_folder, remove_folder

_UNFINISHED = ".unfinished"


class Snapshots:
    """The snapshots in one directory, by key: one for each server and dataset.

    A snapshot that was cut short does not count, and is removed when this is made.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        with file_errors(f"use the directory {directory} for snapshots"):
            make_private_folder(directory)
            leftovers = list(directory.glob(f"*{_UNFINISHED}"))
        for leftover in leftovers:
            remove_folder(leftover)

    def is_empty(self) -> bool:
        """Tell whether there is no complete snapshot at all."""
        return all(path.name.endswith(_UNFINISHED) for path in self._directory.iterdir())

    def has(self, key: str) -> bool:
        """Tell whether there is a complete snapshot under this key, as this machine knows it."""
        return self._path(key).is_dir()

    def has_all(self, server: SystemUnderTest, key: str) -> bool:
        """Tell whether other hosts still have what they keep of it, too."""
        if not self.has(key):
            return False
        return not isinstance(server, Distributed) or server.has_files_of(self._path(key))

    def take(self, server: SystemUnderTest, key: str) -> None:
        """Stop the server and keep its files, instead of any that were kept under this key."""
        files = _files_of(server)
        server.stop()
        if isinstance(server, Distributed):
            server.remove_files_of(self._path(key))
        self.remove(key)
        unfinished = self._path(key + _UNFINISHED)
        files.snapshot(unfinished)
        with file_errors(f"keep the snapshot {key}"):
            unfinished.rename(self._path(key))

    def restore(self, server: SystemUnderTest, key: str) -> None:
        """Stop the server and give it back the files that were kept."""
        if not self.has(key):
            raise RunError(f"there is no snapshot {key} in {self._directory}")
        files = _files_of(server)
        server.stop()
        files.restore(self._path(key))

    def remove(self, key: str) -> None:
        """Forget a snapshot, and what is left of one that was cut short; there may be none."""
        unfinished = self._path(key + _UNFINISHED)
        remove_folder(unfinished)
        if self.has(key):
            with file_errors(f"remove the snapshot {key}"):
                self._path(key).rename(unfinished)
            remove_folder(unfinished)

    def _path(self, key: str) -> Path:
        return self._directory / key


def _files_of(server: SystemUnderTest) -> Snapshotable:
    """Return the target as one whose files are ours; ``InputError`` where they are not."""
    if isinstance(server, Snapshotable):
        return server
    raise InputError(
        f"target {server.name} is a server that dbdyno did not start, so that its files cannot "
        "be copied; set procedure.start to continue or reload"
    )
