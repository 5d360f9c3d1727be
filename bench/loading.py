"""How long it takes to load sysbench's tables, beside ``sysbench ... prepare``."""

from __future__ import annotations

import time
from pathlib import Path

from bench.figures import Figure, at_least, medians, ratio
from bench.mysql_server import MysqlBenchServer
from bench.programs import Command, dbdyno_prepare, sysbench_prepare
from bench.server import BenchServer
from bench.size import Size
from bench.trial import run_to_end
from bench.turns import Tell

LOAD_LIMIT_S = 600.0
SPEED_TARGET = at_least(1.5)

SETTLE_S = 1.0
"""After dropping tables the server still has work with their pages, which is nobody's loading."""


def load_tables(server: BenchServer, table_size: int) -> None:
    """Load the tables for the trials."""
    run_to_end(dbdyno_prepare(server, table_size), cpu=None, limit_s=LOAD_LIMIT_S)


def loading(directory: Path, size: Size, tell: Tell) -> list[Figure]:
    """Measure both in turns, with fresh tables each time; server and client may use all CPUs."""
    ours_s, theirs_s = [], []
    rows = f"{MysqlBenchServer.tables} x {size.table_size} rows"
    with MysqlBenchServer(directory) as server:
        for _ in range(size.loading_repeats):
            ours_s.append(_load_s(server, dbdyno_prepare(server, size.table_size), tell))
            theirs_s.append(_load_s(server, sysbench_prepare(server, size.table_size), tell))
    return [
        Figure(
            section="loading, server and client on all CPUs",
            name=f"sysbench's time over ours, {rows} with their index",
            unit="ratio",
            spread=ratio(theirs_s, ours_s),
            target=SPEED_TARGET,
            detail=medians(ours_s, theirs_s, "s"),
        )
    ]


def _load_s(server: MysqlBenchServer, command: Command, tell: Tell) -> float:
    server.drop_tables()
    time.sleep(SETTLE_S)
    start_s = time.monotonic()
    run_to_end(command, cpu=None, limit_s=LOAD_LIMIT_S)
    elapsed_s = time.monotonic() - start_s
    server.wait_until_alone()
    tell(f"{command.name:8} loads in {elapsed_s:.2f} s")
    return elapsed_s
