"""Folders that live as long as their owner: what one that was killed has left, the next removes.

Whether an owner lives is told by a lock, which the kernel takes away from the dead.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

_LOCK_FILE = "lock"


@contextmanager
def locked_folder(prefix: str) -> Iterator[Path]:
    """Give an empty temporary folder, whose name begins so, for as long as the block runs."""
    parent = Path(tempfile.gettempdir())
    _sweep(parent, prefix)
    # It gets the name by which it is found when its lock is held.
    unlocked = Path(tempfile.mkdtemp(prefix=".dbdyno-"))
    with (unlocked / _LOCK_FILE).open("w") as lock:
        flock(lock, LOCK_EX)
        folder = unlocked.rename(parent / f"{prefix}{unlocked.name.removeprefix('.dbdyno-')}")
        try:
            yield folder
        finally:
            remove_locked(folder)


def _sweep(parent: Path, prefix: str) -> None:
    """Remove the folders whose owners are dead."""
    for folder in parent.glob(f"{prefix}*"):
        # Another program may be faster.
        with suppress(OSError):
            if folder.lstat().st_uid != os.geteuid():
                continue
            with (folder / _LOCK_FILE).open() as lock:
                flock(lock, LOCK_EX | LOCK_NB)
                remove_locked(folder)


def remove_locked(folder: Path) -> None:
    """Remove a folder, its lock last: without one, what is left would never be swept."""
    try:
        for entry in folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != _LOCK_FILE:
                entry.unlink()
        shutil.rmtree(folder)
    except OSError as error:
        print(f"{folder} could not be removed: {error}", file=sys.stderr)
