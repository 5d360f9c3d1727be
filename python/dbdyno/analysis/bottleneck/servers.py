"""Readings of what servers tell of themselves: locks, log, redo space, buffer pool, Galera."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dbdyno.analysis.bottleneck.model import FigureName, LimitCode
from dbdyno.analysis.bottleneck.readings import Figures, Reading, Subject
from dbdyno.analysis.bottleneck.sums import Member, ResourceSums, whole_host
from dbdyno.analysis.bottleneck.waits import (
    LOG_FILES,
    ROW_WAITS,
    is_log_wait,
    mysql_waits_s,
    postgresql_waits,
)
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.resources import SERVER

CAPACITY = "innodb_redo_log_capacity"
"""MySQL's setting of the size of the redo log, which it does not tell among its figures."""


def server_readings(
    sums: ResourceSums, sessions: float, settings: Mapping[str, str]
) -> Iterator[Reading]:
    """Yield what servers say; ``sessions`` are how many transactions were under way on average."""
    for member in sums.of_role(SERVER):
        yield from _innodb_locks(sums, member, sessions)
        yield from _innodb_log(sums, member)
        yield from _redo_space(sums, member, settings)
        yield from _buffer_pool(sums, member)
        yield from _postgresql(sums, member)
    yield from _flow_control(sums)


def database_lock_readings(measured: WindowTotals) -> Iterator[Reading]:
    """Yield what SQLite's clients waited for its lock; it is told of whole trials."""
    share = measured.database_lock_share
    if share is not None:
        yield Reading(
            Subject(LimitCode.DATABASE_LOCK),
            {FigureName.DATABASE_LOCK_SHARE: share},
            {FigureName.DATABASE_LOCK_WAITING: share * measured.trial.generator_plan.clients},
        )


def _innodb_locks(sums: ResourceSums, member: Member, sessions: float) -> Iterator[Reading]:
    waiting = sums.per_s(member, "innodb.row_lock_wait_s")
    if waiting is None:
        return
    yield Reading(
        Subject(LimitCode.ROW_LOCKS, member.name, member.host),
        {FigureName.LOCK_SHARE: waiting / sessions if sessions else 0.0},
        {FigureName.LOCK_WAITING: waiting},
    )


def _innodb_log(sums: ResourceSums, member: Member) -> Iterator[Reading]:
    """Read the redo log and the binary log, and waits for room in the log buffer.

    Only the performance schema tells how long files are written and synced. Which sessions wait
    meanwhile it does not: the kernel says whether anybody did. MariaDB from 10.8 on writes its redo
    log without telling.
    """
    waits_s = mysql_waits_s(sums, member)
    log_waits_s = [waits_s[name] for name in LOG_FILES if name in waits_s]
    if log_waits_s:
        yield Reading(
            Subject(LimitCode.COMMIT, member.name, member.host),
            {FigureName.LOG_BUSY: sum(log_waits_s)},
            {FigureName.IO_PRESSURE: sums.per_s(whole_host(member.host), "pressure.io_some_s")},
        )
    log_waits = sums.get(member, "innodb.log_waits")
    if log_waits is not None:
        yield Reading(
            Subject(LimitCode.LOG_BUFFER, member.name, member.host),
            {FigureName.LOG_WAIT_INTERVALS: log_waits.above_zero / log_waits.intervals},
            {FigureName.LOG_WAITS_PER_S: log_waits.per_s},
        )


def _redo_space(
    sums: ResourceSums, member: Member, settings: Mapping[str, str]
) -> Iterator[Reading]:
    age = sums.get(member, "innodb.checkpoint_age_bytes")
    most = sums.mean(member, "innodb.checkpoint_max_age_bytes") or _whole_number(
        settings.get(CAPACITY, "")
    )
    if age is None or not most:
        return
    flushes = sums.per_s(member, "innodb.flush_sync_waits")
    # MariaDB does not count those who wait. From an age on it makes everybody wait.
    waits: Figures = (
        {FigureName.REDO_HIGHEST: age.highest / most}
        if flushes is None
        else {FigureName.SYNC_FLUSHES_PER_S: flushes}
    )
    subject = Subject(LimitCode.REDO_SPACE, member.name, member.host)
    yield Reading(subject, {FigureName.REDO_USED: age.mean / most}, waits)


def _whole_number(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() else 0.0


def _buffer_pool(sums: ResourceSums, member: Member) -> Iterator[Reading]:
    pages = sums.mean(member, "innodb.buffer_pool_pages")
    free = sums.mean(member, "innodb.buffer_pool_free_pages")
    if not pages or free is None:
        return
    yield Reading(
        Subject(LimitCode.BUFFER_POOL, member.name, member.host),
        {FigureName.POOL_USED: 1 - free / pages},
        {FigureName.POOL_WAITS_PER_S: sums.per_s(member, "innodb.buffer_pool_wait_free")},
    )


def _postgresql(sums: ResourceSums, member: Member) -> Iterator[Reading]:
    """Read the samples of waits: how many sessions were active at a moment, and in what."""
    waits = postgresql_waits(sums, member)
    if waits is None:
        return
    active = sum(waits.values())
    rows = sum(waits.get(event, 0.0) for event in ROW_WAITS)
    log = sum(count for event, count in waits.items() if is_log_wait(event))
    yield Reading(
        Subject(LimitCode.ROW_LOCKS, member.name, member.host),
        {FigureName.LOCK_SHARE: rows / active if active else 0.0},
        {FigureName.LOCK_WAITING: rows},
    )
    yield Reading(
        Subject(LimitCode.COMMIT, member.name, member.host),
        {FigureName.LOG_SHARE: log / active if active else 0.0},
        {FigureName.LOG_WAITING: log},
    )


def _flow_control(sums: ResourceSums) -> Iterator[Reading]:
    """Read Galera's nodes: the one that asks the others to wait is the limit."""
    nodes = [
        each for each in sums.of_role(SERVER) if (sums.mean(each, "galera.cluster_size") or 0) > 1
    ]
    paused = [sums.per_s(each, "galera.flow_control_paused_s") for each in nodes]
    longest = max((each for each in paused if each is not None), default=None)
    for node in nodes:
        yield Reading(
            Subject(LimitCode.FLOW_CONTROL, node.name, node.host),
            {FigureName.FLOW_SENT_PER_S: sums.per_s(node, "galera.flow_control_sent")},
            {FigureName.FLOW_PAUSED: longest},
        )
