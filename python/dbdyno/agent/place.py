"""Where an agent keeps files on its host, and what earlier agents have left there.

A directory of this user alone holds what loads have said. Each agent has a scratch folder, too,
which the next one removes where an agent is killed.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dbdyno.errors import RunError
from dbdyno.locked_folder import locked_folder

PLACE = "dbdyno-agents"
SCRATCH = "dbdyno-agent-"
KEPT_DAYS = 7
"""So long is kept what a load has said: for whoever looks into a lost generator."""


def place(parent: Path | None = None) -> Path:
    """Return the directory of this user, beneath the temporary one or another.

    ``RunError`` where others may look into it or own it, and where it cannot be made.
    """
    directory = (parent or Path(tempfile.gettempdir())) / f"{PLACE}-{os.getuid()}"
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        status = directory.lstat()
    except OSError as error:
        raise RunError(f"cannot use {directory}: {error.strerror or error}") from error
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
    _remove_old_loads(place())
    with locked_folder(SCRATCH) as folder:
        yield folder


def _remove_old_loads(directory: Path) -> None:
    """Remove what loads said that were made long ago."""
    oldest_s = time.time() - KEPT_DAYS * 86_400
    for path in directory.glob("*.jsonl"):
        # Another agent may remove it, too.
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < oldest_s:
                path.unlink()
