"""What this system allows one process at the most: threads, open files, memory.

Not what is left of it: other processes take their part too.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbdyno.control_groups import machine_memory_bytes, read
from dbdyno.watch.facts.limits import limit_facts
from dbdyno.watch.kernel import open_files_limit

_KERNEL = Path("/proc/sys/kernel")


@dataclass(frozen=True)
class ProcessLimit:
    """So many of a thing, and what sets it."""

    thing: str
    count: int
    set_by: str


def process_limits() -> list[ProcessLimit]:
    """Return every limit that this system tells; there may be several for one thing."""
    return [*_of_kernel(), *_of_process(), *_of_control_group()]


def _of_kernel() -> Iterator[ProcessLimit]:
    for name in ("threads-max", "pid_max"):
        text = read(_KERNEL / name)
        if text is not None:
            yield ProcessLimit("threads", int(text), f"kernel.{name}")
    yield ProcessLimit("MiB of memory", machine_memory_bytes() >> 20, "all of its memory")


def _of_process() -> Iterator[ProcessLimit]:
    files = open_files_limit()
    if files is not None:
        yield ProcessLimit("open files", files, "ulimit -n")
    threads, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    # Root may have more than that.
    if threads != resource.RLIM_INFINITY and os.geteuid() != 0:
        yield ProcessLimit("threads", threads, "ulimit -u")


def _of_control_group() -> Iterator[ProcessLimit]:
    facts = limit_facts()
    threads, size_bytes = (
        facts["control_group_task_limit"],
        facts["control_group_memory_limit_bytes"],
    )
    if isinstance(threads, int):
        yield ProcessLimit("threads", threads, "pids.max of the control group")
    if isinstance(size_bytes, int):
        yield ProcessLimit("MiB of memory", size_bytes >> 20, "the control group")
