"""How many clients a host can have: what its limits of files and ports leave, and what to do.

A client has a connection, which is an open file of its generator's process. Towards each server it
takes one of the ports that the kernel gives to connections; a server at another address can be
reached from the same ports again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dbdyno.watch.kernel import PORT_RANGE, kernel_setting, open_files_limit

if TYPE_CHECKING:
    from dbdyno.facts.host import HostFacts

FILES_BESIDE_CLIENTS = 100
"""Libraries, pipes, event loops and result files."""


@dataclass(frozen=True)
class ClientLimits:
    """What a host allows; None where nothing is known to limit it."""

    open_files: int | None
    """Those of one process."""
    ports: int | None
    """For connections to one address."""


@dataclass(frozen=True)
class ClientNeeds:
    """What the generators of a host have at the most in any trial."""

    clients_of_process: int
    clients_to_server: int
    """To the one server that has the most clients from there; 0 where they take no ports."""


def own_client_limits() -> ClientLimits:
    """Return the limits of this host and process."""
    return _limits(open_files_limit(), kernel_setting(PORT_RANGE))


def client_limits(facts: HostFacts) -> ClientLimits:
    """Return the limits of a host of which the facts are known."""
    return _limits(facts.process_open_files_limit, facts.kernel_settings.get(PORT_RANGE))


def _limits(open_files: int | str | None, port_range: str | None) -> ClientLimits:
    ends = [int(end) for end in (port_range or "").split() if end.isdecimal()]
    return ClientLimits(
        open_files=open_files if isinstance(open_files, int) else None,
        ports=ends[-1] - ends[0] + 1 if ends else None,
    )


def shortages(limits: ClientLimits, needs: ClientNeeds) -> Iterator[str]:
    """Yield in words what a host has too few of, and what to do."""
    files = needs.clients_of_process + FILES_BESIDE_CLIENTS
    if limits.open_files is not None and limits.open_files < files:
        yield (
            f"a generator has {needs.clients_of_process:,} clients, which takes about {files:,} "
            f"open files, and {limits.open_files:,} are allowed; raise the limit (ulimit -n "
            f"{files}), or use more processes (count) or fewer clients"
        )
    if limits.ports is not None and limits.ports < needs.clients_to_server:
        yield (
            f"generators have {needs.clients_to_server:,} clients at one server, and "
            f"{PORT_RANGE} has {limits.ports:,} ports for them; widen it (sysctl -w "
            f"{PORT_RANGE}='1024 65535'), or use more hosts or fewer clients"
        )
