"""What makes MariaDB servers one Galera cluster: options, first data, and when a node is ready."""

from __future__ import annotations

import time
from pathlib import Path

from dbdyno.database.session import open_session
from dbdyno.errors import InputError, RunError
from dbdyno.target.cluster.sql import SqlMember
from dbdyno.target.local.launching import free_port

USUAL_PROVIDERS = (
    "/usr/lib/galera/libgalera_smm.so",
    "/usr/lib64/galera-4/libgalera_smm.so",
    "/usr/lib/galera-4/libgalera_smm.so",
    "/usr/lib64/galera/libgalera_smm.so",
)
READY_LIMIT_S = 120.0
POLL_S = 0.1


def find_provider(written: bool | str) -> Path:
    """Return Galera's library, where the file names it or in a usual place."""
    places = USUAL_PROVIDERS if written is True else (str(written),)
    found = next((Path(place) for place in places if Path(place).is_file()), None)
    if found is None:
        raise InputError(
            f"galera: there is no {' and no '.join(places)}; install Galera (in Debian and Ubuntu "
            "the package galera-4), or write galera: /path/to/libgalera_smm.so"
        )
    return found


class GaleraGroup:
    """The nodes of one cluster, in the order in which they start; the first one makes it anew."""

    def __init__(self, provider: Path) -> None:
        self._provider = provider
        self._addresses: list[str] = []

    def forget(self) -> None:
        """Begin a start of the cluster."""
        self._addresses = []

    def prepare(self, member: SqlMember) -> None:
        """Give a node that is about to start its options."""
        address = f"{member.host}:{free_port(member.host)}"
        others = ",".join(self._addresses)
        first = [] if self._addresses else ["--wsrep-new-cluster"]
        transfer = f"{member.host}:{free_port(member.host)}"
        options = (
            f"gmcast.listen_addr=tcp://{address};ist.recv_addr={transfer};"
            "pc.recovery=FALSE;gcache.size=128M"
        )
        member.server.join(  # type: ignore[attr-defined]
            [
                "--wsrep-on=ON",
                f"--wsrep-provider={self._provider}",
                f"--wsrep-cluster-address=gcomm://{others}",
                "--wsrep-cluster-name=dbdyno",
                f"--wsrep-node-name={member.name}",
                f"--wsrep-node-address={address}",
                f"--wsrep-provider-options={options}",
                "--wsrep-sst-method=rsync",
                f"--wsrep-sst-receive-address={member.host}:{free_port(member.host)}",
                "--binlog-format=ROW",
                "--innodb-autoinc-lock-mode=2",
                "--default-storage-engine=InnoDB",
                *first,
            ]
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

