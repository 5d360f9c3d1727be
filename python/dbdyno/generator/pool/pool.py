"""Hears several generators at a time, and says what one would say.

Connecting → loading, once all are connected → ended. A generator that dies or says nothing for too
long while the load goes on is lost: that is said at once, the load is not shared out anew, and the
trial fails or ends with a mark, as was asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Thread

from dbdyno.errors import DbdynoError, InputError, RunError
from dbdyno.generator.pool.intervals import IntervalMerger
from dbdyno.generator.pool.member import Ended, Heard, Member, listen
from dbdyno.generator.pool.silence import LATE_INTERVALS, LOST_INTERVALS, Silence
from dbdyno.generator.pool.words import merge_connected, merge_ends
from dbdyno.protocol.events import (
    Connected,
    End,
    GeneratorStanding,
    HostClock,
    LostGenerator,
    Standing,
    Started,
    TrialEvent,
    WindowKept,
    WindowMoved,
)
from dbdyno.protocol.generators import OnLoss
from dbdyno.protocol.intervals import Interval

WAKE_UP_S = 0.2
"""How often the caller is asked whether it wants to stop, and silence is looked at."""

JOIN_S = 5.0


class Pool:
    """Generators that run, each with its share; whoever made them ends them."""

    def __init__(
        self,
        members: Sequence[Member],
        *,
        interval_s: float,
        connect_limit_s: float,
        on_loss: OnLoss,
        hosts: Sequence[str] = (),
    ) -> None:
        """Take the generators that run; ``hosts`` are where each does, "" for this machine."""
        self._members = members
        self._hosts = hosts or [""] * len(members)
        self._connect_limit_s = connect_limit_s
        self._on_loss = on_loss
        self._heard: SimpleQueue[Heard] = SimpleQueue()
        self._threads: list[Thread] = []
        self._silence = Silence(len(members), interval_s)
        self._merger = IntervalMerger(len(members))
        self._connected: dict[int, Connected] = {}
        self._ends: dict[int, End] = {}
        self._lost: list[LostGenerator] = []
        self._answers: dict[int, WindowMoved | WindowKept] = {}
        """Of each generator, what came of it that the window is to begin earlier."""
        self._over: set[int] = set()
        """Those that say nothing any more."""
        self._started = self._stopping = False

    def trial_events(self, wants_stop: Callable[[], bool]) -> Iterator[TrialEvent]:
        """Yield what happens until all have ended; when ``wants_stop`` turns true, end in order.

        ``InputError`` or ``RunError`` where a generator fails before the load begins, or all do.
        """
        self._threads = [listen(*each, self._heard) for each in enumerate(self._members)]
        yield from self._connect(wants_stop)
        yield from self._load(wants_stop)
        self.join()
        if not self._ends:
            raise RunError(self._lost[0].reason)
        yield self._end()

    def begin_window_at(self, index: int) -> None:
        """Tell all with which interval of the warm-up the window begins."""
        for number, member in enumerate(self._members):
            if number not in self._over:
                member.begin_window_at(index)

    @property
    def start_ahead_s(self) -> float:
        """How long before anything begins all must be told of it."""
        return max(member.start_ahead_s for member in self._members)

    def join(self) -> None:
        """Wait until nobody listens any more; generators have ended, or were ended by force."""
        for thread in self._threads:
            thread.join(JOIN_S)

    def _connect(self, wants_stop: Callable[[], bool]) -> Iterator[TrialEvent]:
        """Wait until all generators are connected, then say when the load begins."""
        deadline_s = time.monotonic() + self._connect_limit_s
        while len(self._connected | self._ends) < len(self._members):
            self._stop_when(wants_stop)
            if time.monotonic() > deadline_s:
                raise RunError(self._who_is_missing())
            heard = self._next()
            if heard is not None:
                self._take_before_start(heard.index, heard.said)
        if len(self._connected) == len(self._members):
            yield merge_connected([self._connected[index] for index in sorted(self._connected)])
            start_ns = time.monotonic_ns() + int(self.start_ahead_s * 1e9)
            for member in self._members:
                member.start_at(start_ns)
        self._silence.begin(time.monotonic() + self.start_ahead_s)

    def _take_before_start(self, index: int, said: TrialEvent | Ended) -> None:
        match said:
            case Connected():
                self._connected[index] = said
            case End():
                # It was stopped before it was connected.
                self._ends[index] = said
            case Ended(error):
                self._over.add(index)
                if index not in self._ends:
                    raise self._named(index, error)

    def _load(self, wants_stop: Callable[[], bool]) -> Iterator[TrialEvent]:
        while len(self._over) < len(self._members):
            self._stop_when(wants_stop)
            heard = self._next()
            if heard is not None and heard.index not in self._over:
                yield from self._take(heard)
            for index, standing in self._silence.look(time.monotonic()):
                yield from self._fell_silent(index, standing)

    def _take(self, heard: Heard) -> Iterator[TrialEvent]:
        index, said = heard.index, heard.said
        if self._silence.hear(index, heard.time_s):
            yield self._standing(index, "back", "it speaks again")
        match said:
            case Started() if not self._started:
                self._started = True
                yield Started(window_start=said.window_start)
            case HostClock():
                yield said
            case WindowMoved() | WindowKept():
                self._answers[index] = said
                yield from self._agree_on_window()
            case Interval():
                yield from self._merger.add(index, said)
            case End():
                self._ends[index] = said
                self._silence.end(index)
                yield from self._merger.end(index)
                if said.status == "failed":
                    self._stop()
            case Ended(error):
                self._over.add(index)
                self._silence.end(index)
                if index not in self._ends:
                    yield from self._lose(index, str(self._named(index, error)))

    def _agree_on_window(self) -> Iterator[TrialEvent]:
        """Say what came of it that the window is to begin earlier, once all have answered.

        ``RunError`` where it does for some and not for others: their windows are not the same.
        """
        if not self._answers or not self._answers.keys() | self._over >= set(
            range(len(self._members))
        ):
            return
        answers, self._answers = self._answers, {}
        moved = [answer for answer in answers.values() if isinstance(answer, WindowMoved)]
        kept = [answer for answer in answers.values() if isinstance(answer, WindowKept)]
        if moved and kept:
            raise RunError(
                f"{self._name(kept[0].generator_index)}: could not end its warm-up with the "
                f"others ({kept[0].reason})"
            )
        yield replace((moved or kept)[0], generator_index=0)

    def _fell_silent(self, index: int, standing: Standing) -> Iterator[TrialEvent]:
        if standing == "late":
            told = f"it has said nothing for {LATE_INTERVALS} intervals"
            yield self._standing(index, "late", told)
            return
        self._over.add(index)
        self._members[index].end_by_force()
        reason = f"said nothing for {LOST_INTERVALS} intervals and was given up"
        yield from self._lose(index, f"{self._name_with_host(index)} {reason}")

    def _lose(self, index: int, reason: str) -> Iterator[TrialEvent]:
        last_index = self._merger.last_index(index)
        self._lost.append(
            LostGenerator(generator_index=index, reason=reason, last_index=last_index)
        )
        yield self._standing(index, "lost", reason)
        yield from self._agree_on_window()
        yield from self._merger.end(index)
        if self._on_loss == "fail":
            self._stop()

    def _end(self) -> End:
        ends = [self._ends[index] for index in sorted(self._ends)]
        return merge_ends(ends, len(self._members), self._lost, loss_fails=self._on_loss == "fail")

    def _standing(self, index: int, standing: Standing, reason: str) -> GeneratorStanding:
        last_index = self._merger.last_index(index)
        return GeneratorStanding(
            generator_index=index, standing=standing, reason=reason, last_index=last_index
        )

    def _next(self) -> Heard | None:
        try:
            return self._heard.get(timeout=WAKE_UP_S)
        except Empty:
            return None

    def _stop_when(self, wants_stop: Callable[[], bool]) -> None:
        if not self._stopping and wants_stop():
            self._stop()

    def _stop(self) -> None:
        self._stopping = True
        for member in self._members:
            member.stop()

    def _name(self, index: int) -> str:
        return f"generator {index + 1} of {len(self._members)}"

    def _name_with_host(self, index: int) -> str:
        """Return a name for what a generator does not say itself: its errors have its host."""
        host = self._hosts[index]
        return f"{self._name(index)} (host {host})" if host else self._name(index)

    def _named(self, index: int, error: DbdynoError | None) -> DbdynoError:
        """Return an error that says which generator it is of."""
        if isinstance(error, InputError):
            return error
        why = "it ended without saying how the trial ended" if error is None else str(error)
        return RunError(f"{self._name(index)}: {why}")

    def _who_is_missing(self) -> str:
        missing = [index for index in range(len(self._members)) if index not in self._connected]
        names = ", ".join(map(self._name_with_host, missing))
        return f"{names} did not connect within {self._connect_limit_s:.0f} s"
