"""Writes a little in a directory to see how fast its disk is: in a stretch, and with fsync.

It says what a server on this disk can count on, and tells a disk that answers at once, whatever it
was asked to keep, from one that keeps it. It is no benchmark of a disk: METHODOLOGY.md.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from threading import Event, Thread

from dbdyno.facts.storage import ProbeFacts
from dbdyno.watch.facts.storage import is_in_memory

LIMIT_S = 3.0
STRETCH_BYTES = 64 << 20
STRETCH_SHARE = 0.5
"""So much of the time may go into the stretch; the rest is left for fsync."""
CHUNK_BYTES = 1 << 20
SYNCED_BYTES = 4 << 20
"""So often the stretch is brought to the disk, so that a slow disk is found out in time."""
PAGE_BYTES = 4096
FSYNCS = 200
FREE_MIN_BYTES = 16 * STRETCH_BYTES
"""Where less is left, nothing is written: others may need it."""

NOTHING = ProbeFacts()


def probe_facts(directory: Path, limit_s: float = LIMIT_S) -> ProbeFacts:
    """Write for at most ``limit_s``, and leave nothing behind, also where we are killed.

    Nothing is known in memory, on a nearly full disk, and where the disk does not answer in time.
    """
    try:
        if is_in_memory(directory) or shutil.disk_usage(directory).free < FREE_MIN_BYTES:
            return NOTHING
    except OSError:
        return NOTHING
    probe = _Probe(directory, limit_s)
    probe.start()
    # One fsync may take as long as it likes; what waits for it is given up.
    probe.join(limit_s)
    probe.given_up.set()
    return probe.found


class _Probe(Thread):
    """Probes in a thread of its own; ``found`` is there when it has come to its end."""

    def __init__(self, directory: Path, limit_s: float) -> None:
        super().__init__(name="disk probe", daemon=True)
        self.found = NOTHING
        self.given_up = Event()
        self._directory = directory
        self._limit_s = limit_s

    def run(self) -> None:
        """Write, and keep what was found; a disk that refuses is one of which nothing is known."""
        start_s = time.monotonic()
        try:
            # The file has no name where the file system can do that, and none for long elsewhere.
            with tempfile.TemporaryFile(dir=self._directory, buffering=0) as file:
                written_bytes, elapsed_s = self._write_stretch(file.fileno(), start_s)
                times_ms = self._sync_pages(file.fileno(), start_s, written_bytes)
        except OSError:
            return
        if not self.given_up.is_set():
            self.found = _facts(written_bytes, elapsed_s, sorted(times_ms))

    def _write_stretch(self, file: int, start_s: float) -> tuple[int, float]:
        # What is all alike, a disk may compress or leave out.
        content, written_bytes = os.urandom(CHUNK_BYTES), 0
        while written_bytes < STRETCH_BYTES and not self._is_past(start_s, STRETCH_SHARE):
            written_bytes += os.write(file, content)
            if written_bytes % SYNCED_BYTES == 0:
                os.fdatasync(file)
        os.fdatasync(file)
        return written_bytes, time.monotonic() - start_s

    def _sync_pages(self, file: int, start_s: float, written_bytes: int) -> list[float]:
        """Overwrite pages one after the other, as a server does in its log."""
        content, times_ms = os.urandom(PAGE_BYTES), []
        for page in range(min(FSYNCS, written_bytes // PAGE_BYTES)):
            # The time of the last one is not known before.
            if self._is_past(start_s, 0.9):
                break
            before_s = time.perf_counter()
            os.pwrite(file, content, page * PAGE_BYTES)
            os.fsync(file)
            times_ms.append((time.perf_counter() - before_s) * 1000)
        return times_ms

    def _is_past(self, start_s: float, share: float) -> bool:
        return self.given_up.is_set() or time.monotonic() - start_s > share * self._limit_s


def _facts(written_bytes: int, elapsed_s: float, times_ms: Sequence[float]) -> ProbeFacts:
    if not written_bytes or not times_ms:
        return NOTHING
    p99_ms = times_ms[math.ceil(0.99 * len(times_ms)) - 1]
    return ProbeFacts(
        probe_write_mib_per_s=round(written_bytes / elapsed_s / (1 << 20), 1),
        probe_written_bytes=written_bytes,
        probe_fsync_median_ms=round(median(times_ms), 4),
        probe_fsync_p99_ms=round(p99_ms, 4),
        probe_fsync_count=len(times_ms),
    )
