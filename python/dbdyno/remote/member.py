"""A generator on another host, as one of a pool.

What it says comes here, and what it is told goes there. Its times are turned into those of this
machine's clock, and how well that is known is said before its last word.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from dbdyno.agent import load
from dbdyno.errors import InputError, RunError
from dbdyno.protocol.events import (
    Connected,
    End,
    HostClock,
    Refused,
    Started,
    TrialEvent,
    WindowMoved,
    WindowStart,
    decode,
)
from dbdyno.protocol.generators import GeneratorPart
from dbdyno.remote.clock import ClockOffset, measure_offset
from dbdyno.remote.hosts import GeneratorHosts

WAKE_UP_S = 0.2
LAST_WORD_S = 2.0
"""A worker that has died takes its last messages with it, or they are here by then."""

SHORTEST_AHEAD_S = 2.0
ROUND_TRIPS_AHEAD = 20


class RemoteGenerator:
    """One load on one host. It begins when it is made."""

    def __init__(self, hosts: GeneratorHosts, host: str, index: int, order: load.Order) -> None:
        self._hosts = hosts
        self._host = host
        self._index = index
        self._name = order.name
        self._heard: SimpleQueue[load.Message] = SimpleQueue()
        self._clock = ClockOffset(0, 0)
        self._given_up = False
        hosts.client.subscribe_topic(order.name, self._hear)
        self._agent = hosts.reach(host)
        self._future = hosts.client.submit(
            load.make_load,
            order,
            workers=[self._agent],
            allow_other_workers=False,
            pure=False,
            retries=0,
            key=f"load-{order.name}",
        )

    def _hear(self, event: tuple[float, load.Message]) -> None:
        self._heard.put(event[1])

    @property
    def start_ahead_s(self) -> float:
        """From saying when to start to the start: so long that word is sure to come in time."""
        return max(SHORTEST_AHEAD_S, ROUND_TRIPS_AHEAD * 2 * self._clock.bound_ns / 1e9)

    def trial_events(self, wants_stop: Callable[[], bool]) -> Iterator[TrialEvent]:
        """Yield what it says until it ends; an error where it cannot say how it ended."""
        has_stopped = False
        for message in self._messages():
            if not has_stopped and wants_stop():
                has_stopped = True
                self.stop()
            if "line" in message:
                yield from self._take(message["line"])

    def _messages(self) -> Iterator[load.Message]:
        silent_since_s: float | None = None
        while not self._given_up:
            try:
                message = self._heard.get(timeout=WAKE_UP_S)
            except Empty:
                # The future of a load that its worker has not begun waits for that worker for ever.
                if self._future.done() or not self._hosts.is_there(self._agent):
                    silent_since_s = silent_since_s or time.monotonic()
                    if time.monotonic() - silent_since_s > LAST_WORD_S:
                        raise self._lost() from None
                continue
            if message.get("over"):
                # A result that nobody wants is not made anew when its worker goes.
                self._future.release()
                if "message" in message:
                    error = InputError if message["kind"] == "input" else RunError
                    raise error(f"host {self._host}: {message['message']}")
                return
            yield message

    def _lost(self) -> RunError:
        error = self._future.exception() if self._future.status == "error" else None
        kind = "" if error is None else f" ({type(error).__name__})"
        return RunError(f"host {self._host}: its agent is gone{kind}")

    def _take(self, line: str) -> Iterator[TrialEvent]:
        event = decode(line.encode())
        assert isinstance(event, TrialEvent), "no dataset was asked for"
        assert not isinstance(event, Refused)
        if isinstance(event, Connected):
            self._clock = self._measure()
        elif isinstance(event, Started | WindowMoved):
            event = replace(event, window_start=self._here(event.window_start))
        elif isinstance(event, End):
            yield self._clocks()
        yield event

    def _measure(self) -> ClockOffset:
        address = self._hosts.address(self._host)

        def ask() -> tuple[int, int]:
            try:
                seen, answered = self._hosts.client.run(load.read_clock, workers=[address])[address]
            except OSError as error:
                raise RunError(f"host {self._host} cannot be reached: {error}") from error
            return int(seen), int(answered)

        return measure_offset(ask)

    def _here(self, window_start: WindowStart) -> WindowStart:
        """Return when the window begins by this machine's clocks."""
        monotonic_ns = self._clock.here(window_start.monotonic_ns)
        ago_ns = time.monotonic_ns() - monotonic_ns
        return WindowStart(
            unix_ns=time.time_ns() - ago_ns, monotonic_ns=monotonic_ns, boot_id=own_boot_id()
        )

    def _clocks(self) -> HostClock:
        try:
            end = self._measure()
        except RunError:
            end = self._clock
        return HostClock(
            generator_index=self._index,
            host=self._host,
            offset_ns=self._clock.offset_ns,
            bound_ns=self._clock.bound_ns,
            end_offset_ns=end.offset_ns,
            end_bound_ns=end.bound_ns,
        )

    def start_at(self, time_ns: int) -> None:
        """Say when the load begins, by this machine's monotonic clock."""
        self._tell(load.start_at, self._clock.there(time_ns))

    def begin_window_at(self, index: int) -> None:
        """Say with which interval of the warm-up the window begins; events tell what came of it."""
        self._tell(load.begin_window_at, index)

    def stop(self) -> None:
        """Ask it to end the load now; its last events still come."""
        self._tell(load.stop)

    def end_by_force(self) -> None:
        """End it where it stands, if its host can still be told; hear it no more."""
        self._given_up = True
        self._tell(load.end_by_force)

    def _tell(self, function: Callable[..., None], *arguments: object) -> None:
        """Have something done there, and don't wait for it: the host may be gone."""

        def tell() -> None:
            from distributed.comm import CommClosedError

            try:
                address = self._hosts.address(self._host)
                self._hosts.client.run(function, self._name, *arguments, workers=[address])
            except (OSError, RunError, CommClosedError):
                # Whoever waits for it to do that will miss it.
                return

        Thread(target=tell, daemon=True).start()


def own_boot_id() -> str | None:
    """Return which boot of this machine its monotonic clock is of."""
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text().strip() if path.exists() else None


def start_elsewhere(
    hosts: GeneratorHosts,
    part: GeneratorPart,
    plan: bytes,
    password: str | None,
    silence_limit_s: float,
) -> RemoteGenerator:
    """Start one of several generators on its host."""
    order = load.Order(hosts.next_load(), plan, password, part.cpus, silence_limit_s)
    return RemoteGenerator(hosts, part.host, part.share.index, order)
