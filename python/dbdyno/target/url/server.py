"""A server that was up before us: it is asked and measured, and never started, set or stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from typing import Self
from urllib.parse import urlsplit

from dbdyno._native import Session
from dbdyno.database.hosts import is_local, single_host_urls, take_apart
from dbdyno.database.session import open_session
from dbdyno.database.url import database_of_url
from dbdyno.errors import InputError, RunError
from dbdyno.experiment.file.target import UrlTarget
from dbdyno.experiment.plan import NO_LIMITS, SERVER_ROLE, ServerLimits
from dbdyno.password import PASSWORD_VARIABLE, password_in, split_password
from dbdyno.target.base import Server
from dbdyno.target.description import ServerDescription
from dbdyno.target.member import Member
from dbdyno.target.mysql.description import describe_mysql, effective_settings
from dbdyno.target.mysql.online import set_mysql_online
from dbdyno.target.postgresql.description import describe_postgres
from dbdyno.target.postgresql.online import alter_system, await_settings
from dbdyno.target.postgresql.readback import shown_settings
from dbdyno.target.sqlite.server import describe_sqlite
from dbdyno.target.url.host_description import describe_hosts

NODE_ROLE = "node"
"""The role of a server behind a layer."""

LOGIN_REFUSED = "SQLSTATE 28"
"""In the driver's words when a server refuses user or password."""

_DESCRIBE: dict[str, Callable[[Session], ServerDescription]] = {
    "sqlite": describe_sqlite,
    "mysql": describe_mysql,
    "mariadb": describe_mysql,
    "postgresql": describe_postgres,
    "postgres": describe_postgres,
}


def describe_url(url: str, password: str | None) -> ServerDescription:
    """Ask the server that a URL leads to."""
    describe = _DESCRIBE[url.partition(":")[0]]
    with open_session(url, password) as session:
        description = describe(session)
    return description if is_local(url) else replace(description, data_directory=None)


def _shown(url: str, session: Session, names: Iterable[str]) -> dict[str, str]:
    """Return the values of some settings as a statement can set them again."""
    if database_of_url(url) == "postgresql":
        shown = shown_settings(session)
        return {name: shown[name.lower()].shown for name in names if name.lower() in shown}
    effective = effective_settings(session)
    return {name: effective[name.lower()] for name in names if name.lower() in effective}


def _set_online(
    url: str, connect: Callable[[], AbstractContextManager[Session]], settings: Mapping[str, str]
) -> None:
    if database_of_url(url) == "postgresql":
        with connect() as session:
            alter_system(session, settings)
        await_settings(connect, settings)
    else:
        with connect() as session:
            set_mysql_online(session, settings)


class ExternalServer(Server):
    """Whatever a URL leads to. A password in the URL is taken out of it.

    Without one there, it is that of the environment variable ``password_variable``, if there is
    any. ``nodes`` are the servers behind it, where it is a layer, each as URL and password. Tables
    are checked at ``check_url``, with the same password; without it, at the URL.
    """

    def __init__(
        self,
        name: str,
        url: str,
        password: str | None = None,
        password_variable: str = PASSWORD_VARIABLE,
        nodes: Sequence[tuple[str, str | None]] = (),
        check_url: str | None = None,
    ) -> None:
        super().__init__(name)
        self._variable = password_variable
        self._given_password = password
        self.reroute(url)
        self._nodes = tuple(nodes)
        self._check_url = check_url
        self._before: dict[str, dict[str, str]] = {}

    @classmethod
    def of_target(cls, name: str, target: UrlTarget) -> Self:
        """Return the server of a target."""
        password = password_in(target.nodes_password_env) if target.nodes else None
        nodes = [(url, password) for url in target.nodes]
        return cls(
            name,
            target.url,
            password_variable=target.password_env,
            nodes=nodes,
            check_url=target.check_url,
        )

    def reroute(self, url: str) -> None:
        """Send clients to where another URL leads; with the password in it, if there is one."""
        self._url, in_url = split_password(url)
        password = in_url if self._given_password is None else self._given_password
        self._password = password_in(self._variable) if password is None else password

    @property
    def url(self) -> str:
        """The URL without its password."""
        return self._url

    @property
    def host_urls(self) -> tuple[str, ...]:
        """One URL for each host that the URL names."""
        return single_host_urls(self._url)

    @property
    def check_url(self) -> str:
        """Where tables are checked."""
        return self._check_url or self._url

    @property
    def nodes(self) -> tuple[tuple[str, str | None], ...]:
        """The servers behind a layer, each as URL and password."""
        return self._nodes

    @property
    def members(self) -> tuple[Member, ...]:
        """Each host that the URL names, and each node behind a layer."""
        hosts = [(url, self._password, SERVER_ROLE) for url in self.host_urls]
        nodes = [(url, password, NODE_ROLE) for url, password in self._nodes]
        return tuple(
            Member(
                name=take_apart(url).hosts[0],
                role=role,
                host=urlsplit(url).hostname or "",
                kind=database_of_url(url),
                url=url,
                password=password,
            )
            for url, password, role in (*hosts, *nodes)
        )

    @property
    def password(self) -> str | None:
        """The password, from the URL or from the environment."""
        return self._password

    def start(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """See that all is as it should be; the server is up."""
        self.check(settings, limits)

    def check(self, settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> None:
        """See that every host and node lets us in; refuse settings, which only its owner makes."""
        if settings:
            raise InputError(
                f"target {self.name} is a server that dbdyno did not start, so that it cannot set "
                f"{', '.join(settings)} on it; use a mysql, postgresql or sqlite target, or give "
                "it commands: {apply: ..., restart: ...}"
            )
        if limits:
            raise InputError(
                f"target {self.name} is a server that dbdyno did not start, so that it cannot "
                "limit it; use a mysql or postgresql target"
            )
        try:
            for url in self.host_urls:
                with open_session(url, self._password):
                    pass
        except RunError as error:
            hint = self._password_hint() if LOGIN_REFUSED in str(error) else ""
            raise RunError(f"target {self.name}: {error}{hint}") from error
        try:
            for url, password in self._nodes:
                with open_session(url, password):
                    pass
        except RunError as error:
            raise RunError(f"target {self.name}, a node: {error}") from error
        if self._check_url is not None:
            try:
                with open_session(self._check_url, self._password):
                    pass
            except RunError as error:
                raise RunError(f"target {self.name}, its check_url: {error}") from error

    def _password_hint(self) -> str:
        is_usual = self._variable == PASSWORD_VARIABLE
        # Somebody may have written the password there in place of a name.
        which = PASSWORD_VARIABLE if is_usual else "that password_env names"
        return (
            f"; the password is taken from the environment variable {which}, which is "
            f"{'not set' if self._password is None else 'set'}"
        )

    def set_online(self, settings: Mapping[str, str]) -> None:
        """Make settings at every node or host; what was there before is kept for ``stop``."""
        for url, password in self._places():
            connect = partial(open_session, url, password)
            before = self._before.setdefault(url, {})
            with connect() as session:
                before |= {
                    name: value
                    for name, value in _shown(url, session, settings).items()
                    if name not in before
                }
            _set_online(url, connect, settings)

    def _places(self) -> Sequence[tuple[str, str | None]]:
        """Return where settings are made: the nodes, or the hosts where there are none."""
        return self._nodes or [(url, self._password) for url in self.host_urls]

    def stop(self) -> None:
        """Leave the server as it was: settings that were made on it go back."""
        for url, password in self._places():
            before = self._before.pop(url, {})
            if before:
                with suppress(RunError):
                    _set_online(url, partial(open_session, url, password), before)

    def describe(self) -> ServerDescription:
        """Ask the server, or each of several, for its version and settings."""
        if self._nodes:
            return self._describe_nodes()
        urls = self.host_urls
        return self._describe(urls[0]) if len(urls) == 1 else describe_hosts(urls, self._describe)

    def _describe(self, url: str) -> ServerDescription:
        return describe_url(url, self._password)

    def _describe_nodes(self) -> ServerDescription:
        """Return the nodes' description under the layer's own name, where it tells that."""
        passwords = dict(self._nodes)
        nodes = describe_hosts(list(passwords), lambda url: describe_url(url, passwords[url]))
        try:
            layer = self._describe(self.host_urls[0])
        except RunError:
            return nodes
        return replace(nodes, product=layer.product, version=layer.version)
