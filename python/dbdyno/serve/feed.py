"""What a page is told of one result, kept for a while so that a page that was away misses nothing.

Nothing is kept for a page: each has a cursor, and asks what is new since. Points are named by what
they are, so that a page may go on with a server that knows nothing of the one before.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from dbdyno.protocol.intervals import Phase
from dbdyno.serve.course import Course
from dbdyno.serve.points import Point

POINTS_MAX = 3600
"""Those of the last hour at intervals of a second. A page keeps as many."""


@dataclass(frozen=True)
class Message:
    """One server-sent event."""

    event: str
    data: object
    id: str | None = None

    def encode(self) -> bytes:
        """Return its bytes on the way to the page."""
        data = json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))
        named = f"id: {self.id}\n" if self.id else ""
        return f"event: {self.event}\n{named}data: {data}\n\n".encode()


Ghost = tuple[str, tuple[tuple[object, ...], ...]]
"""An earlier round of a cell: its number, and the buckets of its course."""


@dataclass(frozen=True)
class Head:
    """The trial that a page shows. ``ghosts`` are the courses of earlier rounds of its cell."""

    trial: int
    started_ms: int
    warmup_s: float
    duration_s: float
    ghosts: tuple[Ghost, ...] = ()


@dataclass
class Cursor:
    """How far a page has been told."""

    place: int = 0
    """The number of the next point."""
    head: Head | None = None
    width: int = 0
    buckets: int = 0
    marks: int = 0
    parts: int = 0
    must_reset: bool = True


@dataclass
class _Part:
    html: str
    version: int


@dataclass
class Feed:
    """Written by one thread, read by others."""

    _points: deque[Point] = field(default_factory=lambda: deque(maxlen=POINTS_MAX))
    _next: int = 0
    _head: Head | None = None
    _course: Course = field(default_factory=Course)
    _marks: tuple[tuple[float, str], ...] = ()
    _mark_version: int = 0
    _parts: dict[str, _Part] = field(default_factory=dict)
    _version: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def show(self, head: Head) -> None:
        """Show another trial from now on."""
        with self._lock:
            self._head, self._course, self._marks = head, Course(), ()
            self._mark_version += 1

    def clear(self) -> None:
        """Forget all points; each page begins anew, for it has those that are forgotten."""
        with self._lock:
            self._points.clear()
            self._next += 1
            self._head, self._course, self._marks = None, Course(), ()

    def add(self, points: Sequence[Point]) -> None:
        """Add intervals; those of the trial that is shown are drawn as its course, too."""
        with self._lock:
            for point in points:
                self._points.append(point)
                self._next += 1
                head = self._head
                if point.phase == Phase.DRAIN:
                    continue
                if head and (head.trial, head.started_ms) == (point.trial, point.started_ms):
                    self._course.add(point)

    def mark(self, marks: Sequence[tuple[float, str]]) -> None:
        """Tell what happened in the trial that is shown: the second, and in words."""
        with self._lock:
            if self._marks != tuple(marks):
                self._marks, self._mark_version = tuple(marks), self._mark_version + 1

    def put(self, parts: Mapping[str, str]) -> None:
        """Put parts of the page in place, as HTML; those that stay the same are not sent again."""
        with self._lock:
            for name, html in parts.items():
                if name not in self._parts or self._parts[name].html != html:
                    self._version += 1
                    self._parts[name] = _Part(html, self._version)

    def parts(self) -> dict[str, str]:
        """Return all parts of the page."""
        with self._lock:
            return {name: part.html for name, part in self._parts.items()}

    def cursor_after(self, last_id: str | None) -> Cursor:
        """Return where a page goes on that has this point; a new one begins with all there is."""
        with self._lock:
            first = self._next - len(self._points)
            for place, point in enumerate(self._points):
                if last_id is not None and point.id == last_id:
                    return Cursor(first + place + 1, must_reset=False)
            return Cursor(first)

    def news(self, cursor: Cursor) -> list[Message]:
        """Return what a page has not been told, and move its cursor."""
        with self._lock:
            return [*self._reset(cursor), *self._of_trial(cursor), *self._of_parts(cursor)]

    def _reset(self, cursor: Cursor) -> list[Message]:
        first = self._next - len(self._points)
        if not cursor.must_reset and cursor.place >= first:
            return []
        cursor.place, cursor.head, cursor.must_reset = first, None, False
        return [Message("reset", None)]

    def _of_trial(self, cursor: Cursor) -> list[Message]:
        messages = []
        head, course = self._head, self._course
        if head is not None and cursor.head != head:
            cursor.head, cursor.width, cursor.buckets, cursor.marks = head, 0, 0, -1
            messages.append(Message("trial", vars(head)))
        new: list[Point] = []
        if cursor.place < self._next:
            known = len(self._points) - (self._next - cursor.place)
            new = list(islice(self._points, known, None))
            cursor.place = self._next
            messages.append(Message("points", [point.row() for point in new], new[-1].id))
        if new or (course.buckets and not cursor.buckets):
            # The last bucket that was sent may have grown; all have where they were drawn together.
            start = max(cursor.buckets - 1, 0) if cursor.width == course.width else 0
            rows = [bucket.row() for bucket in course.buckets[start:]]
            cursor.width, cursor.buckets = course.width, len(course.buckets)
            messages.append(Message("course", {"from": start, "buckets": rows}))
        if cursor.marks != self._mark_version:
            cursor.marks = self._mark_version
            messages.append(Message("marks", self._marks))
        return messages

    def _of_parts(self, cursor: Cursor) -> list[Message]:
        changed = {
            name: part.html for name, part in self._parts.items() if part.version > cursor.parts
        }
        cursor.parts = self._version
        return [Message("parts", changed)] if changed else []
