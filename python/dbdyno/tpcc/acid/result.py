"""What becomes of a test: its steps as they were seen, and whether it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbdyno.tpcc.acid.scenario import Scenario


class Verdict(Enum):
    """How a test ends."""

    PASSED = "passed"
    FAILED = "FAILED"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Step:
    """Who did what, and what was seen of it."""

    who: str
    said: str


@dataclass(frozen=True)
class Finding:
    """What decides a test, in words."""

    holds: bool
    reason: str


@dataclass(frozen=True)
class AcidTest:
    """A test of clause 3.2.2 (atomicity) or 3.4.2 (isolation).

    ``phenomenon`` is what isolation must not let be seen, by its name in clause 3.4.1.
    """

    clause: str
    title: str
    phenomenon: str
    carry_out: Callable[[Scenario], Finding]


@dataclass(frozen=True)
class AcidResult:
    """A test that was carried out."""

    test: AcidTest
    verdict: Verdict
    reason: str
    steps: tuple[Step, ...]


def acid_test(
    clause: str, title: str, phenomenon: str
) -> Callable[[Callable[[Scenario], Finding]], AcidTest]:
    """Make a test of the function that carries it out."""

    def make(carry_out: Callable[[Scenario], Finding]) -> AcidTest:
        return AcidTest(clause, title, phenomenon, carry_out)

    return make
