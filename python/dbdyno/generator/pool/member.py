"""One generator of a pool, wherever it runs, and what is heard of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Protocol

from dbdyno.errors import DbdynoError
from dbdyno.protocol.events import TrialEvent


class Member(Protocol):
    """A generator that can be told when to start and when to stop, and is heard meanwhile."""

    @property
    def start_ahead_s(self) -> float:
        """How long before the start of the load it wants to be told of it."""

    def trial_events(self, wants_stop: Callable[[], bool]) -> Iterator[TrialEvent]:
        """Yield what it says until it ends; an error where it cannot say how it ended."""

    def start_at(self, time_ns: int) -> None:
        """Say when the load begins, by the monotonic clock of the calling process."""

    def begin_window_at(self, index: int) -> None:
        """Say with which interval of the warm-up the window begins; events tell what came of it."""

    def stop(self) -> None:
        """Ask it to end the load now; its last events still come."""

    def end_by_force(self) -> object:
        """End it where it stands."""


@dataclass(frozen=True)
class Ended:
    """A generator says nothing any more; ``error`` is why, where it should have."""

    error: DbdynoError | None = None


@dataclass(frozen=True)
class Heard:
    """What was heard of which generator, and when by this process's clock."""

    index: int
    said: TrialEvent | Ended
    time_s: float


def listen(index: int, member: Member, heard: SimpleQueue[Heard]) -> Thread:
    """Put what a generator says into a queue, from a thread of its own that ends with it."""
    thread = Thread(target=_listen, args=(index, member, heard), daemon=True)
    thread.start()
    return thread


def _listen(index: int, member: Member, heard: SimpleQueue[Heard]) -> None:
    ended = Ended()
    try:
        for event in member.trial_events(lambda: False):
            heard.put(Heard(index, event, time.monotonic()))
    except DbdynoError as error:
        ended = Ended(error)
    finally:
        heard.put(Heard(index, ended, time.monotonic()))
