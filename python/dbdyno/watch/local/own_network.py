"""A member's own network as a source, where it has one: what its interfaces carried."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

from dbdyno.watch.local.kernel_file import content_of
from dbdyno.watch.local.network import interface_counters, tcp_counters
from dbdyno.watch.series.source import Growth, Subject, Values

_LOOPBACK = "network[lo]."
"""What a server says to itself goes to nobody."""


class OwnNetwork:
    """The interfaces of the network namespace that a process is in."""

    def __init__(self, subject: Subject, process_id: int) -> None:
        self.subject = subject
        self._process_id = process_id
        self._namespace = namespace_of(process_id)
        self._growth = Growth()

    def sample(self) -> Values:
        """Return what was added; nothing once the process has ended."""
        folder = f"/proc/{self._process_id}/net"
        interfaces, tcp = content_of(f"{folder}/dev"), content_of(f"{folder}/snmp")
        # Asked last: until then it was the process, and not a later one with its number.
        if namespace_of(self._process_id) != self._namespace:
            return {}
        counters = interface_counters(interfaces or b"") | tcp_counters(tcp or b"")
        return self._growth.added(
            {name: count for name, count in counters.items() if not name.startswith(_LOOPBACK)}
        )


def own_namespaces(process_ids: Iterable[int]) -> set[int]:
    """Return the processes whose network is neither this process's nor that of another of them."""
    found = {process_id: namespace_of(process_id) for process_id in process_ids}
    users = Counter([*found.values(), namespace_of(os.getpid())])
    return {
        process_id
        for process_id, namespace in found.items()
        if namespace is not None and users[namespace] == 1
    }


def namespace_of(process_id: int) -> int | None:
    """Return the number of a process's network namespace; None where that is not known."""
    try:
        return os.stat(f"/proc/{process_id}/ns/net").st_ino  # noqa: PTH116
    except OSError:
        return None
