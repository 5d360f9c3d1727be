"""What this machine's kernel is set to, and leaves a process."""

from __future__ import annotations

import resource
from pathlib import Path

from dbdyno.control_groups import read

_SETTINGS = Path("/proc/sys")

PORT_RANGE = "net.ipv4.ip_local_port_range"
"""From which the kernel gives ports to connections."""


def kernel_setting(name: str) -> str | None:
    """Return a setting of the kernel by the name that sysctl has; None where there is none."""
    text = read(_SETTINGS / name.replace(".", "/"))
    return None if text is None else " ".join(text.split())


def open_files_limit() -> int | None:
    """Return how many files a generator may open; None where nothing limits them.

    Each generator raises its own limit to the hard one.
    """
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if files == resource.RLIM_INFINITY else files
