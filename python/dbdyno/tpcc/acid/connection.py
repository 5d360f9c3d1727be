"""One connection in a process of its own.

So a statement that waits for a lock holds up nobody but itself, and a connection can be lost as it
is when a client dies: without a goodbye.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from dbdyno.errors import RunError
from dbdyno.password import PASSWORD_VARIABLE, environment

CONNECT_LIMIT_S = 30.0
READ_BYTES = 1 << 16

Rows = list[tuple[str | None, ...]]


@dataclass(frozen=True)
class Answer:
    """What the server answered to one statement: its rows, or an error in its own words."""

    rows: Rows
    error: str | None = None


class Connection:
    """A connection to which one statement at a time is sent; ``setup`` are the first ones.

    ``is_busy``: the answer to the last one was not taken yet. As a context manager it leaves no
    process behind.
    """

    def __init__(self, url: str, password: str | None, setup: Sequence[str] = ()) -> None:
        self._url = url
        self._password = password
        self._setup = tuple(setup)
        self._open()

    def _open(self) -> None:
        given = {} if self._password is None else {PASSWORD_VARIABLE: self._password}
        self._pending = b""
        self.is_busy = False
        self._process = subprocess.Popen(
            # -P: what lies in the current directory is not to be taken for one of our modules.
            [sys.executable, "-P", "-m", "dbdyno.tpcc.acid.client"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment() | given,
            # Ctrl-C is for us alone, who still have something to undo.
            start_new_session=True,
        )
        try:
            self._greet()
        except BaseException:
            self.kill()
            raise

    def _greet(self) -> None:
        for sent in (self._url, *self._setup):
            self.send(sent)
            answer = self.answer(CONNECT_LIMIT_S)
            if answer is None:
                raise RunError(f"{self._url} does not answer within {CONNECT_LIMIT_S:g} s")
            if answer.error is not None:
                raise RunError(f"cannot use {self._url}: {answer.error}")

    def send(self, sql: str) -> None:
        """Send a statement; the answer to the one before must have been taken."""
        assert self._process.stdin is not None
        self.is_busy = True
        try:
            self._process.stdin.write(json.dumps(sql).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise RunError(f"the connection to {self._url} was lost") from None

    def answer(self, limit_s: float) -> Answer | None:
        """Return the answer; None where there is none yet after so many seconds."""
        line = self._line(limit_s)
        if line is None:
            return None
        self.is_busy = False
        said = json.loads(line)
        return Answer([tuple(row) for row in said["rows"]], said["error"])

    def _line(self, limit_s: float) -> bytes | None:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        deadline_s = time.monotonic() + limit_s
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while b"\n" not in self._pending:
                if not selector.select(max(0.0, deadline_s - time.monotonic())):
                    return None
                received = os.read(descriptor, READ_BYTES)
                if not received:
                    raise RunError(f"the connection to {self._url} was lost")
                self._pending += received
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def leave_transaction(self, limit_s: float) -> bool:
        """Roll back, and tell whether the connection can be used on."""
        # That there is no transaction is an error in SQLite, and no harm.
        return any(self._succeeds(sql, limit_s) for sql in ("ROLLBACK", "SELECT 1"))

    def _succeeds(self, sql: str, limit_s: float) -> bool:
        if self.is_busy:
            return False
        self.send(sql)
        answer = self.answer(limit_s)
        return answer is not None and answer.error is None

    def kill(self) -> None:
        """Lose the connection: the process ends at once, and the server sees its end only."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                # Something was still to be written to it; it is closed all the same.
                continue

    def reopen(self) -> None:
        """Lose the connection and make another."""
        self.kill()
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()
