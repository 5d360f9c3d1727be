"""The hosts in a server's URL: one, or several among which clients are spread.

They are cut out by hand because parsers of URLs know one host. The generator's drivers read URLs in
the same way, and refuse in their own words what is wrong beyond this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from dbdyno.refusal import refusal, suggest

LARGEST_PORT = 65_535

BALANCES = ("round_robin", "random", "least_connections", "disabled")
SYNONYMS = {
    **{"roundrobin": "round_robin", "leastconn": "least_connections", "true": "random"},
    **dict.fromkeys(("disable", "false", "sequential"), "disabled"),
}
"""What drivers elsewhere (libpq, PgJDBC, MariaDB Connector/J) call the same."""

_BALANCE = re.compile(r"[?&](?:load_balance|load_balance_hosts|loadBalanceHosts)=([^&#]*)")
_SOCKET = re.compile(r"(?<=[?&]socket=)[^&#]*")
_HOST = re.compile(r"(?P<name>\[[^\]]*\]|[^:\[\]]*)(?::(?P<port>[^:]*))?")


@dataclass(frozen=True)
class UrlParts:
    """A URL taken apart where its hosts are: ``head`` ends before the first of them."""

    head: str
    hosts: tuple[str, ...]
    tail: str

    def with_hosts(self, hosts: tuple[str, ...]) -> str:
        """Return the URL with other hosts."""
        return f"{self.head}{','.join(hosts)}{self.tail}"


def take_apart(url: str) -> UrlParts:
    """Take a URL apart around its hosts, which for Unix sockets are the values of a parameter."""
    if sockets := _SOCKET.search(url):
        place = sockets.span()
    else:
        scheme, separator, rest = url.partition("://")
        authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
        start = len(scheme) + len(separator)
        place = (start + authority.rfind("@") + 1, start + len(authority))
    return UrlParts(url[: place[0]], tuple(url[slice(*place)].split(",")), url[place[1] :])


def single_host_urls(url: str) -> tuple[str, ...]:
    """Return a URL for each of the hosts, in their order."""
    parts = take_apart(url)
    return tuple(parts.with_hosts((host,)) for host in parts.hosts)


def is_local(url: str) -> bool:
    """Tell whether all hosts are this machine: a socket, no host, or a loopback address."""
    return all(map(_is_local, single_host_urls(url)))


def _is_local(url: str) -> bool:
    parts = urlsplit(url)
    host: str = parts.hostname or "localhost"
    if "socket" in parse_qs(parts.query) or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def check_hosts(url: str, *, default_port: int) -> None:
    """Refuse hosts, ports and ways of balancing that cannot be."""
    balance = _BALANCE.search(url)
    if balance and balance[1].lower().replace("-", "_") not in {*BALANCES, *SYNONYMS}:
        raise refusal(f"load_balance is {balance[1]!r}; {suggest(balance[1], BALANCES)}")
    names = host_names(url, default_port=default_port)
    if len(names) > 1 and "" in names:
        raise refusal("one of several hosts is empty; write them as host1:3306,host2:3307")
    for index, name in enumerate(names):
        if name in names[:index]:
            raise refusal(f"names the host {name} twice; name each host once")


def is_socket(url: str) -> bool:
    """Tell whether a URL leads to Unix sockets."""
    return _SOCKET.search(url) is not None


def host_names(url: str, *, default_port: int) -> tuple[str, ...]:
    """Return the hosts of a URL as results name them, each with its port; of sockets the paths."""
    hosts = take_apart(url).hosts
    if is_socket(url):
        return hosts
    return tuple(_checked(host, default_port) for host in hosts)


def _checked(host: str, default_port: int) -> str:
    """Return a host with its port, as results name it."""
    match = _HOST.fullmatch(host)
    if match is None:
        # Where the @ is missing, what stands here is a password.
        raise refusal("has a host that is none; write host:port, or [address]:port for IPv6")
    name, port = match["name"], match["port"]
    if port is not None and not (port.isdecimal() and 1 <= int(port) <= LARGEST_PORT):
        raise refusal(f"the port of {name} is not a number from 1 to {LARGEST_PORT}")
    return name and f"{name}:{port or default_port}"
