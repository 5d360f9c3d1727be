"""Whether a run is at work in a directory, without touching the lock that it holds.

To try the lock would be to hold it for a moment, in which a run that begins would be refused.
"""

from __future__ import annotations

import os
from pathlib import Path

_LOCKS = Path("/proc/locks")


def is_locked(directory: Path) -> bool:
    """Tell whether a process of this machine holds the lock of a result directory.

    One in another container, or on another machine that shares the disk, is not seen.
    """
    try:
        status = directory.stat()
        locks = _LOCKS.read_text()
    except OSError:
        return False
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    return any("FLOCK" in line and f" {device} " in line for line in locks.splitlines())


def boot_id() -> str:
    """Return which start of this machine it is; "" where it does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
