"""The folders of control groups that dbdyno makes: locked while they have an owner, and removed.

The owner of a folder holds a lock on it, which the kernel takes away from the dead: what was left
by one that was killed is swept by the next.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from dbdyno.control_groups import read

PREFIX = "dbdyno-"
"""How the name of each of our groups begins."""
MEMBERS = "cgroup.procs"

REMOVE_LIMIT_S = 5.0
"""So long may a killed process take until its group is empty."""
POLL_S = 0.02


def make_locked(folder: Path, *, may_exist: bool = False) -> int:
    """Make a folder and return a lock on it: one that is swept before it is locked is made anew."""
    while True:
        folder.mkdir(exist_ok=may_exist)
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        flock(descriptor, LOCK_EX)
        if folder.exists():
            return descriptor
        os.close(descriptor)


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


def write(path: Path, text: str) -> None:
    """Write to a file of the kernel's, whose refusals do not name it."""
    try:
        path.write_text(text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def remove(folder: Path) -> None:
    """End what is left in a group, and the group; one that cannot be is swept later."""
    deadline_s = time.monotonic() + REMOVE_LIMIT_S
    while time.monotonic() < deadline_s:
        for process_id in members(folder):
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


def members(folder: Path) -> list[int]:
    """Return the processes in a group; none where there is no such group."""
    return [int(number) for number in (read(folder / MEMBERS) or "").split()]


def move_into(folder: Path, source: Path) -> None:
    """Move all that is in a group into another, which is made where it is not there.

    Nobody sweeps it before it has a member.
    """
    lock = make_locked(folder, may_exist=True)
    try:
        for process_id in members(source):
            # It may have ended.
            with suppress(ProcessLookupError):
                write(folder / MEMBERS, str(process_id))
    finally:
        os.close(lock)
