"""The connection to the agent of one server: opened when it is needed, one call at a time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from threading import Lock
from typing import Any

from dbdyno import __version__
from dbdyno.errors import InputError, RunError
from dbdyno.remote.agent import READY_WITHIN_S, Agent, SilentAgentError
from dbdyno.remote.way import Way
from dbdyno.target.remote.language import (
    ALIVE,
    SILENCE_LIMIT_S,
    Call,
    Invitation,
    result_in,
    write_call,
    write_invitation,
)


class AgentGoneError(RunError):
    """An agent has ended, or its host does not answer, while something was asked of it."""


class Connection:
    """A host that is being reached, and the agent there once it has accepted its invitation."""

    def __init__(self, way: Way, invitation: Invitation) -> None:
        """Begin to reach the host; what comes of it, the first call learns."""
        self._host = way.host
        self._lock = Lock()
        self._number = 0
        self._maker: str | None = None
        self._agent = Agent(way, write_invitation(invitation))
        self._deadline_s = time.monotonic() + READY_WITHIN_S

    def maker(self) -> str:
        """Return what makes the files of its server.

        ``RunError`` that names the host where it cannot be reached, ``InputError`` where it has
        another dbdyno, or cannot run the server.
        """
        if self._maker is None:
            self._require_same_version(self._agent.version(self._deadline_s))
            self._maker = str(self._answer(0, lambda: self._deadline_s))
        return self._maker

    def _require_same_version(self, version: str | None) -> None:
        if version != __version__:
            raise InputError(
                f"host {self._host} has dbdyno {version}, and this machine {__version__}; install "
                f"{__version__} there, or name the Python that has it, with python: in the role"
            )

    def call(self, name: str, **arguments: object) -> Any:  # noqa: ANN401 - each call has its own
        """Have something done there and return its result; its errors name the host.

        The agent has accepted its invitation. ``AgentGoneError`` where nobody is there any more to
        do it. What takes long may: only silence has a limit.
        """
        with self._lock:
            self._number += 1
            self._agent.tell(write_call(Call(self._number, name, arguments)))
            return self._answer(self._number, lambda: time.monotonic() + SILENCE_LIMIT_S)

    def _answer(self, number: int, limit: Callable[[], float]) -> Any:  # noqa: ANN401
        """Wait for the answer to a call; one that nobody waits for any more may come before it."""
        while True:
            try:
                line = self._agent.line(limit())
            except SilentAgentError as error:
                raise AgentGoneError(
                    f"host {self._host} does not answer any more ({SILENCE_LIMIT_S:.0f} s)"
                ) from error
            if not line:
                raise AgentGoneError(
                    f"host {self._host}: its agent is gone{self._agent.last_words()}"
                )
            answer = json.loads(line)
            if ALIVE not in answer and answer["number"] == number:
                return result_in(answer, self._host)

    def close(self) -> None:
        """End the agent, and with it the server where it still runs."""
        self._agent.end()
