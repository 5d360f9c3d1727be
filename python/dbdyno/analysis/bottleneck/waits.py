"""The events that sessions wait for, as servers name them, and of which kind each is."""

from __future__ import annotations

from dbdyno.analysis.bottleneck.model import TimeKind
from dbdyno.analysis.bottleneck.sums import Member, ResourceSums

REDO_FILES = "wait/io/file/innodb/innodb_log_file"
LOG_FILES = (REDO_FILES, "wait/io/file/sql/binlog")

ROW_WAITS = ("Lock:transactionid", "Lock:tuple")

_MYSQL = (
    *((name, TimeKind.LOG) for name in LOG_FILES),
    ("wait/io/file/", TimeKind.IO),
    ("wait/lock/", TimeKind.LOCK),
    ("wait/synch/mutex/", TimeKind.LATCH),
    ("wait/synch/rwlock/", TimeKind.LATCH),
    ("wait/synch/sxlock/", TimeKind.LATCH),
    ("wait/synch/prlock/", TimeKind.LATCH),
)
"""By how an event's name begins; the first that fits counts.

What is in none of them is left out: ``wait/io/table`` has the others within it, threads in the
background wait for conditions all the time, and a socket is waited for by who waits for its client.
"""

_POSTGRESQL = {
    "CPU": TimeKind.CPU,
    "IO": TimeKind.IO,
    "BufferIO": TimeKind.IO,
    "Lock": TimeKind.LOCK,
    "LWLock": TimeKind.LATCH,
    "BufferPin": TimeKind.LATCH,
}
"""By the type of event."""

_OF_DISKS = (TimeKind.IO, TimeKind.LOG)

_NO_EXPORTER = "postgresql.wal_records"
"""What a server tells whoever asks for its waits as well; exporters tell neither."""


def mysql_waits_s(sums: ResourceSums, member: Member) -> dict[str, float]:
    """Return the seconds a second that threads waited, by event; nothing where none are told."""
    prefix, suffix = "mysql.wait[", "].s"
    return {
        metric[len(prefix) : -len(suffix)]: found.per_s
        for metric, found in sums.metrics(member, prefix).items()
    }


def mysql_kind(event: str) -> TimeKind | None:
    """Return what kind of waiting an event is; None where it is none of a session."""
    return next((kind for beginning, kind in _MYSQL if event.startswith(beginning)), None)


def postgresql_waits(sums: ResourceSums, member: Member) -> dict[str, float] | None:
    """Return how many active sessions were in each event, on average over all samples.

    None where nobody sampled. A sample in which no session was in an event has no row of it. Those
    that wait for their clients are left out.
    """
    prefix, suffix = "postgresql.wait[", "].sessions"
    samples = sums.get(member, "postgresql.backends")
    if samples is None or not (sums.metrics(member, prefix) or sums.get(member, _NO_EXPORTER)):
        return None
    waits = {
        metric[len(prefix) : -len(suffix)]: found.total / samples.intervals
        for metric, found in sums.metrics(member, prefix).items()
    }
    return {event: count for event, count in waits.items() if not event.startswith("Client:")}


def io_share(sums: ResourceSums, member: Member, sessions: float) -> float | None:
    """Return the share of sessions' time in waits for IO, that of the log among it.

    None where it is not told. MariaDB from 10.8 on tells nothing of its redo log, most of the IO of
    many loads: a share without it would say that there was none.
    """
    sampled = postgresql_waits(sums, member)
    if sampled is not None:
        active = sum(sampled.values())
        of_io = sum(n for event, n in sampled.items() if postgresql_kind(event) in _OF_DISKS)
        return of_io / active if active else 0.0
    waits_s = mysql_waits_s(sums, member)
    if REDO_FILES not in waits_s or not sessions:
        return None
    waited = sum(count for event, count in waits_s.items() if mysql_kind(event) in _OF_DISKS)
    return min(1.0, waited / sessions)


def is_log_wait(event: str) -> bool:
    """Tell whether an event of PostgreSQL is about writing or syncing WAL."""
    kind, _, name = event.partition(":")
    return kind in ("IO", "LWLock") and name.upper().startswith("WAL")


def postgresql_kind(event: str) -> TimeKind:
    """Return what kind of waiting an event is."""
    if is_log_wait(event):
        return TimeKind.LOG
    return _POSTGRESQL.get(event.partition(":")[0], TimeKind.REST)
