"""What is asked of a server, as data: statements, and what becomes of their answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    """Whether a figure only ever grows, or stands where it stands."""

    COUNTER = auto()
    LEVEL = auto()


@dataclass(frozen=True)
class Figure:
    """A metric, and by what its number is multiplied to be in the metric's unit."""

    metric: str
    kind: Kind = Kind.COUNTER
    unit: float = 1.0


@dataclass(frozen=True)
class Question:
    """A statement whose answer has rows of a name and a number, for servers of some versions.

    ``figures`` are by name. A name that is in none of them is of ``labelled``, whose metric has a
    place for it; without that, such a row counts for nothing.
    """

    name: str
    sql: str
    figures: dict[str, Figure]
    labelled: Figure | None = None
    since: int = 0
    before: int | None = None
    only_where: str | None = None
    """A statement that says 1 where it is of any use to ask."""

    def is_for(self, version: int) -> bool:
        """Tell whether a server of this version knows what is asked."""
        return self.since <= version and (self.before is None or version < self.before)


MILLISECOND = 1e-3
MICROSECOND = 1e-6
NANOSECOND = 1e-9
PICOSECOND = 1e-12


def counter(metric: str, unit: float = 1.0) -> Figure:
    """Return a figure that only ever grows."""
    return Figure(metric, Kind.COUNTER, unit)


def level(metric: str, unit: float = 1.0) -> Figure:
    """Return a figure that stands where it stands."""
    return Figure(metric, Kind.LEVEL, unit)
