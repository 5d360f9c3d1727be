"""What makes the checks of a workload speak up, and what comes close without doing so."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import polars as pl

from dbdyno.analysis.validity.codes import Code
from dbdyno.resources import SERVER
from tests.unit.store.resource_rows import resource_table
from tests.unit.store.result_builder import TrialScript

Change = Callable[[TrialScript], None]
MIB = 2**20
SOON_S = 60.0


def pgbench(scale: int, builtin: str = "tpcb-like") -> Change:
    """Let the 8 clients run a script of pgbench's at a scale."""

    def change(script: TrialScript) -> None:
        scripts = [{"builtin": builtin, "weight": 1}]
        script.generator_plan["workload"] = {"pgbench": {"scripts": scripts, "scale": scale}}

    return change


def grown(before: int, after: int | None) -> Change:
    """Let the tables grow on disk, in MiB."""

    def change(script: TrialScript) -> None:
        sizes = {
            name: {"size_bytes": size * MIB}
            for name, size in (("before", before), ("after", after))
            if size is not None
        }
        script.dataset["disk"] = sizes

    return change


def told(*seconds: Mapping[str, float]) -> Change:
    """Let the server tell these figures, one mapping a second."""

    def change(script: TrialScript) -> None:
        table = resource_table(
            [{(SERVER, metric): value for metric, value in each.items()} for each in seconds]
        )
        # Watchers tell the monotonic clock; what is written soon lies in the window then.
        script.resources = table.with_columns(pl.col("start_s") + time.monotonic() + SOON_S)

    return change


def checkpoints(timed: int, requested: int, wal_bytes: float = 1e6) -> Change:
    figures = {
        "postgresql.checkpoints_timed": float(timed),
        "postgresql.checkpoints_requested": float(requested),
        "postgresql.wal_bytes": wal_bytes,
    }
    return told(figures, dict.fromkeys(figures, 0.0))


def redo(written_mib: int, room_mib: int) -> Change:
    figures = {
        "innodb.redo_bytes": written_mib * MIB / 2,
        "innodb.checkpoint_max_age_bytes": float(room_mib * MIB),
    }
    return told(figures, figures)


def history(*lengths: float) -> Change:
    return told(*({"innodb.history_list_length": length} for length in lengths))


def locked(waited_s: float) -> Change:
    """Let the 8 clients of SQLite sleep for so long, of 14 s that each of them has."""

    def change(script: TrialScript) -> None:
        facts = {"sqlite_lock_waits": 250, "sqlite_lock_wait_us": round(waited_s * 1e6)}
        script.events[-1] |= {"facts": facts, "elapsed_s": 14.0}
        script.server["settings"] |= {"journal_mode": "delete", "synchronous": "full"}

    return change


def deleted(executions: int, affected: int, verb: str = "delete") -> Change:
    """Let clients delete rows, some of which are not there."""
    statement = {
        **{"sql": "DELETE FROM t WHERE id = ?", "verb": verb, "rows": 0},
        **{"executions": executions, "affected": affected},
    }
    return lambda script: script.events[-1].update(statements=[statement])


def of_cluster(change: Change) -> Change:
    """Let a layer do so that tells of no delete how many rows it found."""

    def changed(script: TrialScript) -> None:
        change(script)
        script.server["members"] = [{"name": "compute-1", "role": "compute", "words": "Spider"}]

    return changed


def of_spider(change: Change) -> Change:
    """Let a server behind a URL do so whose engine Spider stores rows elsewhere."""

    def changed(script: TrialScript) -> None:
        change(script)
        script.server["settings"] = script.server["settings"] | {"spider_bgs_mode": "0"}

    return changed


def selected(
    executions: int, without_rows: int, verb: str = "select", workload: str = "sysbench"
) -> Change:
    """Let a workload look for rows, some of which are not there."""
    statement = {
        **{"sql": "SELECT c FROM sbtest1 WHERE id = ?", "verb": verb, "rows": executions},
        **{"executions": executions, "affected": 0, "without_rows": without_rows},
    }
    workloads = {
        "sysbench": {"script": "oltp_read_write"},
        "tpcc": {"warehouses": 100},
        "pgbench": {"scripts": [{"builtin": "select-only"}], "scale": 10},
        "pgbench of one's own": {"scripts": [{"file": "own.sql"}], "scale": 10},
        "sql": {},
    }

    def change(script: TrialScript) -> None:
        script.generator_plan["workload"] = {workload.split(maxsplit=1)[0]: workloads[workload]}
        script.events[-1].update(statements=[statement])

    return change


FIRES: dict[Code, tuple[Change, str]] = {
    Code.CROWDED: (pgbench(7), "8 clients at scale 7: each updates one of 7 branches"),
    Code.DATA_GREW: (grown(100, 111), "from 100 MiB to 111 MiB"),
    Code.FEW_CHECKPOINTS: (checkpoints(1, 0), "1 checkpoint of PostgreSQL in 12 s"),
    Code.LOCK_WAITS: (
        locked(56.0),
        "8 clients slept 250 times, for 50.0 % of their time (journal_mode delete, synchronous "
        "full)",
    ),
    Code.DELETES_FOUND_NOTHING: (deleted(1000, 989), "11 of 1,000 deletes (1.1 %)"),
    Code.ROWS_NOT_FOUND: (
        selected(1000, 11),
        "11 of 1,000 SELECT and UPDATE statements (1.1 %)",
    ),
    Code.PURGE_BEHIND: (
        history(5_000, 60_000, 105_001),
        "the history list had 5,000 entries at first and 105,001 at last",
    ),
}
SILENT: list[tuple[Code, Change]] = [
    (Code.CROWDED, pgbench(8)),
    (Code.CROWDED, pgbench(1, "select-only")),
    (Code.DATA_GREW, grown(100, 110)),
    (Code.DATA_GREW, grown(100, 90)),
    (Code.DATA_GREW, grown(100, None)),
    (Code.FEW_CHECKPOINTS, checkpoints(1, 1)),
    (Code.FEW_CHECKPOINTS, checkpoints(0, 0, wal_bytes=0.0)),
    (Code.FEW_CHECKPOINTS, redo(81, 80)),
    (Code.FEW_CHECKPOINTS, redo(0, 80)),
    (Code.FEW_CHECKPOINTS, told({"innodb.redo_bytes": 1.0})),
    (Code.DELETES_FOUND_NOTHING, deleted(1000, 990)),
    (Code.DELETES_FOUND_NOTHING, deleted(1000, 20_000)),
    (Code.DELETES_FOUND_NOTHING, deleted(99, 0)),
    (Code.DELETES_FOUND_NOTHING, of_cluster(deleted(1000, 0))),
    (Code.DELETES_FOUND_NOTHING, of_spider(deleted(1000, 0))),
    (Code.DELETES_FOUND_NOTHING, deleted(1000, 0, "update")),
    (Code.ROWS_NOT_FOUND, selected(1000, 10)),
    (Code.ROWS_NOT_FOUND, selected(99, 99)),
    (Code.ROWS_NOT_FOUND, of_spider(selected(1000, 1000, "update"))),
    (Code.ROWS_NOT_FOUND, selected(1000, 1000, "insert")),
    # Delivery looks for orders that need not be there.
    (Code.ROWS_NOT_FOUND, selected(1000, 1000, "select", "tpcc")),
    (Code.ROWS_NOT_FOUND, selected(1000, 1000, "select", "pgbench of one's own")),
    (Code.ROWS_NOT_FOUND, selected(1000, 1000, "select", "sql")),
    (Code.LOCK_WAITS, locked(11.1)),
    (Code.LOCK_WAITS, lambda script: script.events[-1].update(facts={})),
    (Code.PURGE_BEHIND, history(5_000, 105_000)),
    (Code.PURGE_BEHIND, history(5_000, 200_000, 150_000)),
    (Code.PURGE_BEHIND, history(2_000_000)),
]
