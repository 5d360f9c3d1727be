"""CPUs that were busy in the trial at hand: what is shown of them now, and over its window.

They come from the threads of watchers, one watcher after the other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dbdyno.protocol.events import Started, TrialEvent, WarmupEnded
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.resources import GENERATOR, HOST, LOCAL_HOST, SERVER
from dbdyno.watch.cpu_use import CpuReading, CpuUse
from dbdyno.watch.series.source import Subject

MISSED_INTERVALS = 3
"""A figure that has not been told anew for so long is not known any more."""

NOT_KNOWN = "–"
_ORDER = (HOST, SERVER, GENERATOR)


@dataclass(frozen=True)
class ShownUse:
    """What is shown of a member or a host; no number where it is not known any more."""

    subject: Subject
    busy_cpus: float | None
    cpus: int | None = None

    def in_words(self) -> str:
        """Return ``mysql 0.91``, or of a host ``host 1.87 of 2``."""
        of = "" if self.cpus is None else f" of {self.cpus}"
        return f"{name_of(self.subject)} {_cpus(self.busy_cpus)}{of}"


def name_of(subject: Subject) -> str:
    """Return what a member or a host is called on the screen."""
    if subject.role == HOST:
        return "host" if subject.host == LOCAL_HOST else f"host {subject.host}"
    return subject.member


def _cpus(busy_cpus: float | None) -> str:
    if busy_cpus is None:
        return NOT_KNOWN
    return f"{busy_cpus:.{2 if busy_cpus < 9.995 else 1}f}"


def line_of(start: str, uses: Sequence[ShownUse], width: int | None = None) -> str:
    """Return all of these in one line, or the busiest where there is no room for all.

    This machine stays before any other, because it is what server and generator share. "" where
    there is no room for even one.
    """
    by_weight = sorted(uses, key=_weight)
    for count in range(len(uses), 0, -1):
        kept = set(by_weight[:count])
        words = [use.in_words() for use in uses if use in kept]
        if count < len(uses):
            words.append(f"{len(uses) - count} more")
        line = f"{start}{', '.join(words)}"
        if width is None or len(line) <= width:
            return line
    return ""


def _weight(use: ShownUse) -> tuple[bool, float]:
    is_here = use.subject == Subject(HOST, host=LOCAL_HOST)
    return not is_here, -(use.busy_cpus or 0.0)


@dataclass(frozen=True)
class _Told:
    use: CpuUse
    at_s: float
    duration_s: float


class CpuFigures:
    """What watchers have told of the trial at hand; may be asked by any thread."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._last: dict[Subject, _Told] = {}
        self._window: tuple[float, float] | None = None
        self._busy_s: dict[Subject, float] = {}
        self._seen_s: dict[Subject, float] = {}

    def add(self, reading: CpuReading) -> None:
        """Take in what has just been read."""
        now_s = self._clock_s()
        with self._lock:
            counts = self._lies_in_window(now_s - reading.duration_s, now_s)
            for use in reading.uses:
                self._last[use.subject] = _Told(use, now_s, reading.duration_s)
                if counts:
                    busy_s = use.busy_cpus * reading.duration_s
                    self._busy_s[use.subject] = self._busy_s.get(use.subject, 0.0) + busy_s
                    seen_s = self._seen_s.get(use.subject, 0.0) + reading.duration_s
                    self._seen_s[use.subject] = seen_s

    def follow(self, event: TrialEvent, plan: TrialPlan) -> None:
        """Learn from a generator's event when the window begins."""
        if isinstance(event, Started):
            self.window_begins(plan.warmup_s, plan.duration_s)
        elif isinstance(event, WarmupEnded):
            self.window_is_earlier(event.early_s)

    def window_begins(self, in_s: float, duration_s: float) -> None:
        """Say when the window begins, which may be said again."""
        with self._lock:
            start_s = self._clock_s() + in_s
            self._window = start_s, start_s + duration_s

    def window_is_earlier(self, early_s: float) -> None:
        """Say that the window begins so much earlier than was said."""
        with self._lock:
            if self._window is not None:
                self._window = self._window[0] - early_s, self._window[1] - early_s

    def _lies_in_window(self, start_s: float, end_s: float) -> bool:
        return self._window is not None and self._window[0] <= start_s and end_s <= self._window[1]

    def now(self) -> tuple[float, list[ShownUse]]:
        """Return the length of the last interval, and what each used in it."""
        now_s = self._clock_s()
        with self._lock:
            told = list(self._last.values())
        uses = [
            ShownUse(each.use.subject, _unless_old(each, now_s), each.use.cpus) for each in told
        ]
        latest = max(told, key=lambda each: each.at_s, default=None)
        return 0.0 if latest is None else latest.duration_s, _in_order(uses)

    def window(self) -> list[ShownUse]:
        """Return the means of the intervals that lie in the window; none where it is too short."""
        with self._lock:
            return _in_order(
                ShownUse(subject, busy_s / self._seen_s[subject], self._last[subject].use.cpus)
                for subject, busy_s in self._busy_s.items()
            )


def _unless_old(told: _Told, now_s: float) -> float | None:
    is_old = now_s - told.at_s > MISSED_INTERVALS * told.duration_s
    return None if is_old else told.use.busy_cpus


def _in_order(uses: Iterable[ShownUse]) -> list[ShownUse]:
    """Put hosts first, this machine before others; members stay in the order of the target."""
    return sorted(
        uses, key=lambda use: (_ORDER.index(use.subject.role), use.subject.host != LOCAL_HOST)
    )
