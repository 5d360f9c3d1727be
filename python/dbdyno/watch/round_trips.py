"""How far servers are from this host: the time in which one accepts a connection over TCP."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from statistics import median

CONNECTS = 5
CONNECT_LIMIT_S = 2.0
AT_ONCE = 16


def round_trips_ms(servers: Sequence[str]) -> dict[str, float]:
    """Return by server, each ``host:port``, the median of a few; one that is not reached has none.

    A name is looked up before. Connections are closed at once: a server may count them as failed
    sign-ons.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        measured = zip(servers, pool.map(_round_trip_ms, servers), strict=True)
        return {server: time_ms for server, time_ms in measured if time_ms is not None}


def _round_trip_ms(server: str) -> float | None:
    host, _, port = server.rpartition(":")
    with suppress(OSError):
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM
        )[0]
        times_s = []
        for _ in range(CONNECTS):
            with socket.socket(family, kind, protocol) as connection:
                connection.settimeout(CONNECT_LIMIT_S)
                began_s = time.perf_counter()
                connection.connect(address)
                times_s.append(time.perf_counter() - began_s)
        return round(median(times_s) * 1e3, 3)
    return None
