"""Copies that share their blocks with the original: whether a file system can make them."""

from __future__ import annotations

import fcntl
import tempfile
from contextlib import suppress
from pathlib import Path

FICLONE = 0x40049409
"""Have a file share all blocks of another until one of them is written to (ioctl_ficlone(2))."""


def shares_blocks(source: Path, place: Path) -> bool:
    """Tell whether files of a folder can be cloned to a place; a clone takes no space by itself."""
    original = next((path for path in source.rglob("*") if _has_blocks(path)), None)
    if original is None:
        return False
    # It is tried out: neither the file system's name nor its options tell for sure.
    with suppress(OSError), original.open("rb") as file:
        with tempfile.NamedTemporaryFile(dir=place, prefix=".reflink-") as clone:
            fcntl.ioctl(clone.fileno(), FICLONE, file.fileno())
        return True
    return False


def _has_blocks(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size > 0
