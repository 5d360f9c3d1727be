"""A control group of its own for a server: made with its limits, joined, and removed.

A group is made below the one that dbdyno runs in, so that no limit that holds for us is got round.
Its owner holds a lock on it, which the kernel takes away from the dead: what was left by one that
was killed is removed by the next.
"""

from __future__ import annotations

import errno
import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from dbdyno.control_groups import (
    ROOT,
    cpu_limit_cores,
    groups_of,
    membership_of,
    memory_limit_bytes,
    narrowest,
    on_the_way_up,
    out_of_memory_kills,
    out_of_memory_kills_anywhere,
)
from dbdyno.errors import RunError
from dbdyno.experiment.plan import ServerLimits
from dbdyno.server.control_group_ways import MEMBERS, PREFIX, Way
from dbdyno.server.files import file_errors

REMOVE_LIMIT_S = 5.0
"""So long may a killed process take until its group is empty."""
POLL_S = 0.02
_ROUNDING_CORES = 0.01

WITHOUT_SWAP_FILE = {
    "memory.memsw.limit_in_bytes": {"memory.swappiness": "0"},
    "memory.swap.max": {},
}
"""What is written where a kernel has no such file: it may not count swap, or have none."""


class ControlGroup:
    """The group of one start of a server; ``remove`` it when the server has ended."""

    def __init__(self, way: Way, limits: ServerLimits, root: Path = ROOT) -> None:
        """Make the group with its limits; ``RunError`` where the kernel does not let us."""
        self._limits = limits
        self._root = root
        self._locks: list[int] = []
        self._kills_anywhere_before = out_of_memory_kills_anywhere()
        self._memory_group: Path | None = None
        name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        self.folders = tuple(parent / name for parent in way.parents)
        self.command_prefix = way.command_prefix(name)
        with file_errors("limit the server by a control group"):
            way.prepare()
            for parent in way.parents:
                sweep(parent)
            try:
                for folder, files in zip(self.folders, way.parents.values(), strict=True):
                    self._make(folder, files)
            except BaseException:
                self.remove()
                raise

    def _make(self, folder: Path, files: dict[str, str]) -> None:
        self._locks.append(_make_locked(folder))
        for file, text in files.items():
            if (folder / file).exists():
                _write(folder / file, text)
            elif file in WITHOUT_SWAP_FILE:
                for other, instead in WITHOUT_SWAP_FILE[file].items():
                    _write(folder / other, instead)
            else:
                raise FileNotFoundError(errno.ENOENT, "no such limit", str(folder / file))

    def confirm(self, process_id: int) -> None:
        """See that the limits hold for a process; ``RunError`` where they do not."""
        groups = groups_of(membership_of(process_id), self._root)
        memory_bytes = narrowest(groups, "memory", memory_limit_bytes)
        cores = narrowest(groups, "cpu", cpu_limit_cores)
        limits = self._limits
        is_missed = {
            "memory": limits.memory_bytes and (memory_bytes or 1 << 62) > limits.memory_bytes,
            "cpus": limits.cpus and (cores or 1 << 30) > limits.cpus + _ROUNDING_CORES,
        }
        missed = [f"limits.{name}" for name, missing in is_missed.items() if missing]
        if missed:
            raise RunError(
                f"{' and '.join(missed)} did not take: the server's control group allows it "
                f"{memory_bytes or 'all'} bytes of memory and {cores or 'all'} CPUs; run dbdyno as "
                "root, or remove limits"
            )
        memory_groups = on_the_way_up(groups, "memory")
        self._memory_group = next((group for group in memory_groups if _tells(group)), None)

    def out_of_memory_kills(self) -> int:
        """Count the processes of it that the kernel has killed because they hit its limit.

        Where systemd has removed the group with its last process, those of all groups count.
        """
        if self._limits.memory_bytes is None:
            return 0
        group = self._memory_group
        counted = None if group is None else out_of_memory_kills(group)
        if counted is None:
            return out_of_memory_kills_anywhere() - self._kills_anywhere_before
        return counted

    def remove(self) -> None:
        """End what is left in the group, and the group; one that cannot be is swept later."""
        for folder in self.folders:
            _remove(folder)
        while self._locks:
            os.close(self._locks.pop())


def sweep(parent: Path) -> None:
    """Remove the groups of owners that were killed."""
    for folder in parent.glob(f"{PREFIX}*"):
        # Another program may be faster.
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                flock(descriptor, LOCK_EX | LOCK_NB)
                folder.rmdir()
            finally:
                os.close(descriptor)


def _make_locked(folder: Path) -> int:
    """Make a folder and return a lock on it: one that is swept before it is locked is made anew."""
    while True:
        folder.mkdir()
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        flock(descriptor, LOCK_EX)
        if folder.exists():
            return descriptor
        os.close(descriptor)


def _write(path: Path, text: str) -> None:
    """Write to a file of the kernel's, whose refusals do not name it."""
    try:
        path.write_text(text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _remove(folder: Path) -> None:
    deadline_s = time.monotonic() + REMOVE_LIMIT_S
    while time.monotonic() < deadline_s:
        for process_id in _members(folder):
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(POLL_S)
        else:
            return


def _members(folder: Path) -> Iterator[int]:
    with suppress(OSError):
        yield from map(int, (folder / MEMBERS).read_text().split())


def _tells(group: Path) -> bool:
    return out_of_memory_kills(group) is not None
