"""Where an agent keeps files on its host, and what earlier agents have left there.

A directory of this user alone holds what loads have said and a scratch folder for each agent. An
agent that is killed leaves its folder; the kernel lets go of the lock on it, by which the next
agent knows.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dbdyno.errors import RunError

PLACE = "dbdyno-agents"
SCRATCH = "scratch-"
KEPT_DAYS = 7
"""So long is kept what a load has said: for whoever looks into a lost generator."""


def place() -> Path:
    """Return the directory of this user; ``RunError`` where others may look into it or own it."""
    directory = Path(tempfile.gettempdir()) / f"{PLACE}-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    status = directory.lstat()
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    if not is_ours or status.st_mode & 0o077:
        raise RunError(
            f"{directory} should be a directory of this user that nobody else can open; remove it, "
            "or set TMPDIR to another place"
        )
    return directory


def claim_load(name: str) -> Path:
    """Return the file of a load; ``RunError`` where it was made before."""
    path = place() / f"{name}.jsonl"
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise RunError(f"the load {name} was made before, and is not made twice") from None
    return path


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give a folder while the block runs; first remove what earlier agents have left."""
    directory = place()
    with _locked(directory):
        _remove_old(directory)
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=directory))
        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _remove_old(directory: Path) -> None:
    """Remove folders whose agents are gone, and what loads said that were made long ago."""
    for folder in directory.glob(f"{SCRATCH}*"):
        if not _is_held(folder):
            shutil.rmtree(folder, ignore_errors=True)
    oldest_s = time.time() - KEPT_DAYS * 86_400
    for path in directory.glob("*.jsonl"):
        # Another agent may remove it, too, and one that is open goes on.
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < oldest_s:
                path.unlink()


def _is_held(folder: Path) -> bool:
    """Tell whether the agent of a folder is alive; a folder that has just gone is nobody's."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Let no other agent of this user in while the block runs."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
