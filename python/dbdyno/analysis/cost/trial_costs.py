"""What a transaction of one trial cost, of what was watched in its window."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dbdyno.analysis.cost.model import CostName, TrialCosts
from dbdyno.analysis.interval_counts import FINISHED
from dbdyno.analysis.window_resources import Used, WindowSeries, used_in
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.resources import GENERATOR, HOST, PROCESS_CPU_TIMES, SERVER

_OF_PROCESSES = {
    CostName.SERVER_CPU: PROCESS_CPU_TIMES,
    CostName.READ: ("process.read_bytes",),
}
"""Metrics that are told of each server's processes."""

_OF_LOGS = {
    CostName.LOG: ("innodb.redo_bytes", "postgresql.wal_bytes"),
    CostName.LOG_FSYNCS: ("innodb.redo_fsyncs", "postgresql.wal_fsyncs"),
}
"""Metrics that servers tell, each under the name of its kind."""

_RESIDENT = "process.resident_bytes"
_FLUSHES = re.compile(r"^disk\[.*\]\.flushes$")
_WRITTEN = re.compile(r"^disk\[.*\]\.write_bytes$")
"""What a process wrote is no measure: the kernel counts it where pages become dirty, and of a large
folio all of them. Of PostgreSQL that was 27 times what the disk wrote."""
_TRAFFIC = re.compile(r"^network\[.*\]\.(receive|send)_bytes$")
_LOOPBACK = "network[lo]"


def costs_of(measured: WindowTotals, watched: WindowSeries | None) -> TrialCosts:
    """Return what is known of a trial, per transaction that was committed or rolled back.

    ``watched`` is what touches the window (``window_resources.in_window``).
    """
    finished = sum(measured.totals[name] for name in FINISHED)
    if not finished:
        return {}
    amounts = {CostName.CLIENT_CPU: _client_cpu_s(measured)}
    levels: dict[CostName, float] = {}
    if watched is not None:
        used = used_in(watched, measured.window_s)
        processes = _of_processes(used)
        amounts |= {
            name: _sum(_told_by_all(processes, metrics)) for name, metrics in _OF_PROCESSES.items()
        }
        if not measured.trial.watch_failures:
            # A server that stopped answering would be missing from the sum.
            amounts |= {name: _sum(_told(used, of)) for name, of in _OF_LOGS.items()}
        amounts[CostName.WRITTEN] = _of_hosts(used, processes, _WRITTEN)
        amounts[CostName.DISK_FLUSHES] = _of_hosts(used, processes, _FLUSHES)
        amounts[CostName.NETWORK] = _network_bytes(used, processes)
        if resident := _told_by_all(processes, (_RESIDENT,)):
            levels[CostName.MEMORY] = sum(each.level for each in resident)
    per_transaction = {
        name: amount / finished for name, amount in amounts.items() if amount is not None
    }
    return per_transaction | levels


def _client_cpu_s(measured: WindowTotals) -> float | None:
    """Return the CPU time of all generators, wherever they run: they tell it themselves."""
    times = [measured.generator_column(name) for name in ("user_s", "system_s")]
    known = [float(time.sum()) for time in times if time is not None]
    return sum(known) if len(known) == len(times) and len(measured.start_s) else None


def _of_processes(used: Iterable[Used]) -> list[Used]:
    """Return what is told of servers by their processes, and not by themselves."""
    return [
        each
        for each in used
        if each.name.role == SERVER and each.name.metric.startswith("process.")
    ]


def _told_by_all(processes: Sequence[Used], metrics: tuple[str, ...]) -> list[Used]:
    """Return metrics of all servers; nothing unless each server has each of them."""
    found = [each for each in processes if each.name.metric in metrics]
    members = {each.name.member for each in processes}
    return found if len(found) == len(members) * len(metrics) else []


def _sum(used: Iterable[Used]) -> float | None:
    amounts = [each.amount for each in used]
    return sum(amounts) if amounts else None


def _told(used: Iterable[Used], metrics: tuple[str, ...]) -> list[Used]:
    """Return metrics that servers tell."""
    return [each for each in used if each.name.role == SERVER and each.name.metric in metrics]


def _of_hosts(
    used: Iterable[Used], processes: Iterable[Used], pattern: re.Pattern[str]
) -> float | None:
    """Add a metric up over the hosts of the servers; None unless each of them tells it."""
    hosts = {each.name.host for each in processes}
    found = [
        each
        for each in used
        if each.name.role == HOST
        and each.name.host in hosts
        and pattern.search(each.name.metric)
        and not each.name.metric.startswith(_LOOPBACK)
    ]
    is_told = bool(hosts) and {each.name.host for each in found} == hosts
    return _sum(found) if is_told else None


def _network_bytes(used: Iterable[Used], processes: Sequence[Used]) -> float | None:
    """Return what one server received and sent; None where others have a part in the figure.

    A host counts for itself: that of a server that shares it with another, or with a generator,
    says nothing of one server.
    """
    generators = {each.name.host for each in used if each.name.role == GENERATOR}
    is_shared = not generators.isdisjoint(each.name.host for each in processes)
    if len({each.name.member for each in processes}) != 1 or is_shared:
        return None
    return _of_hosts(used, processes, _TRAFFIC)
