"""A cluster, on this machine and on others: started in order, set up, and ended in reverse."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from dbdyno.database.hosts import single_host_urls
from dbdyno.errors import DbdynoError, RunError
from dbdyno.experiment.file.cluster import PLACE, ClusterTarget
from dbdyno.experiment.plan import ServerSetup, TargetSetup
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.cluster.galera import GaleraGroup
from dbdyno.target.cluster.member import ClusterMember, Places, Values
from dbdyno.target.cluster.network import ClusterNetwork
from dbdyno.target.cluster.opening import Opening, OpenServer
from dbdyno.target.cluster.order import in_order, storing_roles
from dbdyno.target.cluster.setup import run_setup
from dbdyno.target.cluster.sql import SqlMember
from dbdyno.target.cluster.templates import check_template, values_of
from dbdyno.target.description import MemberDescription, ServerDescription
from dbdyno.target.local.access import new_password
from dbdyno.target.local.files import file_errors, make_private_folder
from dbdyno.target.local.launching import DATABASE, USER
from dbdyno.target.member import Member
from dbdyno.target.problem import Problem, noting
from dbdyno.target.remote.server import RemoteServer
from dbdyno.target.url.host_description import describe_hosts
from dbdyno.target.url.server import describe_url


class Cluster(SystemUnderTest):
    """The servers of a cluster; all accept the same user with the same password."""

    def __init__(
        self,
        name: str,
        target: ClusterTarget,
        directory: Path,
        open_server: OpenServer,
        run: str = "",
    ) -> None:
        """``run`` is the name under which other hosts keep files of its servers."""
        super().__init__(name)
        self._target = target
        self._directory = directory.absolute()
        self._password = ""
        self._places = Places()
        self._setup: TargetSetup | None = None
        self._described: tuple[MemberDescription, ...] = ()
        self._galera = {
            role: GaleraGroup(group.galera)
            for role, group in target.members.items()
            if group.galera
        }
        self._network = ClusterNetwork() if target.network == "own" else None
        self._members = Opening(
            target,
            self._directory,
            open_server,
            run,
            lambda: self._password,
            self._values,
            self._network,
        ).members()
        self._storing = storing_roles(target)

    def _values(self) -> Values:
        """Return what templates know of the servers that are up."""
        return values_of(self._places, self._password, self._target.variables)

    @property
    def _sql(self) -> list[SqlMember]:
        return [member for member in self._members if isinstance(member, SqlMember)]

    @property
    def _stores(self) -> list[SqlMember]:
        return [member for member in self._sql if member.role in self._storing]

    def reroute(self, url: str) -> None:
        """Send clients to other servers, or another way to the same."""
        self._target = self._target.with_fields({"url": url})

    @property
    def url(self) -> str:
        """Where clients connect to, with the addresses of this start."""
        return self._with_addresses(self._target.url)

    @property
    def check_url(self) -> str:
        """Where tables are checked, with the addresses of this start."""
        return self._with_addresses(self._target.check_url or self._target.url)

    @property
    def load_url(self) -> str:
        """Where tables are filled, with the addresses of this start."""
        url = self._target.load_url
        return super().load_url if url is None else self._with_addresses(url)

    def _with_addresses(self, url: str) -> str:
        def address(found: re.Match[str]) -> str:
            known = {"user": USER, "database": DATABASE}
            if found[1] in known:
                return known[found[1]]
            addresses = self._places.of(found[1])
            if not addresses:
                raise RunError(f"target {self.name} is not running: no {found[1]} is up")
            return ",".join(addresses if found[2] else addresses[:1])

        return PLACE.sub(address, url)

    @property
    def host_urls(self) -> tuple[str, ...]:
        """One URL for each server that clients connect to."""
        return single_host_urls(self.url)

    @property
    def addresses(self) -> Mapping[str, str]:
        """Those of this start."""
        return {
            place.name: place.address
            for places in self._places.by_role.values()
            for place in places
        }

    @property
    def password(self) -> str:
        """The password of this start, the same at all servers."""
        return self._password

    @property
    def nodes(self) -> tuple[tuple[str, str | None], ...]:
        """The servers that store the data."""
        return tuple((member.server.url, member.server.password) for member in self._stores)

    @property
    def members(self) -> tuple[Member, ...]:
        """All servers, with their roles."""
        return tuple(member.member for member in self._members)

    def preflight(self, setup: TargetSetup) -> list[Problem]:
        """Ask every member, and read the templates; leave no agent on another host."""
        problems: list[Problem] = []
        for path in self._target.setup.values():
            with noting(problems):
                check_template(path)
        if self._network is not None:
            with noting(problems):
                self._network.check()
        self._call_ahead()
        try:
            for member in self._members:
                problems += member.preflight(_setup_of(setup, member))
                problems += self._lacks_galera(member)
        finally:
            self.close()
        return problems

    def _lacks_galera(self, member: ClusterMember) -> list[Problem]:
        problems: list[Problem] = []
        galera = self._galera.get(member.role)
        if galera is not None and isinstance(member, SqlMember):
            with noting(problems):
                galera.check(member)
        return problems

    def begin(self, setup: TargetSetup) -> None:
        """Start all servers in order, each when those before it are ready, and set them up."""
        self.stop()
        self._setup = setup
        self._password = new_password()
        self._places = Places()
        self._described = ()
        for group in self._galera.values():
            group.forget()
        self._call_ahead()
        with file_errors(f"use the directory {self._directory} for servers"):
            make_private_folder(self._directory)
        try:
            if self._network is not None:
                self._network.make()
            for member in self._members:
                self._start(member, _setup_of(setup, member))
            self._set_up()
        except BaseException:
            self._end_all(lambda member: member.stop())
            raise

    def _start(self, member: ClusterMember, setup: ServerSetup) -> None:
        galera = self._galera.get(member.role)
        if galera is not None:
            assert isinstance(member, SqlMember)
            galera.prepare(member)
        member.start(setup, self._places)
        if galera is not None:
            assert isinstance(member, SqlMember)
            galera.wait_until_ready(member)
        self._places.add(member.role, member.place)

    def _set_up(self) -> None:
        values = self._values()
        for role in in_order(self._target.members):
            if role in self._target.setup:
                for member in self._sql:
                    if member.role == role:
                        run_setup(self._target.setup[role], member, values)

    def restart(self) -> None:
        """Start all anew as they were started last."""
        assert self._setup is not None, "it has been started"
        self.begin(self._setup)

    def apply(self, setup: TargetSetup) -> None:
        """Make settings on the servers of each role while they run."""
        for member in self._sql:
            member.apply(_setup_of(setup, member).online)

    def stop(self) -> None:
        """End all servers, those that started last first."""
        errors = self._end_all(lambda member: member.stop())
        if errors:
            raise errors[0]

    def close(self) -> None:
        """End all servers, and the agents of those on other hosts."""
        errors = self._end_all(lambda member: member.close())
        if errors:
            raise errors[0]

    def _end_all(self, end: Callable[[ClusterMember], None]) -> list[DbdynoError]:
        """End every server, also where another one cannot be ended."""
        errors: list[DbdynoError] = []
        for member in reversed(self._members):
            try:
                end(member)
            except DbdynoError as error:
                errors.append(error)
        if self._network is not None:
            self._network.remove()
        self._places = Places()
        return errors

    def describe(self) -> ServerDescription:
        """Describe the servers that store the data, under the product of what clients connect to.

        ``RunError`` that names a server where one has ended.
        """
        lost = self.lost_member()
        if lost is not None:
            raise RunError(lost)
        return replace(self._describe_stores(), members=self._describe_members())

    def _describe_members(self) -> tuple[MemberDescription, ...]:
        """Ask each server once after a start what it is: that stays as it is."""
        if not self._described:
            self._described = tuple(
                MemberDescription(member.name, member.role, member.says(), member.address)
                for member in self._members
            )
        return self._described

    def _describe_stores(self) -> ServerDescription:
        servers = {member.server.url: member.server for member in self._stores}
        if not servers:
            # Commands have started all of them: there is nobody to ask but where clients connect.
            return describe_hosts(
                list(self.host_urls), lambda url: describe_url(url, self._password)
            )
        nodes = describe_hosts(list(servers), lambda url: servers[url].describe())
        try:
            layer = describe_url(self.host_urls[0], self._password)
        except RunError:
            return nodes
        return replace(nodes, product=layer.product, version=layer.version)

    def lost_member(self) -> str | None:
        """Say which server has ended by itself, and why; None where all run."""
        reasons = (member.why_ended() for member in self._members)
        return next((reason for reason in reasons if reason is not None), None)

    def out_of_memory_kills(self) -> int | None:
        """Add up what is known of the members."""
        counts = [member.server.out_of_memory_kills() for member in self._sql]
        known = [count for count in counts if count is not None]
        return sum(known) if known else None

    def killed_for_memory(self) -> str | None:
        """Name the first member of which this is known."""
        reasons = (member.server.killed_for_memory() for member in self._sql)
        return next((reason for reason in reasons if reason is not None), None)

    def maker(self) -> str:
        """Return what makes the files of each role, and what is set up in them."""
        firsts = {member.role: member for member in reversed(self._sql)}
        makers = [f"{role}: {firsts[role].server.maker()}" for role in sorted(firsts)]
        templates = [path.read_text() for path in self._target.setup.values()]
        return "\n".join([*makers, *templates])

    @property
    def _elsewhere(self) -> list[RemoteServer]:
        servers = (member.server for member in self._sql)
        return [server for server in servers if isinstance(server, RemoteServer)]

    def _call_ahead(self) -> None:
        for server in self._elsewhere:
            server.call_ahead()

    def has_files_of(self, directory: Path) -> bool:
        """Ask other hosts whether they still have their part of a snapshot."""
        return all(server.has_files_of(directory / server.name) for server in self._elsewhere)

    def remove_files(self) -> None:
        """Have other hosts remove the data of their servers."""
        self._call_ahead()
        for server in self._elsewhere:
            server.remove_files()

    def remove_files_of(self, directory: Path) -> None:
        """Have other hosts remove their part of a snapshot."""
        for server in self._elsewhere:
            server.remove_files_of(directory / server.name)

    def directory_bytes(self) -> int:
        """Add up the data directories of all members."""
        return sum(member.server.directory_bytes() for member in self._sql)

    def snapshot(self, directory: Path) -> None:
        """Copy the files of every member; all have been stopped."""
        with file_errors(f"write to {directory}"):
            make_private_folder(directory)
        for member in self._sql:
            member.snapshot(directory / member.name)

    def restore(self, directory: Path) -> None:
        """Give every member its files back."""
        with file_errors(f"use the directory {self._directory} for servers"):
            make_private_folder(self._directory)
        for member in self._sql:
            member.restore(directory / member.name)


def _setup_of(setup: TargetSetup, member: ClusterMember) -> ServerSetup:
    return setup.roles.get(member.role, ServerSetup())
