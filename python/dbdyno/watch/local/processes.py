"""The processes of one member as a source: those that are named, and those that they have started.

A server with a process for each connection shares most of its memory among them; of the shared
parts, which overlap, the largest counts.
"""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.watch.local.kernel_file import content_of
from dbdyno.watch.local.process import ProcessReading, read_process
from dbdyno.watch.local.threads import THREAD_COUNTERS, read_threads
from dbdyno.watch.series.source import Growth, Subject, Values

THREADS_MAX = 300
"""With more threads than this in all, what is told of each thread is left out: to read it each
second would take more than 1 % of a CPU."""


class Processes:
    """A member's processes on this machine, added up."""

    def __init__(
        self,
        subject: Subject,
        process_ids: Iterable[int],
        threads: dict[Subject, int] | None = None,
    ) -> None:
        """``threads`` is shared by members that together have ``THREADS_MAX``, and says of each."""
        self.subject = subject
        self._threads_of = {} if threads is None else threads
        self._roots = tuple(process_ids)
        self._processes: dict[int, _Process] = {}
        self._is_first_look = True

    def sample(self) -> Values:
        """Add up the processes that are still there; nothing where none is left."""
        self._find()
        readings = {
            process: reading
            for process in self._processes.values()
            if (reading := process.read()) is not None
        }
        self._threads_of[self.subject] = sum(reading.threads for reading in readings.values())
        has_few_threads = sum(self._threads_of.values()) <= THREADS_MAX
        added = [
            process.added(reading, with_threads=has_few_threads)
            for process, reading in readings.items()
        ]
        self._is_first_look = False
        if not readings:
            return {}
        return _sum_of_known(added) | {
            "process.threads": float(self._threads_of[self.subject]),
            "process.resident_bytes": float(
                max(reading.shared_bytes for reading in readings.values())
                + sum(reading.private_bytes for reading in readings.values())
            ),
        }

    def _find(self) -> None:
        present = [*self._roots, *(child for root in self._roots for child in children(root))]
        self._processes = {
            process_id: self._processes.get(process_id)
            or _Process(process_id, was_there=self._is_first_look)
            for process_id in present
        }


class _Process:
    """One process, with its counters as they were a moment ago."""

    def __init__(self, process_id: int, *, was_there: bool) -> None:
        """Watch from now on.

        All that a process did which was not there before has just been done.
        """
        self._id = process_id
        self._started: int | None = None
        self._was_there = was_there
        self._counters: Growth | None = None
        self._threads: dict[int, Values] | None = None if was_there else {}

    def read(self) -> ProcessReading | None:
        """Return what is told now; None once it has ended, also if its number is used again."""
        reading = read_process(self._id)
        if reading is None or self._started not in {None, reading.started}:
            self._started = -1
            return None
        self._started = reading.started
        return reading

    def added(self, reading: ProcessReading, *, with_threads: bool) -> Values:
        """Return how much its counters have grown since the last call."""
        if self._counters is None:
            zeros = dict.fromkeys(reading.counters, 0.0)
            self._counters = Growth(None if self._was_there else zeros)
        values = self._counters.added(reading.counters)
        last = self._threads
        self._threads = read_threads(self._id) if with_threads else None
        if last is None or self._threads is None:
            return values
        return values | _added_by_threads(last, self._threads)


def _added_by_threads(last: dict[int, Values], now: dict[int, Values]) -> Values:
    """Add up over threads. A new thread counts from zero; what one did before it ended is lost."""
    return {
        name: sum(
            counters[name] - last.get(thread, {}).get(name, 0.0) for thread, counters in now.items()
        )
        for name in THREAD_COUNTERS
        if all(name in counters for counters in now.values())
    }


def _sum_of_known(rows: list[Values]) -> Values:
    """Add up over processes; a sum of which a part is not told is not known."""
    first, *others = rows
    names = (name for name in first if all(name in other for other in others))
    return {name: sum(row[name] for row in rows) for name in names}


def children(process_id: int) -> list[int]:
    """Return the processes that a process has started and that have not ended."""
    content = content_of(f"/proc/{process_id}/task/{process_id}/children")
    return [int(number) for number in (content or b"").split()]
