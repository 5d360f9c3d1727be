"""What a target is to the runner: something to start, to set, to describe and to stop.

A target is a *system under test*: one server, or several that serve as one. It goes through these
states, and only in this order: *stopped* → ``begin`` → *running* → ``stop`` → *stopped*. As a
context manager it is stopped on the way out, whatever happened inside. What only some targets can
do is in ``capabilities.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from dbdyno.database.url import database_of_url
from dbdyno.errors import InputError, RunError
from dbdyno.experiment.plan import NO_LIMITS, SERVER_ROLE, ServerLimits, TargetSetup
from dbdyno.target.capabilities import Settable, Validating
from dbdyno.target.description import ServerDescription
from dbdyno.target.member import Member
from dbdyno.target.problem import Problem, noting


class SystemUnderTest(ABC):
    """The servers of one target. All errors for the user are ``DbdynoError``."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    @abstractmethod
    def url(self) -> str:
        """Where clients connect to; the password is never a part of it."""

    @property
    def host_urls(self) -> tuple[str, ...]:
        """Where each of several hosts is reached alone; the one URL where there is one host."""
        return (self.url,)

    @property
    def addresses(self) -> Mapping[str, str]:
        """``host:port`` of the servers that plans call by their names, where there are such."""
        return {}

    @property
    def check_url(self) -> str:
        """Where tables are checked after a trial: here, unless somebody named another place."""
        return self.url

    @property
    def load_url(self) -> str:
        """Where tables are made and filled: at the first host, unless somebody named another."""
        return self.host_urls[0]

    @property
    def password(self) -> str | None:
        """What clients give as password; None where none is needed."""
        return None

    @property
    def nodes(self) -> tuple[tuple[str, str | None], ...]:
        """The servers behind a layer, each as URL and password; none where there is no layer."""
        return ()

    @property
    @abstractmethod
    def members(self) -> tuple[Member, ...]:
        """Its servers, for whoever watches them; those that do not run have no processes."""

    def process_ids(self) -> tuple[int, ...]:
        """Return the processes of all members on this machine."""
        return tuple(number for member in self.members for number in member.process_ids)

    @abstractmethod
    def preflight(self, setup: TargetSetup) -> list[Problem]:
        """Return what is in the way of ``begin``, as far as that is known without one.

        Nothing is written, and nothing is started.
        """

    @abstractmethod
    def begin(self, setup: TargetSetup) -> None:
        """Start with the settings and limits of each role; return when clients can connect.

        The kernel holds a private server to its limits; no other server is given any. A running
        target is stopped first. ``InputError`` where the settings or the installation are wrong,
        ``RunError`` with the server's own words where it does not come up; no process is left then.
        """

    @abstractmethod
    def apply(self, setup: TargetSetup) -> None:
        """Make the settings that the running target takes without a restart; ``begin`` does too."""

    @abstractmethod
    def stop(self) -> None:
        """End in an orderly way; nothing happens where it is not running."""

    @abstractmethod
    def describe(self) -> ServerDescription:
        """Ask the running target what it is and how it is set."""

    def close(self) -> None:
        """End it, and let go of all that it holds; it may be started again."""
        self.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class Server(SystemUnderTest):
    """One server: a target that has no other, or a member of a cluster."""

    @abstractmethod
    def check(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """See that a start with these settings can come off, as far as that is known without one.

        ``InputError`` or ``RunError`` as in ``start``. Nothing is written, and nothing is started.
        """

    @abstractmethod
    def start(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """Do as ``begin`` does, for the one role that there is."""

    def begin(self, setup: TargetSetup) -> None:
        """Start with what the setup has for a server that is alone."""
        self.start(setup.server.settings, setup.server.limits)
        self.apply(setup)

    def apply(self, setup: TargetSetup) -> None:
        """Make what the setup has for the running server; nothing where that is nothing."""
        settings = setup.server.online
        if not settings:
            return
        if not isinstance(self, Settable):
            raise InputError(
                f"target {self.name} takes no settings while it runs; remove apply: online from "
                f"the factor that sets {', '.join(settings)}"
            )
        self.set_online(settings)

    def preflight(self, setup: TargetSetup) -> list[Problem]:
        """Check the start; have the program read the settings, where there is one to ask."""
        problems: list[Problem] = []
        asked = setup.server
        with noting(problems):
            self.check(asked.settings, asked.limits)
            if isinstance(self, Validating):
                with noting(problems, costs_trials=True):
                    self.validate({**asked.settings, **asked.online})
        return problems

    @property
    def members(self) -> tuple[Member, ...]:
        """The server alone."""
        try:
            url: str | None = self.url
        except RunError:
            # A private server has its port only while it runs.
            url = None
        return (
            Member(
                name=self.name,
                role=SERVER_ROLE,
                host="" if url is None else urlsplit(url.partition(",")[0]).hostname or "",
                kind=self.kind,
                process_ids=self.own_process_ids(),
                url=url,
                password=self.password,
            ),
        )

    @property
    def kind(self) -> str:
        """What it speaks: ``mysql``, ``postgresql`` or ``sqlite``."""
        return database_of_url(self.url)

    def own_process_ids(self) -> tuple[int, ...]:
        """Return its processes on this machine; none where it is elsewhere, or embedded."""
        return ()
