"""Starts a generator process, hands it its plan, and reads what it says."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from types import TracebackType
from typing import Self

from dbdyno.errors import DbdynoError, InputError, RunError, StatementError
from dbdyno.password import PASSWORD_VARIABLE, environment
from dbdyno.protocol.events import (
    DatasetEvent,
    Refused,
    TrialEvent,
    decode,
)

WAKE_UP_S = 0.2
"""How often a caller that reads events is asked whether it wants to stop."""

STOP_LIMIT_S = 30.0
"""So long it may say nothing once it was told to stop: a server may owe an answer for ever."""

KILL_AFTER_S = 10.0
"""So long may its end take once it has said its last word; after that it is ended by force."""

READ_BYTES = 1 << 20

START_AHEAD_S = 0.6
"""A generator looks every 50 ms whether it was told, and gives its workers 250 ms."""

SHOWN_BYTES = 80
"""So much of a line is shown that should be an event and is none."""


_REFUSALS: Mapping[str, type[DbdynoError]] = {"input": InputError, "statement": StatementError}


def _accepted(line: bytes) -> TrialEvent | DatasetEvent:
    """Return the event that a line holds; a refusal is raised as the error that it is."""
    try:
        event = decode(line)
    except ValueError:
        raise RunError(f"the generator said {line[:SHOWN_BYTES]!r}, which is no event") from None
    if isinstance(event, Refused):
        raise _REFUSALS.get(event.kind, RunError)(event.message)
    return event


class GeneratorLostError(RunError):
    """A generator ended without saying that it would: what it was asked for stays unknown."""


class GeneratorProcess:
    """One generator; as a context manager it leaves no process behind.

    It runs in a session of its own, so that Ctrl-C at the terminal reaches the runner alone.
    """

    def __init__(
        self,
        plan: bytes,
        *,
        password: str | None,
        cpus: Sequence[int] = (),
        silence_limit_s: float,
    ) -> None:
        """Start it; ``silence_limit_s`` is the longest time without any event."""
        given = {} if password is None else {PASSWORD_VARIABLE: password}
        self._silence_limit_s = silence_limit_s
        # A file without a name: nothing of it is left, however this process ends.
        self._complaints = TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            # -P: what lies in the current directory is not to be taken for one of our modules.
            [sys.executable, "-P", "-m", "dbdyno.generator"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env=environment() | given,
            start_new_session=True,
        )
        try:
            self._hand_over(plan, cpus)
        except BaseException:
            self.end_by_force()
            raise

    def _hand_over(self, plan: bytes, cpus: Sequence[int]) -> None:
        if cpus:
            # The plan has not been sent yet, so no thread has started that would not inherit it.
            try:
                os.sched_setaffinity(self._process.pid, cpus)
            except OSError as error:
                raise RunError(
                    f"the generator cannot be bound to CPUs {sorted(cpus)}: {error.strerror}"
                ) from error
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(plan + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise GeneratorLostError(self._sudden_end()) from None

    def start_at(self, time_ns: int) -> None:
        """Say when a load begins whose plan waits for that, by this machine's monotonic clock."""
        self._command(start_at_ns=time_ns)

    def begin_window_at(self, index: int) -> None:
        """Say with which interval of the warm-up the window begins; events tell what came of it."""
        self._command(window_at_index=index)

    def stop(self) -> None:
        """Ask it to end the load now; its last events still come."""
        self._command(stop=True)

    def _command(self, **command: int | bool) -> None:
        """Say something to the generator; one that has ended needs to know nothing any more."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()

    @property
    def start_ahead_s(self) -> float:
        """How long before the start of a load it wants to be told of it."""
        return START_AHEAD_S

    @property
    def process_id(self) -> int:
        """The generator's process, for the watcher."""
        return self._process.pid

    def events(
        self, wants_stop: Callable[[], bool] = lambda: False
    ) -> Iterator[TrialEvent | DatasetEvent]:
        """Yield what it says until it ends; when ``wants_stop`` turns true, end it in order.

        ``InputError`` where it refuses the plan. ``RunError`` where it fails, ends without a word,
        or says nothing for too long.
        """
        heard_s, silence_limit_s = time.monotonic(), self._silence_limit_s
        has_spoken = stopping = False
        for line in self._lines():
            if not stopping and wants_stop():
                stopping, silence_limit_s = True, min(silence_limit_s, STOP_LIMIT_S)
                heard_s = time.monotonic()
                self.stop()
            if line:
                has_spoken, heard_s = True, time.monotonic()
                yield _accepted(line)
            elif time.monotonic() - heard_s > silence_limit_s:
                raise RunError(f"the generator said nothing for {silence_limit_s:.0f} s")
        status = self._wait_for_end()
        if status != 0 or not has_spoken:
            raise GeneratorLostError(self._sudden_end())

    def trial_events(self, wants_stop: Callable[[], bool] = lambda: False) -> Iterator[TrialEvent]:
        """Yield the same of a generator that was given the plan of a trial."""
        for event in self.events(wants_stop):
            assert isinstance(event, TrialEvent), "no dataset was asked for"
            yield event

    def _lines(self) -> Iterator[bytes]:
        """Yield whole lines as they come, and an empty one whenever a while has passed."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        pending = b""
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while True:
                if not selector.select(WAKE_UP_S):
                    yield b""
                    continue
                received = os.read(descriptor, READ_BYTES)
                if not received:
                    return
                *lines, pending = (pending + received).split(b"\n")
                yield from (line for line in lines if line)

    def _sudden_end(self) -> str:
        status = self._wait_for_end()
        how = (
            f"was ended by {signal.Signals(-status).name}"
            if status < 0
            else f"ended with status {status}"
        )
        self._complaints.seek(0)
        complaints = self._complaints.read().decode(errors="replace").strip().splitlines()
        why = f": {complaints[-1]}" if complaints else ", without saying why"
        return f"the generator {how}{why}"

    def _wait_for_end(self) -> int:
        try:
            return self._process.wait(KILL_AFTER_S)
        except subprocess.TimeoutExpired:
            return self.end_by_force()

    def end_by_force(self) -> int:
        """End it where it stands, and return its status."""
        self._process.kill()
        return self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                # It has said its last word and is about to end.
                self._wait_for_end()
        finally:
            self.end_by_force()
            self._complaints.close()
            if self._process.stdin is not None:
                # What was not sent to it goes nowhere any more.
                with suppress(BrokenPipeError):
                    self._process.stdin.close()
            if self._process.stdout is not None:
                self._process.stdout.close()
