"""Where sessions' time went in one trial, as far as it is known: sessions by kind, on average.

PostgreSQL's active sessions are sampled. Of other servers, what is known are the CPU time of their
processes, the waits of the performance schema and InnoDB's waits for rows, each over all threads:
those in the background are in it. What none of these figures accounts for is the rest of the
sessions with a transaction under way: the client, the network, and what is not told.
"""

from __future__ import annotations

from collections import defaultdict

from dbdyno.analysis.bottleneck.model import TimeKind
from dbdyno.analysis.bottleneck.sums import Member, ResourceSums
from dbdyno.analysis.bottleneck.waits import (
    mysql_kind,
    mysql_waits_s,
    postgresql_kind,
    postgresql_waits,
)
from dbdyno.resources import PROCESS_CPU_TIMES, SERVER

Sessions = dict[TimeKind, float]


def sessions_by_kind(sums: ResourceSums, sessions: float) -> Sessions:
    """Return the sessions in each kind of doing or waiting; nothing where too little is known."""
    found: Sessions = defaultdict(float)
    members = list(sums.of_role(SERVER))
    samples = [each for each in (postgresql_waits(sums, one) for one in members) if each]
    for waits in samples:
        for event, count in waits.items():
            found[postgresql_kind(event)] += count
    if samples:
        return dict(found)
    for member in members:
        for kind, count in _mysql(sums, member).items():
            found[kind] += count
    if not found:
        return {}
    return {**found, TimeKind.REST: max(0.0, sessions - sum(found.values()))}


def _mysql(sums: ResourceSums, member: Member) -> Sessions:
    """Return nothing of a server that is not asked for its counters: all would be the rest."""
    rows = sums.per_s(member, "innodb.row_lock_wait_s")
    if rows is None:
        return {}
    found: Sessions = defaultdict(float)
    found[TimeKind.LOCK] = rows
    found[TimeKind.CPU] = sums.per_s(member, *PROCESS_CPU_TIMES) or 0.0
    found[TimeKind.CPU_QUEUE] = sums.per_s(member, "process.run_queue_wait_s") or 0.0
    for event, waited in mysql_waits_s(sums, member).items():
        kind = mysql_kind(event)
        if kind is not None:
            found[kind] += waited
    return found
