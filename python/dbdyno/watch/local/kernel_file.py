"""Files of the kernel's that are read again and again, with few system calls."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Self

_PART_BYTES = 1 << 16


class KernelFile:
    """A file below /proc or /sys that is opened once; it has new content at each reading."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    @classmethod
    def if_there(cls, path: Path) -> Self | None:
        """Open a file; None where this kernel has none, or it is not for this user."""
        with suppress(OSError):
            file = cls(path)
            # Pressure files may be opened and refuse to be read, where the kernel was told so.
            with suppress(OSError):
                file.read()
                return file
            file.close()
        return None

    def read(self) -> bytes:
        """Return the content of now; it comes in parts where it is longer than a page."""
        parts, length = [], 0
        while part := os.pread(self._descriptor, _PART_BYTES, length):
            parts.append(part)
            length += len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Read no more."""
        os.close(self._descriptor)


def content_of(path: str) -> bytes | None:
    """Return the content of a file of a process or thread; None where that has ended.

    None also where the content is not for this user. Such files are too many to be kept open.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(descriptor, _PART_BYTES)
    except OSError:
        return None
    finally:
        os.close(descriptor)
