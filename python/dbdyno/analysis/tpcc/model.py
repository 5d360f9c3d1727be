"""What is found of a cell's conformance to TPC-C, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbdyno.analysis.findings import Estimate


class Standing(StrEnum):
    """How what was observed stands to what is required."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    BY_CHANCE = "outside, maybe by chance"
    """By less than three standard errors: with more transactions it may well be inside."""
    TOO_FEW = "too few to tell"
    NOT_APPLICABLE = "does not apply"


class Inapplicable(StrEnum):
    """Why a figure is not held against a requirement."""

    NONE_SEEN = "there were none"
    ONE_WAREHOUSE = "there is one warehouse"
    OTHER_SHARE = "another share was asked for"
    NO_MINIMUM = "no minimum"
    LOWER_BOUND = "a lower bound: not all were served"


class Group(StrEnum):
    """What a requirement is about."""

    INPUT = "Input"
    MIX = "Mix"
    RESPONSE = "Response time, 90th percentile"
    DELIVERY = "Deliveries"
    THROUGHPUT = "Throughput"


class Unit(StrEnum):
    """What a requirement's figures are."""

    SHARE = "share"
    NUMBER = "number"
    COUNT = "count"
    MILLISECONDS = "ms"


@dataclass(frozen=True)
class Requirement:
    """One requirement of the specification, and what was observed.

    ``low`` and ``high`` are the ends of the range, None where it has none. ``count`` is how many
    there were of what ``observed`` is a share, mean or percentile of. ``reason`` says why a
    requirement does not apply.
    """

    group: Group
    name: str
    clause: str
    unit: Unit
    low: float | None
    high: float | None
    observed: float | None
    count: int
    standard_error: float = 0.0
    standing: Standing = Standing.NOT_APPLICABLE
    reason: Inapplicable | None = None


@dataclass(frozen=True)
class Conformance:
    """One cell of TPC-C over its valid trials.

    ``new_orders_per_minute`` has those that were rolled back on purpose in it, as the specification
    has it, and ``committed_per_minute`` has not. The trials are numbered as in the plan.
    """

    is_paced: bool
    warehouses: int
    new_orders_per_minute: Estimate
    committed_per_minute: Estimate
    requirements: tuple[Requirement, ...]
    trials: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name of the throughput: tpmC only where there are keying and think times."""
        return "tpmC" if self.is_paced else "NOPM"

    @property
    def per_warehouse(self) -> float:
        """Throughput for each warehouse that has terminals."""
        return self.new_orders_per_minute.mean / self.warehouses

    def of_standing(self, *standings: Standing) -> tuple[Requirement, ...]:
        """Return the requirements of which this was found."""
        return tuple(each for each in self.requirements if each.standing in standings)
