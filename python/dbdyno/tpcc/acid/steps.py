"""Steps: statements one after the other, each written with what those before it returned.

It is a generator, so that it can stop at any statement while another transaction goes on.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from enum import Enum
from typing import Generic, TypeVar

from dbdyno.tpcc.acid.connection import Connection, Rows

Result = TypeVar("Result")
Steps = Generator[str, Rows, Result]

END_LIMIT_S = 10.0
"""So long may a ROLLBACK take."""

CONFLICT_STATES = {"40001", "40P01", "55P03"}
"""SQLSTATEs of a serialization failure, a deadlock, and a lock that was not to be had."""

CONFLICT_ERRORS = {1020, 1205, 1213, 1614, 3101, 3572, 8002, 8022, 8028, 9007, 5, 6, 261, 517}
"""The same by the numbers of MySQL, MariaDB and TiDB, and by SQLite's (BUSY and LOCKED)."""

_CODES = re.compile(r"\((?:error (\d+), )?SQLSTATE (\w{5})\)$")


class ConflictError(Exception):
    """The server aborted a transaction because of another one."""


class StatementError(Exception):
    """A statement failed, and not because of another transaction."""


class UndecidedError(Exception):
    """A test cannot be decided; the message says why."""


Unexpected = (ConflictError, StatementError, UndecidedError)
"""What ends a test in its middle."""


class State(Enum):
    """How far a steps is."""

    WAITING = "waiting"
    """The server has not answered its last statement."""
    ENDED = "ended"
    ABORTED = "aborted"


class Execution(Generic[Result]):
    """A steps on its way over a connection. ``error`` says why it was aborted."""

    def __init__(self, connection: Connection, steps: Steps[Result]) -> None:
        self._connection = connection
        self._program = steps
        self._result: Result | None = None
        self.state = State.WAITING
        self.error = ""
        self._take(None)

    @property
    def result(self) -> Result:
        """Return what the steps returned; ``ConflictError`` where it was aborted."""
        if self.state is State.ABORTED:
            raise ConflictError(self.error)
        assert self.state is State.ENDED
        return self._result  # type: ignore[return-value]  # it is None where Result is

    def proceed(self, limit_s: float) -> None:
        """Go on until it ends, or is aborted, or a statement has no answer after so long."""
        while self.state is State.WAITING:
            answer = self._connection.answer(limit_s)
            if answer is None:
                return
            if answer.error is None:
                self._take(answer.rows)
            else:
                self._abort(answer.error)

    def _take(self, rows: Rows | None) -> None:
        try:
            statement = next(self._program) if rows is None else self._program.send(rows)
        except StopIteration as end:
            self.state, self._result = State.ENDED, end.value
        else:
            self._connection.send(statement)

    def _abort(self, error: str) -> None:
        """Leave the transaction, so that the connection can be used again."""
        self.state, self.error = State.ABORTED, error
        if not self._connection.leave_transaction(END_LIMIT_S) or not is_conflict(error):
            raise StatementError(error)


def is_conflict(error: str) -> bool:
    """Tell whether an error says that transactions were in each other's way."""
    codes = _CODES.search(error)
    if codes is None:
        return False
    return int(codes[1] or 0) in CONFLICT_ERRORS or codes[2] in CONFLICT_STATES


def first_statements(steps: Steps[Result], count: int) -> Steps[str]:
    """Return a steps's first so many statements; it must have more."""
    sql = next(steps)
    for _ in range(count - 1):
        sql = steps.send((yield sql))
    yield sql
    return ""


def opened(begin: str, steps: Steps[Result]) -> Steps[Result]:
    """Return a steps in a transaction that stays open."""
    yield begin
    return (yield from steps)


def whole(begin: str, steps: Steps[Result], end: str = "COMMIT") -> Steps[Result]:
    """Return a steps as a whole transaction."""
    yield begin
    result = yield from steps
    yield end
    return result
