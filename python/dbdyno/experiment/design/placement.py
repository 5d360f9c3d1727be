"""Where a server runs, seen from the CPUs of the generator that asks it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from socket import AF_INET, AF_INET6, SOCK_DGRAM, getaddrinfo
from socket import socket as Socket  # noqa: N812
from urllib.parse import parse_qs, urlsplit

import psutil

from dbdyno.database.hosts import single_host_urls
from dbdyno.database.url import DEFAULT_PORTS, database_of_url
from dbdyno.protocol.generators import Placement

_INTO_CONTAINERS = {"docker-proxy", "rootlessport"}
"""Programs that listen for a server in a container of this machine."""
_ANYWHERE = {"ssh"}
"""Programs that listen for a server on any machine."""

_INTERFACES, _VIRTUAL = Path("/sys/class/net"), Path("/sys/devices/virtual")


def placement_of_cpus(
    server: Collection[int] | None, generator: Collection[int] | None
) -> Placement:
    """Compare the CPUs of a server on this machine with the generator's; None: all of ours."""
    own = os.sched_getaffinity(0)
    return "same_cpus" if set(server or own) & set(generator or own) else "other_cpus"


@cache
def placement_of_url(url: str, generator: tuple[int, ...] | None = None) -> Placement:
    """Look for the servers of a URL, once: the processes that listen there, and their CPUs."""
    found = {_placement(each, generator) for each in single_host_urls(url)}
    ordered: tuple[Placement, ...] = ("same_cpus", "unknown", "other_cpus")
    return next((worst for worst in ordered if worst in found), "elsewhere")


def _placement(url: str, generator: Collection[int] | None) -> Placement:
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return "same_cpus"
    socket = parse_qs(parts.query).get("socket")
    if socket:
        listeners = list(_at_socket(socket[0]))
    else:
        ips = _addresses(parts.hostname)
        if not any(map(_is_here, ips)):
            return "unknown" if any(map(_may_be_container, ips)) else "elsewhere"
        port = parts.port or DEFAULT_PORTS[database_of_url(url)]
        listeners = list(_at_port(ips, port))
    cpus = set[int]()
    for process_id in listeners:
        with suppress(psutil.Error):
            process = psutil.Process(process_id)
            if process.name() in _ANYWHERE:
                return "unknown"
            if process.name() in _INTO_CONTAINERS:
                return "same_cpus"
            cpus |= set(process.cpu_affinity() or ())
    return placement_of_cpus(cpus, generator) if cpus else "unknown"


def _addresses(host: str | None) -> set[str]:
    """Return what a host's name resolves to; nothing where it does not."""
    # A name whose parts are too long has no form in which it could be asked for.
    with suppress(OSError, UnicodeError):
        return {str(found[4][0]) for found in getaddrinfo(host or "localhost", None)}
    return set()


def _is_here(ip: str) -> bool:
    """Whether an address is one of this machine: no other can be bound to."""
    family = AF_INET6 if ":" in ip else AF_INET
    with Socket(family, SOCK_DGRAM) as probe, suppress(OSError):
        probe.bind((ip, 0))
        return True
    return False


def _may_be_container(ip: str) -> bool:
    """Whether an address is a neighbour's on a network that is within this machine."""
    return any(
        _is_neighbour(ip, each.address, each.netmask) and _is_within_machine(name)
        for name, addresses in psutil.net_if_addrs().items()
        for each in addresses
        if each.family in (AF_INET, AF_INET6) and each.netmask
    )


def _is_neighbour(ip: str, own_ip: str, netmask: str) -> bool:
    theirs, ours, mask = ip_address(ip), ip_address(own_ip), int(ip_address(netmask))
    return theirs.version == ours.version and int(theirs) & mask == int(ours) & mask


def _is_within_machine(name: str) -> bool:
    """Whether an interface is one end of a virtual cable, or a bridge of virtual ones alone."""
    directory = _INTERFACES / name
    lower = list(directory.glob("lower_*"))
    if not all(each.resolve().is_relative_to(_VIRTUAL) for each in (directory, *lower)):
        return False
    if (directory / "bridge").exists():
        return True
    with suppress(OSError):  # It may be gone by now.
        other_end = (directory / "iflink").read_text()
        return not lower and other_end != (directory / "ifindex").read_text()
    return False


def _at_socket(path: str) -> Iterator[int]:
    for each in psutil.net_connections("unix"):
        if str(each.laddr) == path and each.pid is not None:
            yield each.pid


def _at_port(ips: Collection[str], port: int) -> Iterator[int]:
    """Yield the processes that listen there; the kernel hides those of other users."""
    places = {*ips, *(f"::ffff:{ip}" for ip in ips), "0.0.0.0", "::"}
    for each in psutil.net_connections("tcp"):
        if each.status != psutil.CONN_LISTEN or not each.laddr or each.pid is None:
            continue
        if each.laddr.port == port and each.laddr.ip in places:
            yield each.pid
