"""Checks of what a workload makes of its tables, and of the server's own cycles.

A check takes a measured trial and returns its evidence, or None where all is well or not known.
What servers tell is known only where they were asked (``watch: {server: counters}``).
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.series import aligned, picked
from dbdyno.analysis.tpcc.options import is_paced
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.protocol.rows_not_found import RowsNotFound, rows_not_found

TERMINALS_PER_WAREHOUSE_MAX = 10
"""The specification has ten terminals a warehouse (TPC-C 5.11, clause 4.2.1)."""
GROWTH_SHARE_MAX = 0.10
CHECKPOINTS_MIN = 2
LOCK_WAIT_SHARE_MAX = 0.10
HISTORY_MIN = 1_000_000
HISTORY_GROWTH_MIN = 100_000


def crowded(measured: WindowTotals) -> Evidence | None:
    """Find more clients than the rows that all of them update can bear."""
    plan = measured.trial.generator_plan
    clients, tpcc = plan.clients, plan.tpcc
    if tpcc is not None and not is_paced(tpcc):
        warehouses = _warehouses_in_use(tpcc.get("home_range"), tpcc.get("warehouses", 0))
        if warehouses and clients > TERMINALS_PER_WAREHOUSE_MAX * warehouses:
            return Evidence(EvidenceKind.TERMINALS, clients=clients, count=warehouses)
    pgbench = plan.workload.get("pgbench")
    if pgbench is not None and any(
        "tpcb" in each.get("builtin", "") for each in pgbench["scripts"]
    ):
        scale = pgbench.get("scale", 1)
        if clients > scale:
            return Evidence(EvidenceKind.BRANCHES, clients=clients, scale=scale)
    return None


def _warehouses_in_use(home_range: list[int] | None, warehouses: int) -> int:
    return warehouses if home_range is None else home_range[1] - home_range[0] + 1


def data_grew(measured: WindowTotals) -> Evidence | None:
    """Find tables that were notably larger on disk at the end of a trial than at its beginning."""
    disk = measured.trial.dataset.disk
    if disk is None or disk.before.size_bytes is None or disk.after.size_bytes is None:
        return None
    before, after = disk.before.size_bytes, disk.after.size_bytes
    if not before or after - before <= GROWTH_SHARE_MAX * before:
        return None
    return Evidence(EvidenceKind.TABLES_GREW, before_bytes=before, after_bytes=after)


def deletes_found_nothing(measured: WindowTotals) -> Evidence | None:
    """Find deletes of rows that were not there any more, which cost next to nothing.

    A delete may remove several rows, so that there may be more of these than are found.
    """
    end = measured.trial.end
    deletes = [each for each in end.statements if each.verb == "delete"] if end else []
    if _is_layered(measured) and not any(each.affected for each in deletes):
        # A layer may not tell how many rows the servers behind it have changed.
        return None
    executions = sum(each.executions for each in deletes)
    without_rows = sum(max(0, each.executions - each.affected) for each in deletes)
    found = RowsNotFound(without_rows, executions)
    if not found.is_notable:
        return None
    return Evidence(
        EvidenceKind.DELETES_WITHOUT_ROWS,
        without_rows=without_rows,
        deletes=executions,
        deletes_share=found.share,
    )


def _is_layered(measured: WindowTotals) -> bool:
    """Tell whether clients may have reached other servers than those that store the rows.

    A server with the engine Spider is taken for one that stores none itself.
    """
    disk, server = measured.trial.dataset.disk, measured.trial.server
    has_nodes = bool(server.members) or (disk is not None and disk.before.nodes > 1)
    return has_nodes or any(name.startswith("spider_") for name in server.settings)


def selects_and_updates_found_nothing(measured: WindowTotals) -> Evidence | None:
    """Find selects and updates of rows that are not there, by a workload that expects them."""
    end, workload = measured.trial.end, measured.trial.generator_plan.workload
    statements = end.statements if end else ()
    if _is_layered(measured) and not any(each.affected for each in statements):
        # A layer may not say how many rows the servers behind it have changed.
        statements = tuple(each for each in statements if each.verb == "select")
    found = rows_not_found(statements, workload)
    if not found.is_notable:
        return None
    return Evidence(
        EvidenceKind.STATEMENTS_WITHOUT_ROWS,
        without_rows=found.without_rows,
        statements=found.statements,
        statements_share=found.share,
    )


def few_checkpoints(measured: WindowTotals) -> Evidence | None:
    """Find a window of writes that is shorter than the server's own cycle of checkpoints."""
    counted = _in_window(
        measured,
        "postgresql.checkpoints_timed",
        "postgresql.checkpoints_requested",
        "postgresql.wal_bytes",
        "innodb.redo_bytes",
    )
    checkpoints = [value for name, value in counted.items() if "checkpoints" in name]
    if checkpoints and counted.get("postgresql.wal_bytes", 1.0) > 0:
        count = round(sum(checkpoints))
        if count < CHECKPOINTS_MIN:
            return Evidence(
                EvidenceKind.POSTGRESQL_CHECKPOINTS, count=count, window_s=measured.window_s
            )
    redo_bytes = counted.get("innodb.redo_bytes", 0.0)
    room_bytes = _last(measured, "innodb.checkpoint_max_age_bytes")
    if redo_bytes > 0 and room_bytes is not None and redo_bytes < room_bytes:
        return Evidence(EvidenceKind.REDO_WRITTEN, written_bytes=redo_bytes, room_bytes=room_bytes)
    return None


def lock_waits(measured: WindowTotals) -> Evidence | None:
    """Find clients of SQLite that slept for much of their time because others held the lock."""
    share = measured.database_lock_share
    if share is None or share < LOCK_WAIT_SHARE_MAX:
        return None
    settings = measured.trial.server.settings
    return Evidence(
        EvidenceKind.LOCK_WAITS,
        waits=measured.trial.facts.get("sqlite_lock_waits"),
        waited_share=share,
        clients=measured.trial.generator_plan.clients,
        journal_mode=settings.get("journal_mode"),
        synchronous=settings.get("synchronous"),
    )


def purge_behind(measured: WindowTotals) -> Evidence | None:
    """Find old versions of rows that pile up, so that reads become slower with time."""
    levels = _levels(measured, "innodb.history_list_length")
    if len(levels) < 2:
        return None
    first, last = levels[0], levels[-1]
    rises = last - first > HISTORY_GROWTH_MIN and last >= max(levels)
    if last < HISTORY_MIN and not rises:
        return None
    return Evidence(EvidenceKind.HISTORY_LIST, first=round(first), last=round(last))


def _in_window(measured: WindowTotals, *metrics: str) -> dict[str, float]:
    """Add counters up over the window and the members; those that nobody watched are left out."""
    sums: dict[str, float] = defaultdict(float)
    for series in picked(measured.resources or (), metrics):
        is_inside = series.start_s >= 0
        if is_inside.any():
            sums[series.name.metric] += float(series.value[is_inside].sum())
    return sums


def _levels(measured: WindowTotals, metric: str) -> list[float]:
    """Return a level of the window in order, the highest of all members."""
    found = picked(measured.resources or (), (metric,))
    if not found:
        return []
    start_s, _, values = aligned(found)
    order = np.argsort(start_s, kind="stable")
    highest = np.fmax.reduce(values, axis=0)[order]
    levels: list[float] = highest[start_s[order] >= 0].tolist()
    return levels


def _last(measured: WindowTotals, metric: str) -> float | None:
    return next(reversed(_levels(measured, metric)), None)
