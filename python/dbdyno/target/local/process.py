"""A server's process: started apart from the terminal, ended with us, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from dbdyno.errors import InputError, RunError
from dbdyno.experiment.file.quantity import show_numbers
from dbdyno.password import environment
from dbdyno.target.local.confinement import Confinement
from dbdyno.variables import LIBRARY_PATH

KILL_LIMIT_S = 30.0
ANSWER_LIMIT_S = 30.0

LibraryPath = tuple[Path, ...]
"""Folders of libraries that a program needs and the system does not look in."""


class ServerProcess:
    """A running program. Its output is appended to ``log``.

    Without ``as_root`` the program is an ordinary user in its own eyes; its files are ours. It is
    confined from its first instruction on.

    It has a session of its own, so that Ctrl-C in the terminal is ours to handle. The kernel kills
    it when the *thread* that started it ends: start servers from a thread that outlives them.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        directory: Path,
        log: Path,
        confinement: Confinement,
        as_root: bool = True,
        standard_input: Path | None = None,
        library_path: LibraryPath = (),
    ) -> None:
        check_cpus(confinement.cpus)
        self._name = Path(command[0]).name
        user = "ordinary" if os.geteuid() == 0 and not as_root else "same"
        launch = confinement.launch(user)
        with log.open("ab") as output, (standard_input or Path(os.devnull)).open("rb") as asked:
            self._process = subprocess.Popen(
                [*launch, _libraries(library_path), *command],
                cwd=directory,
                stdin=asked,
                stdout=output,
                stderr=output,
                env=environment(),
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """Return how it ended, or None while it runs."""
        return self._process.poll()

    def wait(self, limit_s: float) -> int | None:
        """Wait for it to end and return how; None where it had to be killed after ``limit_s``."""
        try:
            return self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        except BaseException:
            self.kill()
            raise

    def stop(self, limit_s: float, stop_signal: signal.Signals = signal.SIGTERM) -> bool:
        """Ask it to end, and kill it after ``limit_s``; return whether it ended in good order.

        It is gone when this returns.
        """
        if self.exit_code() is None:
            self._process.send_signal(stop_signal)
        return self.wait(limit_s) == 0

    def kill(self) -> None:
        """End it at once, with all that it has started.

        ``RunError`` where even the kernel cannot end it, which happens when a disk does not answer.
        """
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        try:
            self._process.wait(KILL_LIMIT_S)
        except subprocess.TimeoutExpired:
            message = f"{self._name} (process {self.pid}) cannot be killed; is its disk stuck?"
            raise RunError(message) from None


def run_for_answer(command: Sequence[str | Path], library_path: LibraryPath = ()) -> str:
    """Return what a program writes, on whichever of the two ways out."""
    try:
        answer = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=ANSWER_LIMIT_S,
            env=environment() | library_environment(library_path),
            # Ctrl-C at the terminal is for dbdyno alone.
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{command[0]} cannot be run: {error}") from error
    return answer.stdout


def library_environment(library_path: LibraryPath) -> dict[str, str]:
    """Return the variable that has a program look into these folders first; nothing for none."""
    return {LIBRARY_PATH.name: _libraries(library_path)} if library_path else {}


def _libraries(library_path: LibraryPath) -> str:
    """Return these folders and those that are looked into already; nothing for none of these."""
    present = LIBRARY_PATH.value()
    folders = [*map(str, library_path), *([present] if present else [])]
    return os.pathsep.join(folders) if library_path else ""


def check_cpus(cpus: tuple[int, ...]) -> None:
    """Refuse CPUs that this process may not use."""
    usable = os.sched_getaffinity(0)
    missing = sorted(set(cpus) - usable)
    if missing:
        raise InputError(
            f"cpus: this machine lets dbdyno use the CPUs {show_numbers(usable)}, "
            f"and not {show_numbers(missing)}"
        )
