"""One server of a cluster, whatever it is: how it is started, ended and looked at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from dbdyno.errors import RunError
from dbdyno.experiment.plan import ServerSetup
from dbdyno.target.member import Member
from dbdyno.target.problem import Problem


@dataclass(frozen=True)
class Place:
    """A server that is up."""

    name: str
    host: str
    port: int

    @property
    def address(self) -> str:
        """``host:port``."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Places:
    """Where the servers of a cluster are that are up, by role."""

    by_role: dict[str, list[Place]] = field(default_factory=dict)

    def add(self, role: str, place: Place) -> None:
        """Take note of a server that is up."""
        self.by_role.setdefault(role, []).append(place)

    def of(self, role: str) -> list[str]:
        """Return the addresses of a role, each ``host:port``."""
        return [place.address for place in self.by_role.get(role, [])]


class ClusterMember(ABC):
    """A server of a cluster. All errors for the user name it."""

    def __init__(self, name: str, role: str, host: str) -> None:
        self.name = name
        self.role = role
        self.host = host

    @property
    @abstractmethod
    def address(self) -> str:
        """``host:port``, once it is up."""

    @property
    def place(self) -> Place:
        """Where it is, once it is up."""
        host, _, port = self.address.rpartition(":")
        return Place(self.name, host, int(port))

    @property
    @abstractmethod
    def member(self) -> Member:
        """What a watcher needs to know of it."""

    @abstractmethod
    def preflight(self, setup: ServerSetup) -> list[Problem]:
        """Return what is in the way of a start."""

    @abstractmethod
    def start(self, setup: ServerSetup, places: Places) -> None:
        """Start and return when it is ready; ``places`` are the servers that are up already."""

    @abstractmethod
    def says(self) -> str:
        """Return what it says that it is, once it is up: product and version; empty for nothing."""

    @abstractmethod
    def stop(self) -> None:
        """End it; nothing happens where it does not run."""

    def close(self) -> None:
        """End it, and let go of all that it holds."""
        self.stop()

    @abstractmethod
    def check_running(self) -> None:
        """``RunError`` that says why, where it has ended by itself."""

    def why_ended(self) -> str | None:
        """Return why it does not run any more; None where it runs."""
        try:
            self.check_running()
        except RunError as error:
            return str(error)
        return None


Values = Mapping[str, object]
"""What a template knows."""
