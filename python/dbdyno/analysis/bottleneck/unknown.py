"""What could not be judged in a trial, and what has to be watched to tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dbdyno.analysis.bottleneck.model import FigureName, LimitCode, Need, Unknown
from dbdyno.analysis.bottleneck.readings import Reading
from dbdyno.analysis.bottleneck.sums import ResourceSums
from dbdyno.analysis.bottleneck.waits import mysql_waits_s
from dbdyno.analysis.server_place import runs_here
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.resources import HOST, LOCAL_HOST, SERVER

_OF_HOSTS = (LimitCode.SERVER_CPU, LimitCode.MEMORY, LimitCode.DISK)
_OF_COUNTERS = (
    LimitCode.ROW_LOCKS,
    LimitCode.COMMIT,
    LimitCode.REDO_SPACE,
    LimitCode.LOG_BUFFER,
    LimitCode.BUFFER_POOL,
    LimitCode.FLOW_CONTROL,
)
_ONLY_INNODB = frozenset({LimitCode.REDO_SPACE, LimitCode.LOG_BUFFER, LimitCode.BUFFER_POOL})
_GALERA = "wsrep_on"


def not_judged(
    measured: WindowTotals, sums: ResourceSums, readings: Sequence[Reading]
) -> Iterator[Unknown]:
    """Yield what nobody can tell of a trial. Of SQLite, which is no server, nothing is asked."""
    judged = {reading.subject.code for reading in readings if reading.is_complete}
    for reading in readings:
        if reading.subject.code not in judged:
            yield Unknown(reading.subject.code, _missing(reading))
    if measured.embedded:
        return
    if not _sees_the_server(measured, sums):
        yield from (Unknown(code, Need.HOST) for code in _OF_HOSTS)
    seen = {reading.subject.code for reading in readings}
    for code in _OF_COUNTERS:
        if code not in seen and _applies(code, measured):
            yield Unknown(code, _need_of(code, sums, has_counters=LimitCode.ROW_LOCKS in seen))


def _missing(reading: Reading) -> Need:
    """Return why a reading is not complete."""
    if FigureName.WORKER_OCCUPIED in reading.use:
        return Need.SLEEPING_WORKERS
    return Need.PRESSURE if None in reading.waits.values() else Need.NOT_TOLD


def _need_of(code: LimitCode, sums: ResourceSums, *, has_counters: bool) -> Need:
    if not has_counters:
        return Need.COUNTERS
    if code is not LimitCode.COMMIT:
        return Need.NOT_TOLD
    tells_waits = any(mysql_waits_s(sums, member) for member in sums.of_role(SERVER))
    return Need.NOT_TOLD if tells_waits else Need.WAITS


def _sees_the_server(measured: WindowTotals, sums: ResourceSums) -> bool:
    """Tell whether a host is watched that the server can be on."""
    watched = {member.host for member in sums.of_role(HOST)}
    if runs_here(measured):
        return LOCAL_HOST in watched
    loading = {part.host for part in measured.trial.generator_plan.generators}
    return bool(watched - loading - {LOCAL_HOST})


def _applies(code: LimitCode, measured: WindowTotals) -> bool:
    """Tell whether a server can have such a limit at all."""
    if code in _ONLY_INNODB:
        return measured.trial.url.startswith("mysql:")
    if code is LimitCode.FLOW_CONTROL:
        return measured.trial.server.settings.get(_GALERA, "").upper() in ("ON", "1")
    return True
