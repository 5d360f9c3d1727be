"""How long it takes to load TPC-C's tables, beside what servers need for the same rows from files.

The rows are taken from the server into files; then they are loaded from these with ``LOAD DATA`` or
``COPY`` into tables that are alike, by as many connections, and the same indexes are made. What is
compared is the making of the rows and their way to the server.
"""

from __future__ import annotations

import time
from pathlib import Path

from bench.figures import Figure, Spread, at_most, medians, ratio
from bench.mysql_server import MysqlBenchServer
from bench.plain_loading import CONNECTIONS, TABLES, MariaDbLoader, PlainLoader, PostgresLoader
from bench.postgres_server import PostgresBenchServer
from bench.programs import generator, tpcc_workload
from bench.server import BenchServer
from bench.size import Size
from bench.trial import run_to_end
from bench.turns import Tell
from dbdyno.protocol.dataset_plan import DatasetPlan

LOAD_LIMIT_S = 1800.0
SEED = 42
SETTLE_S = 2.0
"""After dropping tables the server still has work with their pages, which is nobody's loading."""

RATIO_TARGET = at_most(1.3)
TIME_TARGETS_S = {2: at_most(4.0), 10: at_most(20.0)}
"""On MariaDB, by warehouses; go-tpc takes 7.7 and 41 s."""

SECTION = "loading TPC-C, server and client on all CPUs"


def load_warehouses(server: BenchServer, warehouses: int) -> float:
    """Load with dbdyno; return how long it took, in seconds."""
    plan = DatasetPlan(
        action="load", workload=tpcc_workload(warehouses), seed=SEED, connections=CONNECTIONS
    )
    start_s = time.monotonic()
    run_to_end(generator(server, plan.to_json(server.url)), cpu=None, limit_s=LOAD_LIMIT_S)
    return time.monotonic() - start_s


def tpcc_loading(directory: Path, size: Size, tell: Tell) -> list[Figure]:
    """Measure in turns on both servers; server and client may use all CPUs."""
    figures = []
    with MysqlBenchServer(directory / "mysql") as server:
        for warehouses in size.tpcc_loads:
            loader = MariaDbLoader(server, directory / "rows")
            figures += _compare(loader, warehouses, size, tell)
    with PostgresBenchServer(directory / "postgresql") as postgres:
        plain = PostgresLoader(postgres, directory / "rows")
        figures += _compare(plain, size.tpcc_loads[-1], size, tell)
    return figures


def _compare(plain: PlainLoader, warehouses: int, size: Size, tell: Tell) -> list[Figure]:
    server = plain.server
    product = server.describe().product
    ours_s: list[float] = []
    theirs_s: list[float] = []
    for _ in range(size.tpcc_loading_repeats):
        ours_s.append(load_warehouses(server, warehouses))
        if not theirs_s:
            rows = _count_rows(server)
            plain.save()
        plain.empty()
        time.sleep(SETTLE_S)
        start_s = time.monotonic()
        plain.load()
        theirs_s.append(time.monotonic() - start_s)
        for table in TABLES:
            server.query(f"DROP TABLE {table}")
        time.sleep(SETTLE_S)
        tell(f"{warehouses} warehouses, {product}: {ours_s[-1]:.2f} against {theirs_s[-1]:.2f} s")
    return [
        _ratio(ours_s, theirs_s, f"{warehouses} warehouses, {product}", rows),
        *_time(ours_s, warehouses, product),
    ]


def _count_rows(server: BenchServer) -> int:
    return sum(int(server.query(f"SELECT COUNT(*) FROM {table}")[0][0] or 0) for table in TABLES)


def _ratio(ours_s: list[float], theirs_s: list[float], what: str, rows: int) -> Figure:
    rows_per_s = rows / Spread.of(ours_s).median
    return Figure(
        section=SECTION,
        name=f"our time over that from ready files, {what}",
        unit="ratio",
        spread=ratio(ours_s, theirs_s),
        target=RATIO_TARGET,
        detail=f"{medians(ours_s, theirs_s, 's')}, {rows_per_s:,.0f} rows/s",
    )


def _time(ours_s: list[float], warehouses: int, product: str) -> list[Figure]:
    if product != "MariaDB" or warehouses not in TIME_TARGETS_S:
        return []
    return [
        Figure(
            section=SECTION,
            name=f"{warehouses} warehouses into MariaDB",
            unit="s",
            spread=Spread.of(ours_s),
            target=TIME_TARGETS_S[warehouses],
        )
    ]
