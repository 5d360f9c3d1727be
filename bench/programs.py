"""The two programs that are compared, each asked for the same load in its own words."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

from bench.server import Address, BenchServer

TABLES = 4
LOADING_CONNECTIONS = 4
LOADING_SEED = 42


@dataclass(frozen=True)
class Load:
    """What is asked of a program: rows are drawn uniformly, statements are prepared.

    Two loads of one seed would write the same values twice, and a row that does not change costs a
    server less.
    """

    script: str
    clients: int
    table_size: int
    duration_s: float
    seed: int
    interval_s: float = 1.0
    over_socket: bool = False
    kernel_timestamps: bool = True


@dataclass(frozen=True)
class Command:
    """A program that makes load, its arguments, its standard input and its environment."""

    name: str
    arguments: tuple[str, ...]
    standard_input: bytes = b""
    password: str | None = None


def dbdyno_load(server: BenchServer, load: Load) -> Command:
    """Return the generator with a trial plan."""
    plan = {
        "version": 1,
        "url": _url(server, load),
        "workload": _workload(load.script, load.table_size),
        "clients": load.clients,
        "workers": 1,
        "protocol": "prepared",
        "kernel_timestamps": load.kernel_timestamps,
        "arrivals": {"closed": {}},
        "warmup_s": 0.0,
        "duration_s": load.duration_s,
        "interval_s": load.interval_s,
        "seed": load.seed,
        "retry": {"max_retries": 10, "backoff_min_ms": 1.0, "backoff_max_ms": 50.0},
        "error_budget": 0.01,
        "limits": {"connect_s": 30.0, "statement_s": 60.0, "drain_s": 10.0},
    }
    return generator(server, plan)


def dbdyno_prepare(server: BenchServer, table_size: int) -> Command:
    """Return the generator with a loading plan."""
    plan = {
        "version": 1,
        "action": "load",
        "url": server.url,
        "workload": _workload("oltp_read_write", table_size),
        "seed": LOADING_SEED,
        "connections": LOADING_CONNECTIONS,
        "connect_s": 30.0,
    }
    return generator(server, plan)


def sysbench_load(server: BenchServer, load: Load) -> Command:
    """Return ``sysbench ... run``."""
    options = (
        *_connection(server.address, load.over_socket),
        *_tables(load.table_size),
        f"--threads={load.clients}",
        f"--time={load.duration_s:.0f}",
        "--db-ps-mode=auto",
    )
    return Command("sysbench", ("sysbench", load.script, *options, "run"))


def sysbench_prepare(server: BenchServer, table_size: int) -> Command:
    """Return ``sysbench ... prepare``."""
    options = (
        *_connection(server.address, over_socket=False),
        *_tables(table_size),
        f"--threads={LOADING_CONNECTIONS}",
    )
    return Command("sysbench", ("sysbench", "oltp_read_write", *options, "prepare"))


def generator(server: BenchServer, plan: dict[str, Any]) -> Command:
    """Return the generator with any plan."""
    arguments = (sys.executable, "-m", "dbdyno.generator")
    return Command("dbdyno", arguments, json.dumps(plan).encode(), server.password)


def _url(server: BenchServer, load: Load) -> str:
    if not load.over_socket:
        return server.url
    address = server.address
    return f"mysql://{address.user}@localhost/{address.database}?socket={address.socket}"


def _workload(script: str, table_size: int) -> dict[str, Any]:
    return {
        "sysbench": {
            "script": script,
            "tables": TABLES,
            "table_size": table_size,
            "distribution": "uniform",
        }
    }


def _connection(address: Address, over_socket: bool) -> tuple[str, ...]:
    where = (
        (f"--mysql-socket={address.socket}", "--mysql-host=localhost")
        if over_socket
        else (f"--mysql-host={address.host}", f"--mysql-port={address.port}")
    )
    return (
        "--db-driver=mysql",
        *where,
        f"--mysql-user={address.user}",
        f"--mysql-password={address.password}",
        f"--mysql-db={address.database}",
    )


def _tables(table_size: int) -> tuple[str, ...]:
    return (f"--tables={TABLES}", f"--table-size={table_size}", "--rand-type=uniform")
