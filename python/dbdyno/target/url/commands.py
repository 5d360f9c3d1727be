"""Runs the commands of a target that dbdyno did not start."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import InputError, RunError
from dbdyno.experiment.file.commands import ALL_SETTINGS, Command, filled_in, names_in
from dbdyno.password import environment, without_passwords
from dbdyno.variables import COMMAND_VALUE

LAST_LINES = 10
OUTPUT_CHARACTERS_MAX = 20_000


@dataclass(frozen=True)
class CommandRunner:
    """Runs commands for one target, in one folder, each within a time limit."""

    target: str
    directory: Path
    limit_s: float

    def check(self, what: str, command: Command) -> None:
        """See that the program of a command is there to be run; ``InputError`` where it is not."""
        program = command[0]
        if next(names_in([program]), None) is not None:
            return  # A variable names it, or a setting.
        # A path is one from the experiment's folder, as for the process that is started there.
        place = str(self.directory / program) if "/" in program else program
        if shutil.which(place, path=environment().get("PATH")) is None:
            where = f"no program at {place}" if "/" in program else f"no {program} on the PATH"
            raise InputError(f"target {self.target}: its command {what} cannot run: {where}")

    def run(self, what: str, command: Command, values: Mapping[str, str]) -> str:
        """Run a command to its end, and return what it wrote; ``RunError`` where it fails."""
        known = {ALL_SETTINGS: "", **values}
        words = filled_in(command, known)
        variables = {COMMAND_VALUE.named(name): value for name, value in known.items()}
        called = f"target {self.target}: its command {what} ({words[0]})"
        try:
            process = subprocess.Popen(
                words,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment() | variables,
                text=True,
                errors="replace",
                # Ctrl-C at the terminal is for dbdyno alone; and all that it starts is one group.
                start_new_session=True,
            )
        except OSError as error:
            raise RunError(f"{called} cannot be run: {error}") from error
        output = self._output(process, called)
        if process.returncode != 0:
            how = (
                f"signal {-process.returncode}"
                if process.returncode < 0
                else f"exit status {process.returncode}"
            )
            raise RunError(f"{called} ended with {how}: {_last_lines(output)}")
        return without_passwords(output[-OUTPUT_CHARACTERS_MAX:])

    def _output(self, process: subprocess.Popen[str], called: str) -> str:
        try:
            return process.communicate(timeout=self.limit_s)[0]
        except subprocess.TimeoutExpired:
            _end_group(process)
            raise RunError(
                f"{called} did not end within {self.limit_s:g} s; raise commands.timeout, or see "
                "what it waits for"
            ) from None
        except BaseException:
            _end_group(process)
            raise


def _end_group(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last_lines(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return without_passwords(" / ".join(lines[-LAST_LINES:])) or "it wrote nothing"
