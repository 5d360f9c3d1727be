"""Starts ``dbdyno`` as a shell does, watches what it does, and knows every process it starts.

Where nothing happens to it on its way, ``call`` is as good: what it does is the same, and starting
an interpreter and drawing the first chart of a process take longer than most runs here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from signal import Signals
from typing import Any
from unittest.mock import patch

import psutil
import pytest

from dbdyno.cli import main
from dbdyno.database.waits import FIRST_WORD_S
from dbdyno.password import PASSWORD_VARIABLE

LIMIT_S = 240.0
"""Nothing here takes so long, even on a busy machine; what does, hangs."""

LONG_WAIT = re.compile(r".+: waiting for .+, (\d+) s so far; it is given up after [\d,]+ s\n")

_MARKER = "DBDYNO_TEST_RUN"


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it said; ``events`` are the journal's of this run alone."""

    status: int
    output: str
    errors: str
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def complaints(self) -> str:
        """What it said on standard error but for long waits, of which a busy machine has some."""
        lines = self.errors.splitlines(keepends=True)
        return "".join(line for line in lines if not _is_long_wait(line))

    def trials(self, event: str) -> list[int]:
        """Return the numbers of the trials to which an event happened."""
        return [line["trial"] for line in self.events if line["event"] == event]


def _is_long_wait(line: str) -> bool:
    wait = LONG_WAIT.fullmatch(line)
    return wait is not None and int(wait[1]) >= FIRST_WORD_S


class Launched:
    """A ``dbdyno`` that runs, in a process group of its own as a shell's foreground command."""

    def __init__(
        self,
        arguments: Sequence[str | Path],
        directory: Path,
        *,
        environment: Mapping[str, str] | None = None,
        wrapper: Sequence[str] = (),
    ) -> None:
        """Start it in ``directory/cwd``, with its temporary files and its home beside that."""
        self._mark = uuid.uuid4().hex
        self._directory = directory
        places = {"cwd": "cwd", "TMPDIR": "tmp", "HOME": "home"}
        self._places = {name: directory / folder for name, folder in places.items()}
        for place in self._places.values():
            place.mkdir(exist_ok=True)
        self._streams = directory / "stdout", directory / "stderr"
        inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        with self._streams[0].open("wb") as output, self._streams[1].open("wb") as errors:
            self.process = subprocess.Popen(
                [*wrapper, sys.executable, "-m", "dbdyno", *map(str, arguments)],
                cwd=self._places["cwd"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                env={
                    **inherited,
                    "TMPDIR": str(self._places["TMPDIR"]),
                    "HOME": str(self._places["HOME"]),
                    _MARKER: self._mark,
                    **(environment or {}),
                },
                process_group=0,
            )

    def signal(self, number: Signals) -> None:
        """Signal the runner alone."""
        self.process.send_signal(number)

    def signal_group(self, number: Signals) -> None:
        """Signal the whole foreground group, as a terminal does."""
        os.killpg(self.process.pid, number)

    def processes(self, name: str = "") -> list[psutil.Process]:
        """Return the processes that it has started and that still run, however far down."""
        return [
            process
            for process in psutil.process_iter()
            if process.pid != self.process.pid and self._started(process, name)
        ]

    def _started(self, process: psutil.Process, name: str) -> bool:
        """Tell whether a process is one of its own, and has a text in its command line.

        Those of PostgreSQL write what they do over their environment; they work in its data.
        """
        try:
            return (
                process.status() != psutil.STATUS_ZOMBIE
                and (
                    process.environ().get(_MARKER) == self._mark
                    or Path(process.cwd()).is_relative_to(self._directory)
                )
                and name in " ".join(process.cmdline())
            )
        except psutil.Error:
            return False

    def wait_for(self, what: Callable[[], Any]) -> Any:
        """Wait until something is true, and return it; fail where the command ends before."""
        deadline_s = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline_s:
            found = what()
            if found:
                return found
            assert self.process.poll() is None, f"it ended early: {self._texts()}"
            time.sleep(0.02)
        raise AssertionError(f"still not so after {LIMIT_S} s: {self._texts()}")

    def end(self, *, leaves: bool = False) -> Ended:
        """Wait for its end; no process of it is left then, or soon after where it was killed."""
        try:
            status = self.process.wait(LIMIT_S)
        finally:
            self.process.kill()
        if leaves:
            psutil.wait_procs(self.processes(), LIMIT_S)
        assert self.processes() == []
        return Ended(status, *self._texts())

    def written_elsewhere(self) -> list[Path]:
        """Return the files that it left in its current, temporary and home directories."""
        return [path for place in self._places.values() for path in place.rglob("*")]

    def _texts(self) -> tuple[str, str]:
        output, errors = (path.read_text() for path in self._streams)
        return output, errors


def call(
    arguments: Sequence[str | Path],
    *,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
) -> Ended:
    """Call ``dbdyno`` in this process; of the processes that it starts none is left."""
    before = set(psutil.Process().children())
    inherited = {name: value for name, value in os.environ.items() if name != PASSWORD_VARIABLE}
    output, errors = StringIO(), StringIO()
    with (
        patch.dict(os.environ, {**inherited, "COLUMNS": "80", **(environment or {})}, clear=True),
        patch.object(sys, "argv", ["dbdyno", *map(str, arguments)]),
        chdir(directory or Path.cwd()),
        redirect_stdout(output),
        redirect_stderr(errors),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    assert set(psutil.Process().children()) <= before
    assert isinstance(ended.value.code, int)
    return Ended(ended.value.code, output.getvalue(), errors.getvalue())


def read_journal(result: Path) -> list[dict[str, Any]]:
    """Return the journal's whole lines."""
    journal = result / "journal.jsonl"
    text = journal.read_text() if journal.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
