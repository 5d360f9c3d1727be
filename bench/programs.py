"""The programs that are compared, each asked for the same load in its own words."""

from __future__ import annotations

import math
import shutil
import sys
from dataclasses import dataclass, field

from bench.response_times import PGBENCH_OPTIONS, SYSBENCH_OPTIONS
from bench.server import Address, BenchServer
from dbdyno.errors import InputError
from dbdyno.protocol.dataset_plan import DatasetPlan
from dbdyno.protocol.trial_plan import SessionPlan, TrialPlan
from dbdyno.protocol.waiting import NAP
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.target.postgresql.binaries import find_postgres

LOADING_CONNECTIONS = 4
LOADING_SEED = 42

PGBENCH_CONNECT_S = 0.025
"""What pgbench's load is longer for each client, because its time begins before they connect."""

PGBENCH_SCRIPT = b"""\
\\set id random(1, :rows)
SELECT c FROM sbtest1 WHERE id=:id;
"""
"""``oltp_point_select`` in the form of pgbench's own select-only script."""


@dataclass(frozen=True)
class Load:
    """What is asked of a program: rows are drawn uniformly, statements are prepared.

    Two loads of one seed would write the same values twice, and a row that does not change costs a
    server less. ``socket`` is the Unix socket to come over instead of TCP. ``workers`` are the
    threads of dbdyno and ``jobs`` those of pgbench; sysbench has one for each client.
    """

    script: str
    clients: int
    table_size: int
    duration_s: float
    seed: int
    interval_s: float = 1.0
    socket: str | None = None
    kernel_timestamps: bool = True
    workers: int = 1
    jobs: int = 1
    wait: str = NAP


@dataclass(frozen=True)
class Command:
    """A program that makes load, its arguments, its standard input and its environment.

    One that ``listens`` has its standard input open for as long as it runs.
    """

    name: str
    arguments: tuple[str, ...]
    standard_input: bytes = b""
    environment: dict[str, str] = field(default_factory=dict)
    listens: bool = False


def dbdyno_load(server: BenchServer, load: Load) -> Command:
    """Return the generator with a trial plan."""
    return _trial(server, load, _workload(load.script, server.tables, load.table_size))


def dbdyno_tpcc(server: BenchServer, load: Load, warehouses: int) -> Command:
    """Return the generator with a trial plan of TPC-C; the load's script is not asked for."""
    return _trial(server, load, tpcc_workload(warehouses), autocommit=False)


def tpcc_workload(warehouses: int) -> WorkloadPlan:
    """Return TPC-C at its defaults, without waits."""
    return {"tpcc": {"warehouses": warehouses}}


def _trial(
    server: BenchServer, load: Load, workload: WorkloadPlan, *, autocommit: bool = True
) -> Command:
    plan = TrialPlan(
        workload=workload,
        clients=load.clients,
        workers=load.workers,
        session=SessionPlan(autocommit=autocommit),
        kernel_timestamps=load.kernel_timestamps,
        wait=load.wait,
        warmup_s=0.0,
        duration_s=load.duration_s,
        interval_s=load.interval_s,
        seed=load.seed,
        error_budget=0.01,
    )
    return generator(server, plan.to_json(_url(server, load)))


def dbdyno_prepare(server: BenchServer, table_size: int) -> Command:
    """Return the generator with a loading plan."""
    plan = DatasetPlan(
        action="load",
        workload=_workload("oltp_read_write", server.tables, table_size),
        seed=LOADING_SEED,
        connections=LOADING_CONNECTIONS,
    )
    return generator(server, plan.to_json(server.url))


def sysbench_load(server: BenchServer, load: Load) -> Command:
    """Return ``sysbench ... run``."""
    options = (
        *_connection(server.address, load.socket),
        *_tables(server.tables, load.table_size),
        f"--threads={load.clients}",
        f"--time={load.duration_s:.0f}",
        "--db-ps-mode=auto",
    )
    return Command("sysbench", ("sysbench", load.script, *options, *SYSBENCH_OPTIONS, "run"))


def sysbench_prepare(server: BenchServer, table_size: int) -> Command:
    """Return ``sysbench ... prepare``."""
    options = (
        *_connection(server.address, None),
        *_tables(server.tables, table_size),
        f"--threads={LOADING_CONNECTIONS}",
    )
    return Command("sysbench", ("sysbench", "oltp_read_write", *options, "prepare"))


def pgbench_load(server: BenchServer, load: Load) -> Command:
    """Return pgbench with the only script that both know, on the server's only table."""
    address = server.address
    duration_s = math.ceil(load.duration_s + load.clients * PGBENCH_CONNECT_S)
    arguments = (
        *(pgbench_program(), "--no-vacuum", "--protocol=prepared", "--file=-", *PGBENCH_OPTIONS),
        f"--jobs={load.jobs}",
        f"--client={load.clients}",
        f"--time={duration_s}",
        f"--random-seed={load.seed}",
        f"--define=rows={load.table_size}",
        f"--host={address.host}",
        f"--port={address.port}",
        f"--username={address.user}",
        address.database,
    )
    return Command("pgbench", arguments, PGBENCH_SCRIPT, {"PGPASSWORD": address.password})


def pgbench_program() -> str:
    """Return the pgbench that came with the server, or else the one on the PATH."""
    beside = find_postgres(None).server.resolve().with_name("pgbench")
    program = shutil.which(beside) or shutil.which(beside.name)
    if program is None:
        raise InputError(f"{beside} is missing: install all of PostgreSQL's package of the server")
    return program


def generator(server: BenchServer, plan: bytes) -> Command:
    """Return the generator with any plan, as it receives it."""
    arguments = (sys.executable, "-m", "dbdyno.generator")
    environment = {"DBDYNO_PASSWORD": server.password}
    return Command("dbdyno", arguments, plan + b"\n", environment, listens=True)


def _url(server: BenchServer, load: Load) -> str:
    if load.socket is None:
        return server.url
    address = server.address
    return f"mysql://{address.user}@localhost/{address.database}?socket={load.socket}"


def _workload(script: str, tables: int, table_size: int) -> WorkloadPlan:
    return {
        "sysbench": {
            "script": script,
            "tables": tables,
            "table_size": table_size,
            "distribution": "uniform",
        }
    }


def _connection(address: Address, socket: str | None) -> tuple[str, ...]:
    where = (
        (f"--mysql-socket={socket}", "--mysql-host=localhost")
        if socket is not None
        else (f"--mysql-host={address.host}", f"--mysql-port={address.port}")
    )
    return (
        "--db-driver=mysql",
        *where,
        f"--mysql-user={address.user}",
        f"--mysql-password={address.password}",
        f"--mysql-db={address.database}",
    )


def _tables(tables: int, table_size: int) -> tuple[str, ...]:
    return (f"--tables={tables}", f"--table-size={table_size}", "--rand-type=uniform")
