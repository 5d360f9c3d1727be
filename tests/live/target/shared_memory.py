"""The shared memory of running processes, which outlives them unless somebody removes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

SEGMENTS = Path("/proc/sysvipc/shm")


@dataclass(frozen=True)
class SharedMemory:
    """Segments that processes have in their memory: files of POSIX, and numbers of System V."""

    files: frozenset[Path]
    segments: frozenset[int]

    def left(self) -> SharedMemory:
        """Return what of it is still there."""
        rows = [line.split() for line in SEGMENTS.read_text().splitlines()[1:]]
        there = {int(row[1]) for row in rows}
        files = frozenset(file for file in self.files if file.exists())
        return SharedMemory(files, self.segments & there)


NONE = SharedMemory(frozenset(), frozenset())


def of_process(process_id: int) -> SharedMemory:
    """Return what a process and all its children have."""
    parent = psutil.Process(process_id)
    mapped = [line for process in (parent, *parent.children()) for line in _mapped(process)]
    files = frozenset(Path(path) for _, path in mapped if path.startswith("/dev/shm/"))
    # The kernel shows the number of a segment where a file has its inode.
    segments = frozenset(int(number) for number, path in mapped if path.startswith("/SYSV"))
    return SharedMemory(files, segments)


def _mapped(process: psutil.Process) -> Iterator[tuple[str, str]]:
    """Return inode and path of what a process has mapped; one that has ended has nothing."""
    with suppress(FileNotFoundError, ProcessLookupError):
        for line in Path(f"/proc/{process.pid}/maps").read_text().splitlines():
            fields = line.split(maxsplit=5)
            if len(fields) == 6:
                yield fields[4], fields[5]
