"""A generator that is sent to one of several hosts: what it does is what is done there.

With one host in its URL a generator tells no hosts apart, and the figures by host would be without
those of its clients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from dbdyno.database.hosts import host_names
from dbdyno.database.url import DEFAULT_PORTS, database_of_url
from dbdyno.generator.pool.member import Member
from dbdyno.protocol.events import Connected, End, HostEnd, TrialEvent
from dbdyno.protocol.intervals import HostSample, Interval


def telling_hosts(member: Member, own_url: str, url: str) -> Member:
    """Return a generator that tells of hosts where the URL of all names several and its own one."""
    port = DEFAULT_PORTS.get(database_of_url(url), 0)
    own = host_names(own_url, default_port=port)
    if len(own) > 1 or len(host_names(url, default_port=port)) == 1:
        return member
    return _AtOneHost(member, own[0])


class _AtOneHost:
    """A member of a pool; all but what it says is as it is."""

    def __init__(self, member: Member, host: str) -> None:
        self._member = member
        self._host = host
        self._connections = self._transactions = 0
        self.start_at = member.start_at
        self.begin_window_at = member.begin_window_at
        self.stop = member.stop
        self.end_by_force = member.end_by_force

    @property
    def start_ahead_s(self) -> float:
        return self._member.start_ahead_s

    def trial_events(self, wants_stop: Callable[[], bool]) -> Iterator[TrialEvent]:
        for event in self._member.trial_events(wants_stop):
            yield self._with_host(event)

    def _with_host(self, event: TrialEvent) -> TrialEvent:
        match event:
            case Connected():
                self._connections = event.clients
            case Interval():
                return replace(event, hosts=(self._sample(event),))
            case End():
                return replace(event, hosts=(self._total(event),))
        return event

    def _sample(self, interval: Interval) -> HostSample:
        kinds = interval.transactions.values()
        transactions = sum(kind.committed + kind.rolled_back for kind in kinds)
        self._transactions += transactions
        self._connections += interval.reconnects
        return HostSample(self._host, transactions, interval.live_clients)

    def _total(self, end: End) -> HostEnd:
        return HostEnd(
            host=self._host,
            connections=self._connections,
            transactions=self._transactions,
            statements=sum(count.executions for count in end.statements),
        )
