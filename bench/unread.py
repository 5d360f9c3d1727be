"""Answers that lie unread, seen from outside: who of a program's clients is really at work.

The kernel shows what waits in each TCP socket. A client whose answer lies there is not served and
asks for nothing: the server has one client less. This is seen in the same way of all programs.
"""

from __future__ import annotations

import time
from pathlib import Path

SOCKETS = Path("/proc/net/tcp")
LOOK_S = 0.1
"""A look takes 2 ms: the kernel goes through its whole table of connections."""

_ESTABLISHED = "01"


def watch_unread(port: int, duration_s: float) -> float:
    """Return at how many connections to a port of this machine an answer lay unread, on average."""
    end_s = time.monotonic() + duration_s
    looks = []
    while (left_s := end_s - time.monotonic()) > 0:
        time.sleep(min(LOOK_S, left_s))
        looks.append(_count_unread(port))
    return sum(looks) / len(looks)


def _count_unread(port: int) -> int:
    """Count sockets with bytes in their receive queue; all numbers are hexadecimal (proc(5))."""
    wanted = f":{port:04X}"
    unread = 0
    for line in SOCKETS.read_text().splitlines()[1:]:
        _, _, remote, state, queues, *_ = line.split()
        if state == _ESTABLISHED and remote.endswith(wanted):
            unread += int(queues.partition(":")[2], 16) > 0
    return unread
