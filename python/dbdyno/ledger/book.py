"""A trial's book: opened before the load, closed after it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace

from dbdyno._native import Session
from dbdyno.errors import DbdynoError
from dbdyno.ledger.amounts import Amount
from dbdyno.ledger.asked import Asked, ask
from dbdyno.ledger.evidence import Entry, Evidence, Standing, compare
from dbdyno.ledger.others import (
    count_settled_writes,
    count_writes,
    most_sent,
    nobody_else_wrote,
)
from dbdyno.ledger.rows import read_back
from dbdyno.ledger.tpcc import tpcc_amounts
from dbdyno.protocol.events import End, Ledger, StatementCount
from dbdyno.protocol.workload_plan import WorkloadPlan

Connect = Callable[[], AbstractContextManager[Session]]
"""Opens a connection whose errors are ``DbdynoError``."""

SETTLES_WITHIN_S = 10.0
"""So long what is missing may still come: from a node that applies what another has committed."""
FIRST_PAUSE_S = 0.1

NO_LEDGER = "the generator ended without handing over what was acknowledged"


@dataclass(frozen=True)
class Book:
    """What is asked, and what it was before the load."""

    connect: Connect
    database: str
    asked: Asked
    before: tuple[tuple[Amount, int], ...] = ()
    writes_counted: int | None = None

    def close(self, end: End | None) -> Evidence:
        """Read the amounts again, and hold them against what a generator has said in the end.

        What is missing is waited for, a little.
        """
        if not self.asked.writes or not (self.before or self.asked.rows):
            return Evidence(left_out=self.asked.left_out, writes=self.asked.writes)
        if end is None or end.ledger is None:
            return Evidence(left_out=(NO_LEDGER,))
        deadline_s, pause_s = time.monotonic() + SETTLES_WITHIN_S, FIRST_PAUSE_S
        while True:
            evidence = self._compare(end.ledger, end.statements)
            is_settled = evidence.standing in (Standing.HOLDS, Standing.NOT_CHECKED)
            if is_settled or time.monotonic() > deadline_s:
                return evidence
            time.sleep(pause_s)
            pause_s *= 2

    def _compare(self, ledger: Ledger, statements: Sequence[StatementCount]) -> Evidence:
        found: list[Entry | str] = []
        rows = None
        try:
            with self.connect() as session:
                _catch_up(session, self.database)
                sent = most_sent(self.database, statements)
                counted = count_writes(session, self.database)
                is_alone = nobody_else_wrote(self.writes_counted, counted, sent)
                for amount, before in self.before:
                    change, after = ledger.changes[amount.name], amount.read(session)
                    found.append(compare(amount, change, before, after, is_alone=is_alone))
                if self.asked.rows is not None and ledger.writes is not None:
                    rows = read_back(session, self.asked.rows, ledger.writes)
        except (DbdynoError, RuntimeError) as error:
            return Evidence(left_out=(f"the tables cannot be read: {error}",))
        reasons = (reason for reason in found if isinstance(reason, str))
        return Evidence(
            entries=tuple(entry for entry in found if isinstance(entry, Entry)),
            left_out=(*self.asked.left_out, *reasons),
            rows=rows,
            is_alone=is_alone,
        )


def open_book(connect: Connect, database: str, workload: WorkloadPlan) -> Book:
    """Note what is stored before the load. ``database`` is mysql, postgresql or sqlite."""
    try:
        with connect() as session:
            _catch_up(session, database)
            asked, before = _read_before(session, _ask(session, database, workload))
            return Book(connect, database, asked, before, count_settled_writes(session, database))
    except (DbdynoError, RuntimeError, ValueError) as error:
        reason = f"the tables cannot be read: {error}"
        return Book(connect, database, Asked((), None, (reason,), writes=True))


def _catch_up(session: Session, database: str) -> None:
    """Have a node of Galera apply what others have committed before it answers.

    Servers that know no such variable refuse it, and need nothing.
    """
    if database == "mysql":
        with suppress(RuntimeError):
            session.query("SET SESSION wsrep_sync_wait = 1")


def _read_before(session: Session, asked: Asked) -> tuple[Asked, tuple[tuple[Amount, int], ...]]:
    """Read the amounts; one that a layer in front of the server cannot tell is left out."""
    before: list[tuple[Amount, int]] = []
    left_out = list(asked.left_out)
    for amount in asked.amounts:
        try:
            before.append((amount, amount.read(session)))
        except (DbdynoError, RuntimeError, ValueError) as error:
            left_out.append(f"{amount.title}: {error}")
    return replace(asked, left_out=tuple(left_out)), tuple(before)


def _ask(session: Session, database: str, workload: WorkloadPlan) -> Asked:
    if "tpcc" in workload:
        amounts = tpcc_amounts(session, database, workload["tpcc"]["schema"])
        return Asked(tuple(amounts), None, (), writes=True)
    return ask(session, database, workload)
