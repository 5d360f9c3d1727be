"""A folder for servers that live for one command: nothing of it stays, however the command ends.

What a command that was killed has left behind is removed by the next one. Whose owner lives is told
by a lock, which the kernel takes away from the dead.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from types import FrameType
from typing import NoReturn

from dbdyno.errors import RunError

PREFIX = "dbdyno-scratch-"
_LOCK_FILE = "lock"
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class _Ended(BaseException):
    """A signal ends the command. Nobody on the way takes it for an error of the server's."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give an empty folder for as long as the block runs.

    ``RunError`` comes out of it where SIGTERM or SIGHUP end the block. SIGINT raises
    KeyboardInterrupt, as ever. To be entered by the main thread.
    """
    parent = Path(tempfile.gettempdir())
    _sweep(parent)
    # It gets the name by which it is found when its lock is held.
    unlocked = Path(tempfile.mkdtemp(prefix=".dbdyno-"))
    with (unlocked / _LOCK_FILE).open("w") as lock:
        flock(lock, LOCK_EX)
        folder = unlocked.rename(parent / f"{PREFIX}{unlocked.name.removeprefix('.dbdyno-')}")
        try:
            with _ended_by_signals():
                yield folder
        except _Ended as ended:
            raise RunError(f"stopped by {ended}; nothing of it is kept") from None
        finally:
            _remove(folder)


def _sweep(parent: Path) -> None:
    """Remove the folders whose owners are dead."""
    for folder in parent.glob(f"{PREFIX}*"):
        # Another program may be faster.
        with suppress(OSError):
            if folder.lstat().st_uid != os.geteuid():
                continue
            with (folder / _LOCK_FILE).open() as lock:
                flock(lock, LOCK_EX | LOCK_NB)
                _remove(folder)


def _remove(folder: Path) -> None:
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


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    before = {number: signal.signal(number, _end) for number in _ENDING_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: FrameType | None) -> NoReturn:
    # A second one would break into what puts things away.
    for other in _ENDING_SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise _Ended(signal.Signals(number).name)
