"""Where on other hosts servers of a run are: the ways there, addresses, and the run's name."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno.errors import RunError
from dbdyno.experiment.file.cluster import ClusterTarget, Members
from dbdyno.experiment.file.member_host import MemberHost
from dbdyno.remote.way import SSH, Way
from dbdyno.target.remote.language import AGENT


@dataclass(frozen=True)
class Site:
    """A host for servers of one run."""

    way: Way
    run: str
    """The name under which the run keeps files there."""
    directory: str | None
    """Where these are; None: beneath the temporary directory."""
    written_address: str | None

    @property
    def address(self) -> str:
        """The address at which servers listen there; ``RunError`` where the name has none."""
        name = self.written_address or self.way.address_name
        try:
            return str(socket.getaddrinfo(name, None, family=socket.AF_INET)[0][4][0])
        except OSError as error:
            raise RunError(
                f"host {self.way.host}: {name} has no IPv4 address that is known here "
                f"({error.strerror}); give hosts: [{{host: {self.way.host}, address: ADDRESS}}]"
            ) from error


def site_of(group: Members, host: MemberHost, run: str) -> Site:
    """Return the site of a server of a role."""
    way = Way(host.host, command=group.ssh or SSH, python=group.python or "python3", module=AGENT)
    return Site(way, run, group.directory, host.address)


def sites_of(targets: Iterable[ClusterTarget], run: str) -> list[Site]:
    """Return the sites of all servers on other hosts, each once."""
    sites = [
        site_of(group, host, run)
        for target in targets
        for group in target.members.values()
        for host in group.places
        if host.is_elsewhere
    ]
    return list({(site.way, site.directory): site for site in sites}.values())
