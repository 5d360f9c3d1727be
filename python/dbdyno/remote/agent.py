"""An agent as seen from here: the process that leads to a host, with the agent at its end."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO

from dbdyno.agent.invitation import VERSION_WORD
from dbdyno.errors import RunError
from dbdyno.password import environment
from dbdyno.remote.way import Way

READY_WITHIN_S = 60.0
END_WITHIN_S = 5.0


def nothing_else() -> None:
    """Check nothing."""


class SilentAgentError(RunError):
    """An agent has not said in time what it was waited for to say."""


class Agent:
    """The process that leads to a host, with the agent at its end."""

    def __init__(
        self, way: Way, invitation: bytes, check: Callable[[], None] = nothing_else
    ) -> None:
        """Start it, and give it its first line.

        ``check`` is called all the time that it is waited for, and may raise.
        """
        self.way = way
        self._check = check
        self._said = b""
        self._complaints: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed in ``end``
        try:
            self._process = subprocess.Popen(
                way.arguments(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env=environment(),
                start_new_session=True,
            )
        except OSError as error:
            raise RunError(
                f"host {way.host}: {way.command!r} cannot be started: {error}"
            ) from error
        self.tell(invitation)

    def tell(self, line: bytes) -> None:
        """Give it a line; whoever waits for the answer learns that it is gone."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def version(self, deadline_s: float, *, silent: str = "") -> str | None:
        """Wait for the version of dbdyno there; None where it says ``silent`` instead.

        Early ones did not tell it.
        """
        line = self.line(deadline_s)
        word, _, version = line.partition(" ")
        if word == VERSION_WORD and version:
            return version
        if line and line == silent:
            return None
        raise self.missing()

    def line(self, deadline_s: float) -> str:
        """Return the next line that the agent says; what there is of it where it ends.

        ``SilentAgentError`` where there is none in time.
        """
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while b"\n" not in self._said:
                self._check()
                if selector.select(0.2):
                    part = os.read(descriptor, 4096)
                    if not part:
                        break
                    self._said += part
                elif time.monotonic() > deadline_s:
                    raise SilentAgentError(
                        f"host {self.way.host}: no agent within {READY_WITHIN_S:.0f} s"
                        f"{self.last_words()}"
                    )
        line, _, self._said = self._said.partition(b"\n")
        return line.decode(errors="replace").strip()

    def missing(self) -> RunError:
        """Return what is to be told of an agent that did not come up, with its last words."""
        return RunError(f"host {self.way.host}: there is no agent{self.last_words()}")

    def last_words(self) -> str:
        """Return what it has complained of last, to be put behind what is wrong."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ", and it does not say why"

    def is_there(self) -> bool:
        """Tell whether what leads to the agent still runs."""
        return self._process.poll() is None

    def end(self) -> None:
        """End the agent, and with it all that it has started; nothing happens the second time."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._complaints.close()
