"""What can be watched: something that tells figures by the name of a metric, again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from dbdyno.resources import LOCAL_HOST, NO_MEMBER

Values = dict[str, float]
"""Figures by metric; what is not told is not in it."""


@dataclass(frozen=True)
class Subject:
    """Of whom figures are: a member in its role on a host, or the host itself."""

    role: str
    member: str = NO_MEMBER
    host: str = LOCAL_HOST


class Source(Protocol):
    """Something that is read each interval, always by one thread."""

    @property
    def subject(self) -> Subject:
        """Of whom the figures are."""

    def sample(self) -> Values:
        """Return what was added since the last call, and the levels of now.

        The first call has levels alone.
        """


class Growth:
    """Counters as they were a moment ago."""

    def __init__(self, last: Mapping[str, float] | None = None) -> None:
        self._last = dict(last or {})

    def began_again(self, counters: Mapping[str, float]) -> bool:
        """Tell whether any has become less since the last call of ``added``."""
        return any(value < self._last.get(name, value) for name, value in counters.items())

    def added(self, counters: Mapping[str, float]) -> Values:
        """Return how much each has grown since the last call.

        One that is new is left out, and so is one that has become less: it began again at zero.
        """
        last, self._last = self._last, dict(counters)
        return {
            name: value - last[name]
            for name, value in counters.items()
            if name in last and value >= last[name]
        }
