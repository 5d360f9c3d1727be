"""The process that leads to a host, with an agent at its end: started, heard and ended."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO

from dbdyno.agent.invitation import VERSION_WORD, Invitation, write_invitation
from dbdyno.errors import RunError
from dbdyno.password import environment
from dbdyno.remote.way import Way

READY_WITHIN_S = 60.0
END_WITHIN_S = 5.0
READY = "ready"
"""What an agent says when it has found the scheduler."""


class Agent:
    """The process that leads to a host, with the agent at its end."""

    def __init__(self, way: Way, invitation: Invitation, check: Callable[[], None]) -> None:
        """Start it; ``check`` is called all the time that it is waited for, and may raise."""
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
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(write_invitation(invitation))
            self._process.stdin.flush()

    def version(self, deadline_s: float) -> str | None:
        """Wait for the version of dbdyno there; None is an early one, which does not tell it."""
        line = self._line(deadline_s)
        word, _, version = line.partition(" ")
        if word == VERSION_WORD and version:
            return version
        if line == READY:
            return None
        raise self._missing()

    def wait_until_ready(self, deadline_s: float) -> None:
        """Wait until the agent has found the scheduler; ``RunError`` in its words if not."""
        if self._line(deadline_s) != READY:
            raise self._missing()

    def _line(self, deadline_s: float) -> str:
        """Return the next line that the agent says; what there is of it where it ends."""
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
                    raise RunError(
                        f"host {self.way.host}: no agent within {READY_WITHIN_S:.0f} s"
                        f"{self._last_words()}"
                    )
        line, _, self._said = self._said.partition(b"\n")
        return line.decode(errors="replace").strip()

    def _missing(self) -> RunError:
        return RunError(f"host {self.way.host}: there is no agent{self._last_words()}")

    def _last_words(self) -> str:
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
