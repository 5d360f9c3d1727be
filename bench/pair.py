"""Two programs under the same load, measured in turns: A B A B ..."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bench.size import Size
from bench.trial import Measurement

QUIET_CPUS = 0.1
"""A turn counts as it is where everything else on the machine took less, stolen time included."""

Turn = tuple[Measurement, Measurement]
"""One measurement of dbdyno, and one of its peer."""


@dataclass(frozen=True)
class Pair:
    """Measurements of one load: ``ours`` and ``theirs`` are of one length, in the order of turns.

    ``disturbed`` are the turns that were taken again.
    """

    script: str
    clients: int
    ours: list[Measurement] = field(default_factory=list)
    theirs: list[Measurement] = field(default_factory=list)
    disturbed: list[Turn] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The load in words."""
        return f"{self.script}, {self.clients} client{'s' if self.clients > 1 else ''}"

    @property
    def measurements(self) -> list[Measurement]:
        """All of dbdyno's and of the peer's that count."""
        return [*self.ours, *self.theirs]

    def take_turns(self, repeats: int, size: Size, turn: Callable[[], Turn]) -> None:
        """Take turns until so many were quiet, or until the size allows no more of them.

        Where too few were quiet, those that were disturbed least count too.
        """
        turns: list[Turn] = []
        while len(turns) < repeats * size.turns_per_repeat:
            turns.append(turn())
            if sum(other_cpus(taken) <= QUIET_CPUS for taken in turns) == repeats:
                break
        by_quiet = sorted(range(len(turns)), key=lambda index: other_cpus(turns[index]))
        counts = set(by_quiet[:repeats])
        for index, taken in enumerate(turns):
            if index in counts:
                self.ours.append(taken[0])
                self.theirs.append(taken[1])
            else:
                self.disturbed.append(taken)


def other_cpus(turn: Turn) -> float:
    """Return how many CPUs were busy for neither client nor server, in the worse half of a turn."""
    return max(measurement.other_cpus for measurement in turn)
