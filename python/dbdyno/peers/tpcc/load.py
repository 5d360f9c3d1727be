"""Loads and drops the tables, and tells how far it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from dbdyno.database.address import Address
from dbdyno.database.session import open_session
from dbdyno.errors import DbdynoError, RunError
from dbdyno.generator.dataset import carry_out
from dbdyno.interruption import Interruption
from dbdyno.peers.tpcc.request import TpccRequest
from dbdyno.protocol import events

_THERE = re.compile(r"\btable (\w+) (?:is there already|has rows already)")

RESUME = "the same call resumes where it stopped"


@dataclass(frozen=True)
class Loading:
    """How far a load is."""

    rows: int
    rows_total: int
    elapsed_s: float
    resumed_rows: int = 0
    """Those that were there when this load began."""

    @property
    def rows_per_s(self) -> float:
        """The rate of this load so far."""
        return (self.rows - self.resumed_rows) / self.elapsed_s if self.elapsed_s else 0.0

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
    resumed_rows = 0

    def tell_loading(event: events.Loading) -> None:
        nonlocal resumed_rows
        if not event.elapsed_s:
            resumed_rows = event.rows
        tell(Loading(event.rows, event.rows_total, event.elapsed_s, resumed_rows))

    plan, address = request.dataset_plan("load"), request.address
    with Interruption(noted=lambda: None, advice=RESUME) as stop:
        try:
            outcome = carry_out(
                plan, address.url, address.password, wants_stop=stop.is_requested, tell=tell_loading
            )
        except RunError as error:
            raise RunError(f"{error}{_advice(address, str(error))}") from error
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


def _advice(address: Address, message: str) -> str:
    """Return what helps where a server refuses the tables, to be put behind its words."""
    there = _THERE.search(message)
    if there is None or address.kind != "postgresql":
        return ""
    with suppress(DbdynoError), open_session(address.url, address.password) as session:
        ((new, old),) = session.query(
            "SELECT current_schema(), (SELECT nspname FROM pg_namespace n JOIN pg_class c "
            f"ON c.relnamespace = n.oid WHERE c.oid = to_regclass('{there[1]}'))"
        )
        if new and old and new != old:
            return (
                f"; it is in the schema {old}, and new tables would go to {new}: to load there, "
                f"leave {old} out of the role's path: ALTER ROLE … SET search_path = {new}"
            )
    return ""


def drop(request: TpccRequest) -> None:
    """Remove the tables that are there."""
    address = request.address
    carry_out(request.dataset_plan("drop"), address.url, address.password)
