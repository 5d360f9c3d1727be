"""What the kernel tells of each thread of a process: how often it gave up a CPU or waited for one.

The figures in the process's own files are those of its first thread alone.
"""

from __future__ import annotations

import os
import re

from dbdyno.watch.local.kernel_file import content_of
from dbdyno.watch.series.source import Values

VOLUNTARY = "process.voluntary_switches"
INVOLUNTARY = "process.involuntary_switches"
RUN_QUEUE_WAIT = "process.run_queue_wait_s"
THREAD_COUNTERS = (VOLUNTARY, INVOLUNTARY, RUN_QUEUE_WAIT)

_SWITCHES = re.compile(rb"voluntary_ctxt_switches:\s+(\d+)")
"""Found twice in a status: voluntary ones first, then ``nonvoluntary_ctxt_switches``."""

_NANOSECONDS_PER_S = 1e9


def read_threads(process_id: int) -> dict[int, Values] | None:
    """Return the counters of each thread; None where the process has ended."""
    folder = f"/proc/{process_id}/task"
    try:
        threads = os.listdir(folder)  # noqa: PTH208
    except OSError:
        return None
    readings = ((thread, _read_thread(f"{folder}/{thread}")) for thread in threads)
    return {int(thread): counters for thread, counters in readings if counters is not None}


def _read_thread(folder: str) -> Values | None:
    status, waits = content_of(f"{folder}/status"), content_of(f"{folder}/schedstat")
    if status is None:
        return None
    voluntary, involuntary = map(float, _SWITCHES.findall(status))
    counters = {VOLUNTARY: voluntary, INVOLUNTARY: involuntary}
    if waits:
        # Time on a CPU, time in the queue for one, and how often it came to run.
        counters[RUN_QUEUE_WAIT] = int(waits.split()[1]) / _NANOSECONDS_PER_S
    return counters
