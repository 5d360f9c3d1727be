"""Where a test takes place: two connections, a third that looks on, and what is told of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Generic, Self

from dbdyno.errors import RunError
from dbdyno.tpcc.acid.connection import Connection
from dbdyno.tpcc.acid.district import District, choose_district
from dbdyno.tpcc.acid.result import Step
from dbdyno.tpcc.acid.steps import (
    END_LIMIT_S,
    ConflictError,
    Execution,
    Result,
    State,
    Steps,
    UndecidedError,
    Unexpected,
    opened,
    whole,
)
from dbdyno.tpcc.acid.writing import Writing

ANSWER_LIMIT_S = 30.0
"""So long may a statement take that nobody holds up any more."""

LOOK_LIMIT_S = 600.0
"""A look at the history is one at all its rows."""

T1, T2 = "T1", "T2"
LOOKER = "look"


class Started(Generic[Result]):
    """A transaction that may have to wait for another. ``waited``: it was seen to."""

    def __init__(self, who: str, doing: str, execution: Execution[Result]) -> None:
        self.who = who
        self.doing = doing
        self.execution = execution
        self.waited = execution.state is State.WAITING

    @property
    def early(self) -> Result | None:
        """Return the result of one that did not wait; None for any other."""
        is_early = not self.waited and self.execution.state is State.ENDED
        return self.execution.result if is_early else None


class Scenario:
    """Three connections. Transactions on ``T1`` and ``T2`` go on statement by statement.

    ``wait_s``: without an answer for so long, a statement is taken to wait for the other one.
    """

    def __init__(self, writing: Writing, connect: Callable[[], Connection], wait_s: float) -> None:
        self.writing = writing
        self.steps: list[Step] = []
        self._wait_s = wait_s
        with ExitStack() as opening:
            self._connections = {who: opening.enter_context(connect()) for who in (T1, T2, LOOKER)}
            self.district = self._choose_district()
            self._closing = opening.pop_all()

    def _choose_district(self) -> District:
        try:
            return self.look(choose_district(self.writing))
        except Unexpected as error:
            raise RunError(f"the tables cannot be read: {error}") from error

    def tell(self, who: str, said: str) -> None:
        """Note a step."""
        self.steps.append(Step(who, said))

    def look(self, steps: Steps[Result]) -> Result:
        """Read over the third connection, while no transaction is open."""
        return self._carry_out(LOOKER, steps, LOOK_LIMIT_S)

    def change(self, steps: Steps[Result]) -> Result:
        """Change something over the third connection, in a transaction."""
        return self.look(whole(self.writing.dialect.begin, steps))

    def restore(self, steps: Steps[str], otherwise: str) -> None:
        """Undo a change, whatever is still open; ``otherwise`` says what remains if that fails."""
        self.settle()
        try:
            self.change(steps)
        except Unexpected as error:
            raise RunError(f"{otherwise}: {error}") from error

    def open(self, doing: str, steps: Steps[Result], *, reads_only: bool = False) -> Result:
        """Begin T1 and leave it open."""
        return self.go_on(doing, opened(self._begin(reads_only), steps))

    def go_on(
        self, doing: str, steps: Steps[Result], show: Callable[[Result], str] | None = None
    ) -> Result:
        """Go on with T1; ``ConflictError`` where the server aborts it."""
        try:
            result = self._carry_out(T1, steps, ANSWER_LIMIT_S)
        except ConflictError as error:
            self.tell(T1, f"{doing}: aborted by the server: {error}")
            raise
        self.tell(T1, f"{doing}{_told(show(result) if show else result)}")
        return result

    def end(self, how: str) -> None:
        """End T1 with COMMIT or ROLLBACK."""
        self.go_on(how, _without_result(how))

    def lose(self) -> None:
        """Lose T1's connection, as when the client dies, and make another."""
        self._connections[T1].reopen()
        self.tell(T1, "its connection is lost")

    def start(
        self, doing: str, steps: Steps[Result], *, reads_only: bool = False
    ) -> Started[Result]:
        """Carry out T2 from BEGIN to COMMIT, until it is over or waits."""
        whole_program = whole(self._begin(reads_only), steps)
        execution = Execution(self._connections[T2], whole_program)
        execution.proceed(self._wait_s)
        started = Started(T2, doing, execution)
        self._tell_state(started, f"{doing}, ")
        return started

    def finish(self, started: Started[Result]) -> bool:
        """See T2 to its end, nothing holding it up; tell whether it was not aborted."""
        execution = started.execution
        if execution.state is State.WAITING:
            execution.proceed(ANSWER_LIMIT_S)
            if execution.state is State.WAITING:
                raise UndecidedError(
                    f"{started.who} still waits {ANSWER_LIMIT_S:g} s after nothing held it up"
                )
            self._tell_state(started, "goes on, ")
        return execution.state is State.ENDED

    def finish_or_repeat(
        self, started: Started[Result], steps: Callable[[], Steps[Result]]
    ) -> Result:
        """See T2 to its end; one that was aborted is tried again, as any client does."""
        if self.finish(started):
            return started.execution.result
        again = self.start(f"{started.doing} once more", steps())
        if not self.finish(again):
            raise UndecidedError(f"T2 was aborted twice: {again.execution.error}")
        return again.execution.result

    def settle(self) -> None:
        """End whatever is open, also where a test ended in its middle."""
        for connection in self._connections.values():
            if connection.is_busy or not connection.leave_transaction(END_LIMIT_S):
                connection.reopen()

    def _begin(self, reads_only: bool) -> str:
        dialect = self.writing.dialect
        return dialect.begin_to_read if reads_only else dialect.begin

    def _carry_out(self, who: str, steps: Steps[Result], limit_s: float) -> Result:
        execution = Execution(self._connections[who], steps)
        execution.proceed(limit_s)
        if execution.state is State.WAITING:
            raise UndecidedError(f"{who} waits for longer than {limit_s:g} s")
        return execution.result

    def _tell_state(self, started: Started[Result], doing: str) -> None:
        execution = started.execution
        if execution.state is State.WAITING:
            said = f"{doing}waits"
        elif execution.state is State.ABORTED:
            said = f"{doing}aborted by the server: {execution.error}"
        else:
            said = f"{doing}COMMIT{_told(execution.result)}"
        self.tell(started.who, said)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()


def _told(result: object) -> str:
    """Return a result behind what was done for it; an empty text is none."""
    if result is None:
        return ": none"
    return f": {result}" if str(result) else ""


def _without_result(sql: str) -> Steps[str]:
    yield sql
    return ""
