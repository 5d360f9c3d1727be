"""A thread that reads sources at each interval, until it is told to stop."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from types import TracebackType
from typing import Self

import polars as pl

from dbdyno.errors import DbdynoError
from dbdyno.resources import WATCHER
from dbdyno.watch.series.recorder import Recorder
from dbdyno.watch.series.source import Source, Subject, Values

STOP_LIMIT_S = 10.0
LAST_MIN_SHARE = 0.25
"""A last interval is not shorter than this share of the others: the kernel counts in ticks."""

OpenSources = Callable[[], AbstractContextManager[Sequence[Source]]]
"""Opens what belongs together; called in the thread that reads it."""

Listener = Callable[[float, Sequence[tuple[Subject, Values]]], None]
"""Is told how long an interval was, and its figures, in the thread that has read them."""


class Watcher:
    """Reads its sources in one thread; as a context manager it reads what is inside.

    ``start_s`` of its table is on CLOCK_MONOTONIC, the clock of ``time.monotonic()`` and of the
    load engine. The thread's own CPU time is the metric ``watcher.cpu_s``. A source that fails is
    read no more, and ``failures`` say why: whoever is watched goes on.
    """

    def __init__(
        self,
        name: str,
        sources: Iterable[OpenSources],
        interval_s: float = 1.0,
        also_failed: Callable[[], Sequence[str]] = tuple,
        *,
        reads_last: bool = False,
    ) -> None:
        """``also_failed`` tells what sources missed that are read on nevertheless.

        With ``reads_last`` they are read once more at the end, so that nothing of it is missing:
        for sources that answer at once.
        """
        self._subject = Subject(WATCHER, member=name)
        self._openers = tuple(sources)
        self._sources: list[Source] = []
        self._interval_s = interval_s
        self._recorder = Recorder()
        self._failures: list[str] = []
        self._also_failed = also_failed
        self._reads_last = reads_last
        self._listener: Listener | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"watcher {name}", daemon=True)

    def listen(self, listener: Listener) -> None:
        """Tell of each interval as soon as it is over; to be called before the watch begins."""
        self._listener = listener

    def table(self) -> pl.DataFrame:
        """Return all figures so far."""
        return self._recorder.table()

    def failures(self) -> tuple[str, ...]:
        """Return in words what could not be watched, or not to the end."""
        return (*self._failures, *self._also_failed())

    def stop(self) -> None:
        """Begin no interval any more; leaving the context waits for the end of the present one."""
        self._stopping.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End at once; the interval that has begun ends now, or else is left out."""
        self.stop()
        self._thread.join(STOP_LIMIT_S)
        if self._thread.is_alive():
            self._failures.append(f"{self._thread.name} did not end in {STOP_LIMIT_S:.0f} s")

    def _run(self) -> None:
        # What a server says when it is left is of no interest, the less where it is gone.
        with suppress(DbdynoError, OSError, RuntimeError), ExitStack() as stack:
            for opener in self._openers:
                try:
                    self._sources += stack.enter_context(opener())
                except (DbdynoError, OSError) as error:
                    self._tell(error)
            self._watch()

    def _watch(self) -> None:
        """Read at multiples of the interval; one that is missed makes the next one longer."""
        due_s = last_s = self._samples()[0]
        used_s = time.thread_time()
        while True:
            late_s = time.monotonic() - due_s
            due_s += self._interval_s * max(1, math.ceil(late_s / self._interval_s))
            if self._stopping.wait(due_s - time.monotonic()):
                self._read_last(last_s)
                return
            now_s, samples = self._samples()
            now_used_s = time.thread_time()
            samples.append((self._subject, {"watcher.cpu_s": now_used_s - used_s}))
            self._recorder.add(last_s, now_s - last_s, samples)
            self._tell_listener(now_s - last_s, samples)
            last_s, used_s = now_s, now_used_s

    def _read_last(self, last_s: float) -> None:
        """Keep what the interval has that has begun, unless it is so short that ticks show."""
        if not self._reads_last or time.monotonic() - last_s < LAST_MIN_SHARE * self._interval_s:
            return
        failures = tuple(self._failures)
        now_s, samples = self._samples()
        self._recorder.add(last_s, now_s - last_s, samples)
        self._failures[:] = failures  # Who has ended by now was watched to its end.

    def _tell_listener(self, duration_s: float, samples: list[tuple[Subject, Values]]) -> None:
        # Who is told may have gone on to something else by the time a slow source answers.
        if self._listener is not None and not self._stopping.is_set():
            # A listener that cannot write it down any more says so by itself: the watch goes on.
            with suppress(OSError):
                self._listener(duration_s, samples)

    def _samples(self) -> tuple[float, list[tuple[Subject, Values]]]:
        """Return when the first source had answered, and the figures of all.

        That is the host, whose CPU times add up to its CPUs by that clock. Where all CPUs are busy,
        the processes of its servers may take a fifth of a second to look at.
        """
        samples: list[tuple[Subject, Values]] = []
        read_s: float | None = None
        for source in tuple(self._sources):
            try:
                samples.append((source.subject, source.sample()))
            except (DbdynoError, OSError) as error:
                self._tell(error)
                self._sources.remove(source)
            read_s = read_s or time.monotonic()
        return read_s or time.monotonic(), samples

    def _tell(self, error: Exception) -> None:
        """Keep why something is not watched; once, where several sources end for one reason."""
        if str(error) not in self._failures:
            self._failures.append(str(error))
