"""Calls the commands that an experiment wants called before and after its parts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from dbdyno.errors import RunError
from dbdyno.experiment.file.hooks import Moment
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.password import environment, without_passwords
from dbdyno.store.journal import HookEnded, JournalEvent
from dbdyno.variables import (
    HOOK_CELL,
    HOOK_EXPERIMENT,
    HOOK_FACTOR,
    HOOK_MOMENT,
    HOOK_RESULT,
    HOOK_ROUND,
    HOOK_TARGET,
    HOOK_TRIAL,
)

POLL_S = 0.1

SHOWN_CHARACTERS = 300
"""So much of a failed hook's last line is told."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")


class Hooks:
    """An experiment's hooks, each with the variables of what it is called for."""

    def __init__(
        self,
        experiment: Experiment,
        directory: Path,
        *,
        tell: Callable[[JournalEvent], None],
        warn: Callable[[str], None],
        check: Callable[[], None],
    ) -> None:
        """``check`` is called while a hook runs, and raises where the run is to end."""
        self._hooks = experiment.hooks
        self._folder = experiment.path.absolute().parent
        self._tell = tell
        self._check = check
        self._warn = warn
        self._always = {
            HOOK_EXPERIMENT.name: experiment.name,
            HOOK_RESULT.name: str(directory.absolute()),
        }

    def call(self, moment: Moment, trial: PlannedTrial | None = None) -> None:
        """Call a hook that comes before something, if there is one.

        ``RunError`` where it fails, or takes longer than it may.
        """
        failure = self._call(moment, trial, self._check)
        if failure is not None:
            raise RunError(failure)

    def call_after(self, moment: Moment, trial: PlannedTrial | None = None) -> None:
        """Call a hook that comes after something, if there is one; warn where it fails."""
        failure = self._call(moment, trial, _go_on)
        if failure is not None:
            self._warn(failure)

    def _call(
        self, moment: Moment, trial: PlannedTrial | None, check: Callable[[], None]
    ) -> str | None:
        """Call a hook; return how it failed, if it did."""
        command = self._hooks.command(moment)
        if command is None:
            return None
        variables = {**self._always, HOOK_MOMENT.name: moment, **_variables_of(trial)}
        began_s = time.monotonic()
        with TemporaryFile() as output:
            status = self._run(command, variables, output.fileno(), check)
            output.seek(0)
            lines = output.read().decode(errors="replace").strip().splitlines()
        elapsed_s = round(time.monotonic() - began_s, 3)
        self._tell(HookEnded(hook=moment, exit_status=status, elapsed_s=elapsed_s))
        return None if status == 0 else self._failure(moment, status, lines)

    def _run(
        self,
        command: str,
        variables: Mapping[str, str],
        output: int,
        check: Callable[[], None],
    ) -> int | None:
        """Return the command's exit status; None where it had to be killed."""
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=self._folder,
            env=environment() | dict(variables),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        deadline_s = time.monotonic() + self._hooks.limit_s
        try:
            while time.monotonic() < deadline_s:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(POLL_S)
                check()
            return None
        finally:
            if process.poll() is None:
                # With all that it has started.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _failure(self, moment: Moment, status: int | None, lines: list[str]) -> str:
        if status is None:
            how = f"took longer than {self._hooks.limit_s:g} s and was killed"
        else:
            how = f"ended with status {status}"
        said = without_passwords(lines[-1])[:SHOWN_CHARACTERS] if lines else ""
        return f"the hook {moment} {how}" + (f": {said}" if said else "")


def _go_on() -> None:
    """End nothing: what comes after a run's end is let finish."""


def _variables_of(trial: PlannedTrial | None) -> dict[str, str]:
    if trial is None:
        return {}
    factors = {
        HOOK_FACTOR.named(_NOT_IN_NAMES.sub("_", name)): level for name, level in trial.cell.levels
    }
    return {
        HOOK_CELL.name: trial.cell.label(),
        HOOK_TRIAL.name: str(trial.number),
        HOOK_ROUND.name: str(trial.round),
        HOOK_TARGET.name: trial.target,
        **factors,
    }
