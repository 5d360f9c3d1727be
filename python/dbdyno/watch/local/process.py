"""What the kernel tells of one process, at one moment."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from dbdyno.watch.local.kernel_file import content_of
from dbdyno.watch.series.source import Values

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

_STATE, _USER, _SYSTEM, _THREADS, _STARTED = 0, 11, 12, 17, 19
"""Places in ``/proc/PID/stat`` behind the program's name, which may hold blanks itself."""

_BYTES = re.compile(rb"^(read|write)_bytes: (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class ProcessReading:
    """Counters by metric, and levels."""

    started: int
    """When it began, which tells it from a later one of the same number."""
    counters: Values
    threads: int
    private_bytes: int
    shared_bytes: int


def read_process(process_id: int) -> ProcessReading | None:
    """Read a process; None where it has ended."""
    stat = content_of(f"/proc/{process_id}/stat")
    statm = content_of(f"/proc/{process_id}/statm")
    if not stat or not statm:
        return None
    fields = stat.rpartition(b")")[2].split()
    if fields[_STATE] in b"ZX":
        return None
    resident, shared = (int(pages) * _PAGE_BYTES for pages in statm.split()[1:3])
    return ProcessReading(
        started=int(fields[_STARTED]),
        counters={
            "process.cpu_user_s": int(fields[_USER]) / _TICKS_PER_S,
            "process.cpu_system_s": int(fields[_SYSTEM]) / _TICKS_PER_S,
            **_io_counters(process_id),
        },
        threads=int(fields[_THREADS]),
        private_bytes=resident - shared,
        shared_bytes=shared,
    )


def _io_counters(process_id: int) -> Values:
    """Return what reached the disks; only its owner and root may know that of a process."""
    content = content_of(f"/proc/{process_id}/io") or b""
    return {f"process.{way.decode()}_bytes": float(n) for way, n in _BYTES.findall(content)}
