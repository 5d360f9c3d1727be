"""Ctrl-C: the first one asks for an end in order, the second one ends at once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Self

from dbdyno.errors import RunError


class RunInterruptedError(RunError):
    """The run was stopped before its end; what was measured is kept."""


class RunEndedAtOnceError(RunInterruptedError):
    """The run was stopped by somebody who does not want to wait for anything more."""


_STOPPED = "stopped; "
_ENDED_AT_ONCE = "ended at once; "


def was_interruption(reason: str) -> bool:
    """Tell whether this is why a run ended that somebody stopped."""
    return reason.startswith((_STOPPED, _ENDED_AT_ONCE))


class Interruption:
    """Notes SIGINT and SIGTERM while it is entered, and calls ``noted`` for the first one.

    ``noted`` is called in the midst of whatever runs, and so it must not print anything.
    ``advice`` is what the user should know when the run has ended.
    """

    def __init__(self, noted: Callable[[], None], advice: str) -> None:
        self._noted = noted
        self._advice = advice
        self._requested = False
        self._previous: dict[signal.Signals, signal._HANDLER] = {}

    def is_requested(self) -> bool:
        """Tell whether the run is to end."""
        return self._requested

    def check(self) -> None:
        """Raise ``RunInterruptedError`` where the run is to end."""
        if self._requested:
            raise RunInterruptedError(f"{_STOPPED}{self._advice}")

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self._requested:
            raise KeyboardInterrupt
        self._requested = True
        self._noted()

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            raise RunEndedAtOnceError(f"{_ENDED_AT_ONCE}{self._advice}") from None
