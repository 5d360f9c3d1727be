"""Opens the servers of a cluster, each as what it is and where it is; none is started."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dbdyno.experiment.file.cluster import ClusterTarget, Members, member_name
from dbdyno.experiment.file.member_host import MemberHost
from dbdyno.experiment.file.private import MysqlTarget, PostgresqlTarget
from dbdyno.target.base import Server
from dbdyno.target.cluster.commanded import Commanded
from dbdyno.target.cluster.haproxy import Haproxy
from dbdyno.target.cluster.member import ClusterMember, Values
from dbdyno.target.cluster.network import ClusterNetwork
from dbdyno.target.cluster.order import in_order
from dbdyno.target.cluster.program import LocalPlace
from dbdyno.target.cluster.sql import SqlMember
from dbdyno.target.local.access import Access
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.remote.server import RemoteServer
from dbdyno.target.remote.site import site_of

OpenServer = Callable[[MysqlTarget | PostgresqlTarget, str, Path, Access], Server]
"""Opens a server that is not started yet: by its kind, name, work directory and access."""

_LOOPBACK = "127.0.0."
_FIRST_HOST = 2


@dataclass(frozen=True)
class Opening:
    """What it takes to open the servers."""

    target: ClusterTarget
    directory: Path
    open_server: OpenServer
    run: str
    """The name under which other hosts keep files of servers."""
    password: Callable[[], str]
    """Returns the password of a start."""
    values: Callable[[], Values]
    """Returns what templates know of the servers that are up."""
    network: ClusterNetwork | None = None
    """What gives each server a network of its own; None where all share this process's."""

    def members(self) -> list[ClusterMember]:
        """Return all servers in the order of their starts."""
        number = _FIRST_HOST
        opened = []
        for role in in_order(self.target.members):
            group = self.target.members[role]
            for index in range(group.count):
                name = member_name(role, index + 1)
                host = group.places[index] if group.places else None
                if host is not None and host.is_elsewhere and group.sql is not None:
                    opened.append(self._open_elsewhere(name, role, group, host))
                else:
                    place = self._place(group, host, number)
                    sql = group.sql_at(host)
                    opened.append(self._open_member(name, role, group, place, sql))
                number += 1
        return opened

    def _place(self, group: Members, host: MemberHost | None, number: int) -> LocalPlace:
        """Return where a server is that has no agent: an address that no other one has."""
        if host is not None:
            return LocalPlace(host.address or host.host.rpartition("@")[2], host.host)
        if self.network is not None:
            network = self.network.server(number)
            return LocalPlace(network.address, network.address, network)
        if group.command is not None:
            return LocalPlace(group.command.host, group.command.host)
        return LocalPlace(f"{_LOOPBACK}{number}", f"{_LOOPBACK}{number}")

    def _open_elsewhere(
        self, name: str, role: str, group: Members, host: MemberHost
    ) -> ClusterMember:
        target = group.sql_at(host)
        assert target is not None, "refused when the experiment was read"
        site = site_of(group, host, self.run)
        server = RemoteServer(name, self.directory / name, target, site, self.password)
        return SqlMember(server, role, site.address)

    def _open_member(
        self,
        name: str,
        role: str,
        group: Members,
        place: LocalPlace,
        sql: MysqlTarget | PostgresqlTarget | None,
    ) -> ClusterMember:
        if sql is not None:
            access = Access(
                sql.transport,
                place.address,
                self.password,
                from_anywhere=place.network is not None,
                network=place.network,
            )
            server = self.open_server(sql, name, self.directory, access)
            assert isinstance(server, PrivateServer)
            return SqlMember(server, role, place.address)
        if group.haproxy is not None:
            return Haproxy(name, role, place, self.directory / name, group.haproxy)
        assert group.command is not None, "refused when the experiment was read"
        return Commanded(
            name,
            role,
            place,
            self.directory / name,
            group.command,
            self.target,
            self.values,
        )
