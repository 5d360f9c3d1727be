"""What keeps two results from being compared, as codes and values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class UnlikeKind(StrEnum):
    """What two parts differ in."""

    SMOKE = "smoke"
    STAND_IN = "stand-in"
    """One of them has smoke size: its figures mean nothing."""
    FACTORS = "factors"
    NO_COMMON_CELL = "no common cell"
    NO_COMMON_LEVEL = "no common level"
    """A factor of which the two have no level in common."""
    NOTHING_MEASURED = "nothing measured"
    ASKED = "asked"
    """A field of the plan that generators received."""
    DATASET = "dataset"
    DURABILITY = "durability"
    ISOLATION = "isolation"


@dataclass(frozen=True)
class Unlike:
    """One such thing, with the baseline's value and the other one's, as text."""

    kind: UnlikeKind
    what: str
    """The path of a field of the plan; empty for all else."""
    baseline_value: str
    other_value: str

    @property
    def can_be_forced(self) -> bool:
        """Whether there are figures to show all the same."""
        return self.kind not in _HOPELESS


_HOPELESS = frozenset(
    {
        UnlikeKind.FACTORS,
        UnlikeKind.NO_COMMON_CELL,
        UnlikeKind.NO_COMMON_LEVEL,
        UnlikeKind.NOTHING_MEASURED,
    }
)
