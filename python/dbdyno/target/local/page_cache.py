"""The page cache of a folder's files: dropped, and what of it is left."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from dbdyno.target.local.files import file_errors

_LIBRARY = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Dropped:
    """What the page cache held of a folder's files before they were dropped, and after."""

    before_bytes: int
    left_bytes: int


def drop_page_cache(folder: Path) -> Dropped:
    """Have the kernel forget what it has cached of a folder's files, and see whether it did.

    Only what is on the disk can be forgotten, so each file is written out before. Where files live
    in memory (tmpfs), or are locked or mapped, their pages stay.
    """
    with file_errors(f"read {folder}"):
        before_bytes = sum(map(_resident_bytes, _files(folder)))
        for path in _files(folder):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)
        return Dropped(before_bytes, sum(map(_resident_bytes, _files(folder))))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _resident_bytes(path: Path) -> int:
    """Return how much of a file is in the page cache (mincore(2))."""
    with path.open("rb") as file:
        size_bytes = os.fstat(file.fileno()).st_size
        if not size_bytes:
            return 0
        # Private and writable, because only then ctypes hands out the address; nothing is written.
        mapped = mmap.mmap(
            file.fileno(), size_bytes, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE
        )
        with closing(mapped):
            pages = (ctypes.c_ubyte * -(-size_bytes // mmap.PAGESIZE))()
            anchor = ctypes.c_char.from_buffer(mapped)
            address = ctypes.c_void_p(ctypes.addressof(anchor))
            failed = _LIBRARY.mincore(address, ctypes.c_size_t(size_bytes), pages)
            # The map cannot be closed while something points into it.
            del anchor
            if failed:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(path))
            resident = bytes(pages).count(1)
    return min(resident * mmap.PAGESIZE, size_bytes)
