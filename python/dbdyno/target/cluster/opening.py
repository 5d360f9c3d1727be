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
from dbdyno.target.cluster.order import in_order
from dbdyno.target.cluster.sql import SqlMember
from dbdyno.target.local.access import Access
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.remote.server import RemoteServer
from dbdyno.target.remote.site import site_of

OpenServer = Callable[[MysqlTarget | PostgresqlTarget, str, Path, Access], Server]
"""Opens a server that is not started yet: by its kind, name, work directory and access."""

_NETWORK = "127.0.0."
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

    def members(self) -> list[ClusterMember]:
        """Return all servers in the order of their starts."""
        number = _FIRST_HOST
        opened = []
        for role in in_order(self.target.members):
            group = self.target.members[role]
            for index in range(group.count):
                host = (
                    group.places[index] if group.places else MemberHost(host=f"{_NETWORK}{number}")
                )
                number += 1
                name = member_name(role, index + 1)
                if host.is_elsewhere:
                    opened.append(self._open_elsewhere(name, role, group, host))
                else:
                    opened.append(self._open_member(name, role, group, host.host))
        return opened

    def _open_elsewhere(
        self, name: str, role: str, group: Members, host: MemberHost
    ) -> ClusterMember:
        assert group.sql is not None, "refused when the experiment was read"
        site = site_of(group, host, self.run)
        server = RemoteServer(name, self.directory / name, group.sql, site, self.password)
        return SqlMember(server, role, site.address)

    def _open_member(self, name: str, role: str, group: Members, host: str) -> ClusterMember:
        if group.sql is not None:
            access = Access(group.sql.transport, host, self.password)
            server = self.open_server(group.sql, name, self.directory, access)
            assert isinstance(server, PrivateServer)
            return SqlMember(server, role, host)
        if group.haproxy is not None:
            return Haproxy(name, role, host, self.directory / name, group.haproxy)
        assert group.command is not None, "refused when the experiment was read"
        return Commanded(
            name,
            role,
            self.directory / name,
            group.command,
            self.target.home,
            self.target.variables,
            self.values,
        )
