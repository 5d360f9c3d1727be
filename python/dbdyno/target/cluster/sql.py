"""A MySQL, MariaDB or PostgreSQL server as a member of a cluster, here or on another host."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.experiment.plan import ServerSetup, alone
from dbdyno.target.capabilities import Settable
from dbdyno.target.cluster.member import ClusterMember, Places
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.member import Member
from dbdyno.target.problem import Problem
from dbdyno.target.remote.server import RemoteServer

SqlServer = PrivateServer | RemoteServer


class SqlMember(ClusterMember):
    """A private server with an address of its own."""

    def __init__(self, server: SqlServer, role: str, host: str) -> None:
        super().__init__(server.name, role, host)
        self.server = server

    @property
    def address(self) -> str:
        """The address of this start: the port is a new one each time."""
        return f"{self.host}:{urlsplit(self.server.url).port}"

    @property
    def member(self) -> Member:
        """The server's own, with its role."""
        return replace(self.server.members[0], role=self.role, host=self.host)

    def preflight(self, setup: ServerSetup) -> list[Problem]:
        """Return what the server says, each with its name before it."""
        found = self.server.preflight(alone(setup.settings, setup.limits))
        return [replace(one, message=f"{self.name}: {one.message}") for one in found]

    def start(self, setup: ServerSetup, places: Places) -> None:
        """Start it with the settings of its role."""
        del places
        self.server.start(setup.settings, setup.limits)
        self.apply(setup.online)

    def apply(self, settings: Mapping[str, str]) -> None:
        """Make settings on the running server."""
        if settings:
            assert isinstance(self.server, Settable)
            self.server.set_online(settings)

    def says(self) -> str:
        """Ask it."""
        described = self.server.describe()
        return f"{described.product} {described.version}"

    def stop(self) -> None:
        """End it in good order."""
        self.server.stop()

    def check_running(self) -> None:
        """Ask it, so that a server that is about to end is known, too."""
        try:
            with open_session(self.server.url, self.server.password):
                pass
        except RunError:
            # Says why, where the process has ended.
            _ = self.server.describe()
            raise

    def administer(self) -> AbstractContextManager[Session]:
        """Return a session that may do all: for set-up statements."""
        return open_session(*self.server.administrator)

    def snapshot(self, directory: Path) -> None:
        """Copy the files of the stopped server."""
        self.server.snapshot(directory)

    def restore(self, directory: Path) -> None:
        """Replace the files of the stopped server."""
        self.server.restore(directory)

    def close(self) -> None:
        """End it, with its agent where it is on another host."""
        self.server.close()
