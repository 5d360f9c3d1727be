"""A member that commands of the experiment start and stop, with files that are written for it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from dbdyno.errors import RunError
from dbdyno.experiment.file.cluster import ClusterTarget, CommandMember
from dbdyno.experiment.file.commands import filled_in
from dbdyno.experiment.plan import ServerSetup
from dbdyno.password import environment, without_passwords
from dbdyno.target.cluster.member import Places, Values
from dbdyno.target.cluster.program import LocalPlace, ProgramMember, answers, last_lines
from dbdyno.target.cluster.templates import check_template, entry, fill
from dbdyno.target.local.files import file_errors, make_private_folder
from dbdyno.target.problem import Problem, noting
from dbdyno.target.url.commands import OUTPUT_CHARACTERS_MAX

REACH_LIMIT_S = 20.0


class Commanded(ProgramMember):
    """A server that commands start, here or on another machine."""

    kind = "command"

    def __init__(
        self,
        name: str,
        role: str,
        place: LocalPlace,
        directory: Path,
        model: CommandMember,
        target: ClusterTarget,
        values: Callable[[], Values],
    ) -> None:
        super().__init__(name, role, place, directory)
        self._values = values
        self._folder = (directory / "files").absolute()
        self._model = model
        self._home = target.home
        self._machine = place.machine
        self._variables = target.variables
        self._port = model.port
        self._has_started = False

    def preflight(self, setup: ServerSetup) -> list[Problem]:
        """See that its machine is reached, and that nothing else has its port."""
        del setup
        problems: list[Problem] = []
        for template in self._model.files.values():
            with noting(problems):
                check_template(template)
        with noting(problems):
            if self._model.ssh is not None:
                self._run("ssh", ["true"], REACH_LIMIT_S)
        return problems

    def start(self, setup: ServerSetup, places: Places) -> None:
        """Run the command, to its end where another one stops the server."""
        del setup
        if answers(self.host, self._port):
            raise RunError(
                f"{self.name}: something listens on {self.address} already; stop it, or name "
                "another port"
            )
        self._has_started = True
        self._write_files()
        words = self._words(self._model.start, places)
        if self._model.stop is None:
            self._launch(self._there(words), self._model.timeout_s, runs_in=self._home)
        else:
            self._run("start", words, self._model.timeout_s)
            self._wait_for_port(self._model.timeout_s)

    def _write_files(self) -> None:
        """Write what it is configured with, readable for nobody else: passwords are in there."""
        values = {**self._values(), "me": entry(self.place)}
        for name, template in self._model.files.items():
            path = self._folder / name
            with file_errors(f"write {path}"):
                make_private_folder(self._folder)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(fill(template, values))

    def _words(self, command: Sequence[str], places: Places) -> list[str]:
        found = {role: ",".join(places.of(role)) for role in places.by_role}
        values = self._model.values(str(self._folder), self._machine, found, self._variables)
        return filled_in(tuple(command), values)

    def _there(self, words: Sequence[str]) -> list[str]:
        """Return the command as it runs here, or as it reaches a shell on its machine."""
        way = self._model.ssh
        program = words[0]
        if way is None:
            # Relative to the experiment file, as in the shell of whoever wrote it.
            is_path = "/" in program
            return [str(self._home / program) if is_path else _found(program), *words[1:]]
        return [_found(way[0]), *way[1:], shlex.join(words)]

    def says(self) -> str:
        """Return what the command writes that describes it; nothing without such a command."""
        if self._model.describe is None:
            return ""
        words = self._words(self._model.describe, Places())
        written = self._run("describe", words, self._model.timeout_s)
        return without_passwords(written.strip()[:OUTPUT_CHARACTERS_MAX])

    def _run(self, what: str, words: Sequence[str], limit_s: float) -> str:
        """Run a command to its end, and return what it wrote; ``RunError`` where it fails."""
        command = self._there(words)
        called = f"{self.name}: its command {what} ({' '.join(command[:6])})"
        try:
            done = subprocess.run(
                [*self._network_prefix(), *command],
                cwd=self._home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=limit_s,
                env=environment(),
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RunError(f"{called} did not end within {limit_s:g} s") from None
        except OSError as error:
            raise RunError(f"{called} cannot be run: {error}") from error
        if done.returncode != 0:
            said = last_lines(done.stdout + done.stderr)
            raise RunError(f"{called} ended with exit status {done.returncode}: {said}")
        return done.stdout + done.stderr

    def _network_prefix(self) -> list[str]:
        """Return what has a command that comes to an end run in the server's own network."""
        return [] if self._network is None else [*self._confinement.launch("same"), ""]

    def check_running(self) -> None:
        """Look at the process, or at the port of a server that is no process of ours."""
        if self._model.stop is None:
            super().check_running()
        elif not self._has_started:
            raise RunError(f"{self.name} is not running")

    def why_ended(self) -> str | None:
        """Look at its port, too."""
        reason = super().why_ended()
        if reason is None and not answers(self.host, self._port):
            return f"{self.name} does not listen on {self.address} any more"
        return reason

    def stop(self) -> None:
        """Run the command that ends it, or end the process."""
        if not self._has_started:
            return
        self._has_started = False
        try:
            if self._model.stop is None:
                super().stop()
            else:
                words = self._words(self._model.stop, Places())
                self._run("stop", words, self._model.timeout_s)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


def _found(program: str) -> str:
    return shutil.which(program) or program
