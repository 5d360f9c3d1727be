"""Loads and drops the tables, and tells how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dbdyno.errors import RunError
from dbdyno.generator.dataset import carry_out
from dbdyno.interruption import Interruption
from dbdyno.peers.tpcc.request import TpccRequest
from dbdyno.protocol import events

RESUME = "the same call resumes where it stopped"


@dataclass(frozen=True)
class Loading:
    """How far a load is."""

    rows: int
    rows_total: int
    elapsed_s: float

    @property
    def rows_per_s(self) -> float:
        """The rate so far."""
        return self.rows / self.elapsed_s if self.elapsed_s else 0.0

    @property
    def left_s(self) -> float | None:
        """The time that the remaining rows take at this rate; None where there is no rate yet."""
        rate = self.rows_per_s
        return max(self.rows_total - self.rows, 0) / rate if rate else None


@dataclass(frozen=True)
class Loaded:
    """What was loaded."""

    rows: int
    resumed_rows: int
    elapsed_s: float
    index_s: float
    method: str
    fingerprint: str
    refusals: tuple[str, ...] = ()
    """What the server would not have, and the tables do without."""

    @property
    def rows_s(self) -> float:
        """The time without that for indexes and keys."""
        return max(self.elapsed_s - self.index_s, 0.0)

    @property
    def rows_per_s(self) -> float:
        """Rows of this load by ``rows_s``."""
        return (self.rows - self.resumed_rows) / self.rows_s if self.rows_s else 0.0


def load(request: TpccRequest, tell: Callable[[Loading], None]) -> Loaded:
    """Make the tables and fill them; ``RunError`` where one is there already.

    A load that was cut short is continued.
    """

    def tell_loading(event: events.Loading) -> None:
        tell(Loading(event.rows, event.rows_total, event.elapsed_s))

    plan, address = request.dataset_plan("load"), request.address
    with Interruption(noted=lambda: None, advice=RESUME) as stop:
        outcome = carry_out(
            plan, address.url, address.password, wants_stop=stop.is_requested, tell=tell_loading
        )
        loaded = outcome.loaded
        if loaded is None:
            stop.check()
            raise RunError("the load ended before all rows were there")
        return Loaded(
            rows=loaded.rows,
            resumed_rows=loaded.resumed_rows,
            elapsed_s=loaded.elapsed_s,
            index_s=loaded.index_s,
            method=loaded.method,
            fingerprint=outcome.fingerprint,
            refusals=loaded.refusals,
        )


def drop(request: TpccRequest) -> None:
    """Remove the tables that are there."""
    address = request.address
    carry_out(request.dataset_plan("drop"), address.url, address.password)
