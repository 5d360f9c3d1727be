"""A server that dbdyno did not start, and that commands of the user set and restart."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.database.url import database_of_url
from dbdyno.errors import InputError, RunError
from dbdyno.experiment.file.commands import Commands, values_of_settings
from dbdyno.experiment.plan import NO_LIMITS, ServerLimits, TargetSetup
from dbdyno.target.description import ServerDescription
from dbdyno.target.mysql import readback as mysql
from dbdyno.target.mysql.description import effective_settings
from dbdyno.target.postgresql import readback as postgresql
from dbdyno.target.problem import Problem, noting
from dbdyno.target.url.commands import CommandRunner
from dbdyno.target.url.server import ExternalServer

POLL_S = 0.2


class CommandedServer(ExternalServer):
    """Whatever a URL leads to, with commands; ``use`` gives it these before anything else."""

    _commands: Commands
    _runner: CommandRunner
    _variables: Mapping[str, str]

    def use(self, commands: Commands, runner: CommandRunner, variables: Mapping[str, str]) -> None:
        """Take the commands of the target, and the values that they know."""
        self._commands, self._runner, self._variables = commands, runner, variables
        self._settings: dict[str, str] = {}
        self._has_begun = False

    def check(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """Refuse what no command makes; whether the server is up does not matter yet."""
        if limits:
            super().check({}, limits)
        if settings and self._commands.apply is None:
            raise InputError(
                f"target {self.name}: nothing sets {', '.join(settings)} on it; give it a command, "
                "as in commands: {apply: ansible-playbook set.yml, restart: ...}"
            )
        if self._commands.restart is None:
            super().check({})

    def preflight(self, setup: TargetSetup) -> list[Problem]:
        """See besides that the program of each command is there."""
        problems = super().preflight(setup)
        for what, command in self._commands.named().items():
            with noting(problems):
                self._runner.check(what, command)
        return problems

    def start(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """Have the commands make the settings and restart the server, and see that they took."""
        self.check(settings, limits)
        self._settings = dict(settings)
        self._has_begun = True
        self._run("apply")
        self.restart()
        self._read_back(settings)

    def restart(self) -> None:
        """Have the command restart the server, and wait until it lets clients in."""
        self._run("restart")
        self._wait_until_up()

    def stop(self) -> None:
        """Have the command end the server, where there is one and we have used the server."""
        if self._has_begun:
            self._has_begun = False
            super().stop()
            self._run("stop")

    def describe(self) -> ServerDescription:
        """Add what the command says to what the server says."""
        described = super().describe()
        return replace(described, command_output=self._run("describe"))

    def _run(self, what: str) -> str:
        command = self._commands.named().get(what)
        if command is None:
            return ""
        return self._runner.run(what, command, values_of_settings(self._variables, self._settings))

    def _wait_until_up(self) -> None:
        deadline_s = time.monotonic() + self._runner.limit_s
        while True:
            try:
                super().check({})
            except RunError:
                if time.monotonic() > deadline_s:
                    raise
            else:
                return
            time.sleep(POLL_S)

    def _read_back(self, settings: Mapping[str, str]) -> None:
        if not settings:
            return
        places = self.nodes or [(url, self.password) for url in self.host_urls]
        for url, password in places:
            with open_session(url, password) as session:
                missing = _adjusted(database_of_url(url), session, settings)
            if missing:
                raise RunError(
                    f"target {self.name}: {url} does not show what its commands were to set: "
                    f"{', '.join(f'{name}={value}' for name, value in missing.items())}"
                )


def _adjusted(kind: str, session: Session, settings: Mapping[str, str]) -> dict[str, str]:
    if kind == "postgresql":
        return postgresql.adjusted_settings(settings, postgresql.shown_settings(session))
    effective = effective_settings(session)
    # Nobody has seen the server take what it does not show: its log is not here.
    return mysql.adjusted_settings(settings, effective, mysql.not_shown(settings, effective))
