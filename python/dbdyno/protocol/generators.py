"""Several generators that make one load: what each makes of it, and how."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator
from pydantic.dataclasses import dataclass

from dbdyno.protocol.form import left_out
from dbdyno.protocol.waiting import NAP, SLEEP, SPIN

OnLoss = Literal["fail", "finish_marked"]
"""What becomes of a trial that has lost a generator: it fails, or goes on and says so."""

Placement = Literal["elsewhere", "other_cpus", "same_cpus", "unknown"]
"""Where the server runs: on another machine, on this one on other CPUs than the generator or on the
same, or on this one on CPUs that nobody knows."""


def with_wait(values: object) -> object:
    """Take what an earlier version called ``coalesce_us`` and ``busy_poll`` in a plan."""
    if not isinstance(values, dict) or not {"coalesce_us", "busy_poll"} & values.keys():
        return values
    rest = dict(values)
    time_us, spins = rest.pop("coalesce_us", None), rest.pop("busy_poll", False)
    waited = NAP if time_us is None else f"{time_us}us" if time_us else SLEEP
    return rest | {"wait": SPIN if spins else waited}


@dataclass(frozen=True, kw_only=True)
class SharePlan:
    """What one of several generators makes of the load.

    It is the parts from ``begin`` up to ``end``, of ``of`` equal parts. All generators of a trial
    have the same ``of``, and each part is one generator's.
    """

    index: int
    """The generator's number, from 0 on."""
    begin: int
    end: int
    of: int

    def clients(self, clients: int) -> int:
        """Return how many of a trial's clients this generator has."""
        return clients * self.end // self.of - clients * self.begin // self.of


@dataclass(frozen=True, kw_only=True)
class GeneratorPart:
    """One of several generators: what it makes of the load, and how."""

    share: SharePlan
    workers: int
    wait: str = NAP
    placement: Placement = "unknown"
    cpus: tuple[int, ...] = left_out(())
    """Empty: any."""
    to: tuple[str, ...] = left_out(())
    """The hosts of the URL that its clients connect to, as they stand there, or the names of a
    cluster's servers; empty: all of them."""
    host: str = left_out("")
    """Where it runs; empty: on the runner's machine."""

    _read_older = model_validator(mode="before")(with_wait)
