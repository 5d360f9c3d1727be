"""Reads a file of JSON lines as it grows: each line once, whole lines only.

The writer may cut a torn line off, replace the file, or remove it; this side never writes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from dbdyno.contained_files import open_to_read
from dbdyno.errors import InputError
from dbdyno.store.json_lines import LARGEST_LINE_BYTES, JsonObject

CHUNK_BYTES = 1 << 20
"""So much is read at a time: what is waited for in memory stays small."""


class LineTail:
    """A file that somebody else appends to.

    ``beginnings`` counts how often it was read from its start: more than once where it was replaced
    or became shorter than what had been read of it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._offset = 0
        self._rested: tuple[int, int, int] | None = None
        self.beginnings = 0
        self.modified_unix_s = 0.0
        """When the file was written to last; 0 as long as there is none."""

    def lines(self) -> Iterator[JsonObject]:
        """Yield the objects that have been added since the last call; damaged lines are left out.

        A file that was removed is read to its end first, for its space is still there.
        """
        while self._descriptor is not None or self._open():
            yield from self._added()
            if self._is_still_there():
                return
            self.close()

    def rest(self) -> None:
        """Close the file for a while; reading resumes where it stopped if the file is the same."""
        if self._descriptor is not None:
            status = os.fstat(self._descriptor)
            self._rested = (status.st_dev, status.st_ino, self._offset)
            self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> bool:
        try:
            with open_to_read(self._path) as file:
                self._descriptor = os.dup(file.fileno())
        except (OSError, InputError):
            return False
        status, rested = os.fstat(self._descriptor), self._rested
        self._rested = None
        is_same = rested is not None and rested[:2] == (status.st_dev, status.st_ino)
        if rested is not None and is_same and status.st_size >= rested[2]:
            self._offset = rested[2]
            return True
        self._offset = 0
        self.beginnings += 1
        return True

    def _is_still_there(self) -> bool:
        """Tell whether the path leads to the open file, and to all that was read of it."""
        assert self._descriptor is not None
        opened = os.fstat(self._descriptor)
        try:
            named = self._path.lstat()
        except OSError:
            return False
        is_same = (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)
        return is_same and opened.st_size >= self._offset

    def _added(self) -> Iterator[JsonObject]:
        assert self._descriptor is not None
        size = CHUNK_BYTES
        while chunk := os.pread(self._descriptor, size, self._offset):
            end = chunk.rfind(b"\n") + 1
            if not end:
                if len(chunk) < size or size > LARGEST_LINE_BYTES:
                    break
                # A line that is longer than what is read at a time.
                size *= 2
                continue
            # Only past whole lines: what is torn now is read again, or cut off by its writer.
            self._offset += end
            for line in chunk[:end].splitlines():
                if (record := _parse(line)) is not None:
                    yield record
        self.modified_unix_s = os.fstat(self._descriptor).st_mtime


def _parse(line: bytes) -> JsonObject | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
