"""A command of dbdyno, and what it costs from its start to its end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from threading import Timer

from dbdyno.errors import RunError

LIMIT_S = 600.0


@dataclass(frozen=True)
class CommandCost:
    """What a command took; on a shared machine CPU time is steadier than time on a clock."""

    wall_s: float
    cpu_s: float
    memory_mb: float
    """At its largest."""


def dbdyno(*arguments: str) -> list[str]:
    """Return the command's program and arguments."""
    return [sys.executable, "-m", "dbdyno", *arguments]


def cost_of(*arguments: str) -> CommandCost:
    """Run a command to its end; RunError where it fails."""
    start_s = time.monotonic()
    process = subprocess.Popen(dbdyno(*arguments), stdout=subprocess.DEVNULL)
    limit = Timer(LIMIT_S, process.kill)
    limit.start()
    # Of this one process; getrusage() has all children together.
    _, status, usage = os.wait4(process.pid, 0)
    limit.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RunError(f"dbdyno {arguments[0]} ended with status {process.returncode}")
    return CommandCost(
        wall_s=time.monotonic() - start_s,
        cpu_s=usage.ru_utime + usage.ru_stime,
        memory_mb=usage.ru_maxrss * 1024 / 1e6,
    )
