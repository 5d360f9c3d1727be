"""Which of several generators have said nothing for too long: interval events are the heartbeat."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.protocol.events import Standing

LATE_INTERVALS = 3
LOST_INTERVALS = 10

SHORTEST_BEAT_S = 1.0
"""Intervals may be shorter than a busy machine makes a process wait for a CPU."""

LONGEST_LOOK_S = 1.0
"""Whoever looks less often was held up itself, and has heard nobody meanwhile."""


class Silence:
    """Knows when each generator was heard last."""

    def __init__(self, generators: int, interval_s: float) -> None:
        self._beat_s = max(interval_s, SHORTEST_BEAT_S)
        self._expected = set(range(generators))
        self._heard_s: dict[int, float] = {}
        self._late: set[int] = set()
        self._looked_s = 0.0

    def begin(self, time_s: float) -> None:
        """Count silence from a time on."""
        self._looked_s = time_s
        self._heard_s = dict.fromkeys(self._expected, time_s)

    def hear(self, generator: int, time_s: float) -> bool:
        """Note that a generator was heard; tell whether it was late."""
        self._heard_s[generator] = max(time_s, self._heard_s.get(generator, time_s))
        was_late = generator in self._late
        self._late.discard(generator)
        return was_late

    def end(self, generator: int) -> None:
        """Expect nothing more of a generator."""
        self._expected.discard(generator)

    def look(self, now_s: float) -> Iterator[tuple[int, Standing]]:
        """Yield generators that have turned late, or are lost and need not be looked at again."""
        held_up_s = max(0.0, now_s - self._looked_s - LONGEST_LOOK_S)
        self._looked_s = max(self._looked_s, now_s)
        for generator in sorted(self._expected):
            self._heard_s[generator] += held_up_s
            missed = (now_s - self._heard_s[generator]) / self._beat_s
            if missed > LOST_INTERVALS:
                self.end(generator)
                yield generator, "lost"
            elif missed > LATE_INTERVALS and generator not in self._late:
                self._late.add(generator)
                yield generator, "late"
