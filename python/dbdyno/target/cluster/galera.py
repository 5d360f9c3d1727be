"""What makes MariaDB servers one Galera cluster: options, first data, and when a node is ready."""

from __future__ import annotations

import secrets
import time

from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.remote.certificates import Certificates, make_certificates
from dbdyno.target.cluster.sql import SqlMember
from dbdyno.target.mysql.galera import Membership
from dbdyno.target.mysql.server import MysqlServer
from dbdyno.target.remote.server import RemoteServer

READY_LIMIT_S = 120.0
POLL_S = 0.1


class GaleraGroup:
    """The nodes of one cluster, in the order in which they start; the first one makes it anew."""

    def __init__(self, provider: bool | str) -> None:
        """Take Galera's library as the file names it."""
        self._provider = provider
        self.forget()

    def forget(self) -> None:
        """Begin a start of the cluster, which only its own nodes can join."""
        self._addresses: list[str] = []
        self._name = f"dbdyno-{secrets.token_hex(8)}"
        self._certificates: Certificates | None = None

    def check(self, member: SqlMember) -> None:
        """``InputError`` where Galera's library is not where a node runs."""
        _node(member).find_provider(self._provider)

    def prepare(self, member: SqlMember) -> None:
        """Give a node that is about to start its options."""
        server = _node(member)
        address = f"{member.host}:{server.free_port()}"
        others = ",".join(self._addresses)
        first = [] if self._addresses else ["--wsrep-new-cluster"]
        transfer = f"{member.host}:{server.free_port()}"
        if self._certificates is None:
            self._certificates = make_certificates()
        nodes = self._certificates.agents
        provider_options = (
            f"gmcast.listen_addr=tcp://{address};ist.recv_addr={transfer};"
            "pc.recovery=FALSE;gcache.size=128M"
        )
        server.join(
            Membership(
                options=(
                    "--wsrep-on=ON",
                    f"--wsrep-provider={server.find_provider(self._provider)}",
                    f"--wsrep-cluster-address=gcomm://{others}",
                    f"--wsrep-cluster-name={self._name}",
                    f"--wsrep-node-name={member.name}",
                    f"--wsrep-node-address={address}",
                    "--wsrep-sst-method=rsync",
                    f"--wsrep-sst-receive-address={member.host}:{server.free_port()}",
                    "--binlog-format=ROW",
                    "--innodb-autoinc-lock-mode=2",
                    "--default-storage-engine=InnoDB",
                    *first,
                ),
                provider_options=provider_options,
                authority=self._certificates.authority,
                certificate=nodes.certificate,
                key=nodes.key,
            )
        )
        self._addresses.append(address)

    def wait_until_ready(self, member: SqlMember) -> None:
        """Wait until a node is a synchronous part of the cluster."""
        deadline_s = time.monotonic() + READY_LIMIT_S
        while True:
            with open_session(member.server.url, member.server.password) as session:
                ((_, ready),) = session.query("SHOW STATUS LIKE 'wsrep_ready'")
                ((_, size),) = session.query("SHOW STATUS LIKE 'wsrep_cluster_size'")
            if ready == "ON" and size == str(len(self._addresses)):
                return
            if time.monotonic() > deadline_s:
                raise RunError(
                    f"server {member.name} did not become a part of the cluster within "
                    f"{READY_LIMIT_S:.0f} s: wsrep_ready is {ready}, wsrep_cluster_size {size}"
                )
            time.sleep(POLL_S)


def _node(member: SqlMember) -> MysqlServer | RemoteServer:
    assert isinstance(member.server, MysqlServer | RemoteServer), "galera is for mysql members"
    return member.server
