"""What a transaction of one trial cost, of what was watched in its window."""

from __future__ import annotations

import polars as pl

from dbdyno.analysis.cost.model import CostName, TrialCosts
from dbdyno.analysis.window_resources import totals
from dbdyno.analysis.window_totals import FINISHED, WindowTotals
from dbdyno.resources import GENERATOR, HOST, PROCESS_CPU_TIMES, SERVER

_OF_PROCESSES = {
    CostName.SERVER_CPU: PROCESS_CPU_TIMES,
    CostName.READ: ("process.read_bytes",),
    CostName.WRITTEN: ("process.write_bytes",),
}
"""Metrics that are told of each server's processes."""

_OF_LOGS = {
    CostName.LOG: ("innodb.redo_bytes", "postgresql.wal_bytes"),
    CostName.LOG_FSYNCS: ("innodb.redo_fsyncs", "postgresql.wal_fsyncs"),
}
"""Metrics that servers tell, each under the name of its kind."""

_RESIDENT = "process.resident_bytes"
_FLUSHES = r"^disk\[.*\]\.flushes$"
_TRAFFIC = r"^network\[.*\]\.(receive|send)_bytes$"
_LOOPBACK = "network[lo]"


def costs_of(measured: WindowTotals, watched: pl.DataFrame | None) -> TrialCosts:
    """Return what is known of a trial, per transaction that was committed or rolled back.

    ``watched`` are the rows of the window (``window_resources.in_window``).
    """
    finished = sum(measured.totals[name] for name in FINISHED)
    if not finished:
        return {}
    amounts = {CostName.CLIENT_CPU: _client_cpu_s(measured)}
    levels: dict[CostName, float | None] = {}
    if watched is not None:
        used = totals(watched, measured.window_s)
        processes = _of_processes(used)
        amounts |= {name: _sum_of_all(processes, of) for name, of in _OF_PROCESSES.items()}
        if not measured.trial.watch_failures:
            # A server that stopped answering would be missing from the sum.
            amounts |= {name: _sum_of_logs(used, of) for name, of in _OF_LOGS.items()}
        amounts[CostName.DISK_FLUSHES] = _of_hosts(used, processes, _FLUSHES)
        amounts[CostName.NETWORK] = _network_bytes(used, processes)
        levels[CostName.MEMORY] = _sum_of_all(processes, (_RESIDENT,), "level")
    per_transaction = {
        name: amount / finished for name, amount in amounts.items() if amount is not None
    }
    return per_transaction | {name: level for name, level in levels.items() if level is not None}


def _client_cpu_s(measured: WindowTotals) -> float | None:
    """Return the CPU time of all generators, wherever they run: they tell it themselves."""
    times = [measured.generator_column(name) for name in ("user_s", "system_s")]
    known = [float(time.sum()) for time in times if time is not None]
    return sum(known) if len(known) == len(times) and len(measured.start_s) else None


def _of_processes(used: pl.DataFrame) -> pl.DataFrame:
    """Return what is told of servers by their processes, and not by themselves."""
    return used.filter(pl.col("role") == SERVER, pl.col("name").str.starts_with("process."))


def _sum_of_all(
    processes: pl.DataFrame, metrics: tuple[str, ...], figure: str = "amount"
) -> float | None:
    """Add metrics up over all servers; None unless each server has each of them."""
    rows = processes.filter(pl.col("name").is_in(metrics))
    members = processes["member"].n_unique()
    return float(rows[figure].sum()) if members and len(rows) == members * len(metrics) else None


def _sum_of_logs(used: pl.DataFrame, metrics: tuple[str, ...]) -> float | None:
    rows = used.filter(pl.col("role") == SERVER, pl.col("name").is_in(metrics))
    return float(rows["amount"].sum()) if len(rows) else None


def _of_hosts(used: pl.DataFrame, processes: pl.DataFrame, pattern: str) -> float | None:
    """Add a metric up over the hosts of the servers; None unless each of them tells it."""
    hosts = set(processes["host"].cast(pl.String))
    rows = used.filter(
        pl.col("role") == HOST,
        pl.col("host").cast(pl.String).is_in(sorted(hosts)),
        pl.col("name").str.contains(pattern),
        ~pl.col("name").str.starts_with(_LOOPBACK),
    )
    is_told = bool(hosts) and set(rows["host"].cast(pl.String)) == hosts
    return float(rows["amount"].sum()) if is_told else None


def _network_bytes(used: pl.DataFrame, processes: pl.DataFrame) -> float | None:
    """Return what one server received and sent; None where others have a part in the figure.

    A host counts for itself: that of a server that shares it with another, or with a generator,
    says nothing of one server.
    """
    generators = used.filter(pl.col("role") == GENERATOR)
    is_shared = set(processes["host"].cast(pl.String)) & set(generators["host"].cast(pl.String))
    if processes["member"].n_unique() != 1 or is_shared:
        return None
    return _of_hosts(used, processes, _TRAFFIC)
