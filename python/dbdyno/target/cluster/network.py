"""The network of a cluster whose servers have a network namespace each, all on this machine.

A bridge joins the servers' cables, and one cable leads from it to this machine, where clients are.
The bridge is in a namespace, too: there no firewall of this machine filters what servers say to
each other. All that can be seen from outside is one interface, ``dbdyno0``.
"""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from ipaddress import IPv4Network
from itertools import count
from pathlib import Path

from dbdyno.errors import InputError, RunError
from dbdyno.password import environment
from dbdyno.target.local.network_namespace import NetworkNamespace, OwnNetwork

_ROUTES = Path("/proc/net/route")
_INTERFACES = Path("/sys/class/net")
_PRIVATE = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
_PREFIX_BITS = 20
"""Addresses for more servers than a cluster may have."""
_HERE = 1
"""The number of this machine's address among them."""
_LIMIT_S = 30.0


class ClusterNetwork:
    """Addresses for servers, and what joins them between ``make`` and ``remove``."""

    def __init__(self) -> None:
        self._subnet = _unused_subnet()
        self._servers: list[OwnNetwork] = []
        self._switch: NetworkNamespace | None = None
        self._interface = ""

    def server(self, number: int) -> OwnNetwork:
        """Return the network of a further server; the first number is 2."""
        network = OwnNetwork(str(self._subnet[number]))
        self._servers.append(network)
        return network

    def check(self) -> None:
        """Make the switch and its cable for a moment; ``InputError`` where that is not possible."""
        try:
            with _refused():
                self._make_switch()
        finally:
            self.remove()

    def make(self) -> None:
        """Make all namespaces and cables; ``InputError`` as in ``check``, and nothing is left."""
        try:
            with _refused():
                switch = self._make_switch()
                for number, server in enumerate(self._servers, start=1):
                    _connect(switch, f"server{number}", server.make(), self._wide(server.address))
        except BaseException:
            self.remove()
            raise

    def remove(self) -> None:
        """Take away what is there."""
        if self._interface:
            # The kernel would remove it by itself, but later: till then its address is in the way.
            with suppress(RunError):
                _ip([f"link delete {self._interface}"])
            self._interface = ""
        for server in self._servers:
            server.remove()
        if self._switch is not None:
            self._switch.close()
            self._switch = None

    def _make_switch(self) -> NetworkNamespace:
        """Make the bridge, and a cable from it to this machine."""
        self._switch = switch = NetworkNamespace()
        switch.call(partial(_ip, ["link add bridge type bridge", "link set bridge up"]))
        self._interface = name = _add_cable(switch)
        here = self._wide(str(self._subnet[_HERE]))
        _ip([f"address add {here} dev {name}", f"link set {name} up"])
        switch.call(partial(_ip, ["link set host master bridge up"]))
        return switch

    def _wide(self, address: str) -> str:
        return f"{address}/{_PREFIX_BITS}"


@contextmanager
def _refused() -> Iterator[None]:
    """Say what a network takes, where the kernel or ``ip`` does not make it."""
    if shutil.which("ip") is None:
        raise InputError(
            "network: own needs the program ip, which is not there; install it (in Debian and "
            "Ubuntu the package iproute2), or remove network"
        )
    try:
        yield
    except (OSError, RunError) as error:
        raise InputError(
            f"network: own cannot make a network here ({error}); it needs root, or the "
            "capabilities CAP_SYS_ADMIN and CAP_NET_ADMIN, and a kernel with veth and bridge; run "
            "dbdyno so, or remove network"
        ) from error


def _add_cable(switch: NetworkNamespace) -> str:
    """Lay a cable from this machine to the switch; return its end here, the first free name."""
    for number in count():
        name = f"dbdyno{number}"
        if (_INTERFACES / name).exists():
            continue
        try:
            _ip([f"link add {name} type veth peer name host netns {switch.path}"])
            break
        except RunError:
            # Somebody may have taken the name meanwhile.
            if not (_INTERFACES / name).exists():
                raise
    return name


def _connect(switch: NetworkNamespace, cable: str, server: NetworkNamespace, address: str) -> None:
    """Lead a cable from the bridge to a server, whose end has the address."""
    laid = [
        f"link add {cable} type veth peer name eth0 netns {server.path}",
        f"link set {cable} master bridge up",
    ]
    switch.call(partial(_ip, laid))
    inside = [f"address add {address} dev eth0", "link set eth0 up", "link set lo up"]
    server.call(partial(_ip, inside))


def _ip(commands: Sequence[str]) -> None:
    """Have ``ip`` do something in the network of this thread; ``RunError`` in its words."""
    try:
        done = subprocess.run(
            ["ip", "-batch", "-"],
            input="\n".join(commands) + "\n",
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            env=environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RunError(f"ip {commands[0]}: it did not end within {_LIMIT_S:g} s") from None
    if done.returncode != 0:
        raise RunError(f"ip {commands[0]}: {' '.join(done.stderr.split())}")


def _unused_subnet() -> IPv4Network:
    """Return private addresses that this machine has no route to.

    By chance: what another cluster of dbdyno has chosen and not made yet is in no table.
    """
    routes = map(_network_of, _ROUTES.read_text().splitlines()[1:])
    # The default route leads everywhere, and gives way to ours.
    taken = [route for route in routes if route.prefixlen]
    for network in _PRIVATE:
        subnets = list(network.subnets(new_prefix=_PREFIX_BITS))
        random.shuffle(subnets)
        for subnet in subnets:
            if not any(map(subnet.overlaps, taken)):
                return subnet
    private = ", ".join(map(str, _PRIVATE))
    raise InputError(
        f"network: own takes {2 ** (32 - _PREFIX_BITS)} addresses of {private}, and this machine "
        "has routes to all of these; remove network"
    )


def _network_of(route: str) -> IPv4Network:
    """Read a line of the kernel's table, whose addresses are numbers in this machine's order."""
    fields = route.split()
    address, mask = (int(field, 16).to_bytes(4, sys.byteorder) for field in (fields[1], fields[7]))
    return IPv4Network((socket.inet_ntoa(address), socket.inet_ntoa(mask)))
