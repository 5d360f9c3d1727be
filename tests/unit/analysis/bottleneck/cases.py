"""Built results in which one thing was the limit: what is watched at a low and a high load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.bottleneck.model import CellLimit, LimitCode
from dbdyno.analysis.findings import Findings
from dbdyno.experiment.plan import FactorLevels
from dbdyno.resources import HOST, LOCAL_HOST, NO_MEMBER, SCHEMA
from tests.unit.store.result_builder import TrialScript, build_result, histogram, make_plan

CLIENTS = FactorLevels("clients", ("1", "8"), "load.clients")
POOL = FactorLevels("pool", ("16M", "64M"), "server.innodb_buffer_pool_size")

MACHINE = {
    "host cpu.user_s": 0.2,
    "host cpu.system_s": 0.1,
    "host cpu.interrupt_s": 0.0,
    "host cpu.iowait_s": 0.2,
    "host cpu.steal_s": 0.0,
    "host cpu.idle_s": 3.5,
    **{f"host cpu[{number}].busy_s": 0.075 for number in range(4)},
    **{f"host cpu[{number}].softirq_s": 0.01 for number in range(4)},
    "host pressure.cpu_some_s": 0.01,
    "host pressure.io_some_s": 0.01,
    "host pressure.memory_some_s": 0.0,
    "host swap.in_bytes": 0.0,
    "host swap.out_bytes": 0.0,
    "host tcp.segments_out": 10_000.0,
    "host tcp.segments_sent_again": 0.0,
    "host network[eth0].receive_bytes": 1e6,
    "host network[eth0].send_bytes": 1e6,
    **{f"host disk[vda].{name}": 10.0 for name in ("reads", "writes", "flushes")},
    **{f"host disk[vda].{name}_wait_s": 0.01 for name in ("read", "write", "flush")},
    "host disk[vda].busy_s": 0.03,
    "host disk[vda].queue_s": 0.03,
    "server process.cpu_user_s": 0.1,
    "server process.cpu_system_s": 0.05,
    "server process.run_queue_wait_s": 0.01,
    "generator process.cpu_user_s": 0.05,
    "generator process.cpu_system_s": 0.05,
    "generator process.run_queue_wait_s": 0.01,
}
"""A second of a machine with four CPUs on which little happens."""

INNODB = {
    "server innodb.row_lock_wait_s": 0.0,
    "server innodb.log_waits": 0.0,
    "server innodb.checkpoint_age_bytes": 10e6,
    "server innodb.checkpoint_max_age_bytes": 100e6,
    "server innodb.flush_sync_waits": 0.0,
    "server innodb.buffer_pool_pages": 1000.0,
    "server innodb.buffer_pool_free_pages": 500.0,
    "server innodb.buffer_pool_wait_free": 0.0,
    "server mysql.wait[wait/io/file/innodb/innodb_log_file].s": 0.05,
    "server mysql.wait[wait/io/file/innodb/innodb_data_file].s": 0.5,
    "server mysql.wait[wait/io/table/sql/handler].s": 9.0,
}
POSTGRESQL = {
    "server postgresql.backends": 9.0,
    "server postgresql.wait[CPU].sessions": 1.0,
    "server postgresql.wait[IO:DataFileRead].sessions": 1.0,
}
GALERA = {
    "server galera.cluster_size": 3.0,
    "server galera.flow_control_sent": 0.0,
    "server galera.flow_control_paused_s": 0.0,
}
FULL_CPU = {
    "host cpu.user_s": 3.0,
    "host cpu.system_s": 0.9,
    "host cpu.iowait_s": 0.0,
    "host cpu.idle_s": 0.1,
}

Changes = Mapping[str, float]
Generator = Mapping[str, object]


@dataclass(frozen=True)
class Case:
    """What is there at any load, and what the high load adds: use of something, and waits."""

    code: LimitCode
    use: Changes
    waits: Changes
    base: Changes = field(default_factory=dict)
    device: str = ""
    member: str = "server"


CASES = [
    Case(
        LimitCode.SERVER_CPU,
        {**FULL_CPU, "server process.cpu_user_s": 2.8},
        {"server process.run_queue_wait_s": 4.0},
    ),
    # A hypervisor takes a fifth of the CPUs: the server has the rest, and cannot have more.
    Case(
        LimitCode.SERVER_CPU,
        {
            **FULL_CPU,
            "host cpu.user_s": 2.2,
            "host cpu.steal_s": 0.8,
            "server process.cpu_user_s": 2.4,
        },
        {"server process.run_queue_wait_s": 4.0},
    ),
    Case(
        LimitCode.HOST_CPU,
        {**FULL_CPU, "server process.cpu_user_s": 1.5, "generator process.cpu_user_s": 1.5},
        {"server process.run_queue_wait_s": 2.0},
        member="",
    ),
    Case(
        LimitCode.ONE_CPU,
        {"host cpu[2].busy_s": 0.99, "server process.cpu_user_s": 0.9},
        {"server process.run_queue_wait_s": 0.9},
    ),
    Case(
        LimitCode.CPU_QUOTA,
        {"server control_group.cpu_throttled_periods": 9.0},
        {"server control_group.cpu_throttled_s": 1.4},
        {
            "server control_group.cpu_periods": 10.0,
            "server control_group.cpu_throttled_periods": 0.0,
            "server control_group.cpu_throttled_s": 0.0,
        },
    ),
    Case(
        LimitCode.DISK,
        {
            "host disk[vda].busy_s": 0.99,
            "host disk[vda].queue_s": 6.0,
            "host disk[vda].write_wait_s": 6.0,
        },
        {"host pressure.io_some_s": 0.6},
        device="vda",
        member="",
    ),
    Case(
        LimitCode.DISK,
        {"server control_group.disk[vda].writes_limit_used_s": 0.98},
        {"host pressure.io_some_s": 0.6},
        {
            "server control_group.disk[vda].reads": 1.0,
            "server control_group.disk[vda].writes": 20.0,
            "server control_group.disk[vda].writes_limit_used_s": 0.2,
            "server control_group.disk[vda].read_bytes_limit_used_s": 0.1,
        },
        device="vda",
    ),
    Case(
        LimitCode.MEMORY,
        {"host swap.out_bytes": 8e6},
        {"host pressure.memory_some_s": 0.3},
        member="",
    ),
    Case(
        LimitCode.MEMORY,
        {"server control_group.memory_limit_events": 40.0},
        {"host pressure.memory_some_s": 0.3},
        {"server control_group.memory_limit_events": 0.0},
    ),
    Case(
        LimitCode.NETWORK_LINK,
        {"host network[eth0].send_bytes": 1.2e8},
        {"host tcp.segments_sent_again": 30.0},
        device="eth0",
        member="",
    ),
    Case(
        LimitCode.NETWORK_CPU,
        {"host cpu[1].busy_s": 0.97, "host cpu[1].softirq_s": 0.8},
        {"host tcp.segments_sent_again": 30.0},
        member="",
    ),
    Case(
        LimitCode.ROW_LOCKS,
        {},
        {"server innodb.row_lock_wait_s": 6.5},
        INNODB,
    ),
    Case(
        LimitCode.ROW_LOCKS,
        {},
        {
            "server postgresql.wait[Lock:transactionid].sessions": 4.0,
            "server postgresql.wait[Lock:tuple].sessions": 2.0,
        },
        POSTGRESQL,
    ),
    Case(
        LimitCode.COMMIT,
        {"server mysql.wait[wait/io/file/innodb/innodb_log_file].s": 0.8},
        {"host pressure.io_some_s": 0.6},
        INNODB,
    ),
    Case(
        LimitCode.COMMIT,
        {},
        {
            "server postgresql.wait[IO:WalSync].sessions": 2.0,
            "server postgresql.wait[LWLock:WALWrite].sessions": 5.0,
        },
        POSTGRESQL,
    ),
    Case(
        LimitCode.REDO_SPACE,
        {"server innodb.checkpoint_age_bytes": 80e6},
        {"server innodb.flush_sync_waits": 3.0},
        INNODB,
    ),
    Case(LimitCode.LOG_BUFFER, {}, {"server innodb.log_waits": 12.0}, INNODB),
    Case(
        LimitCode.BUFFER_POOL,
        {"server innodb.buffer_pool_free_pages": 2.0},
        {"server innodb.buffer_pool_wait_free": 5.0},
        INNODB,
    ),
    Case(
        LimitCode.FLOW_CONTROL,
        {"server galera.flow_control_sent": 2.0},
        {"server galera.flow_control_paused_s": 0.4},
        {**INNODB, **GALERA},
    ),
]

Watched = Callable[[TrialScript], Changes]
"""Figures of a second, by role and metric."""


def table(figures: Changes, seconds: int = 12, host: str = LOCAL_HOST) -> pl.DataFrame:
    """Return a table with so many seconds of these figures."""
    rows = []
    for key, value in figures.items():
        role, metric = key.split(" ", 1)
        member = NO_MEMBER if role == HOST else role
        rows += [
            (member, role, host, metric, float(second), 1.0, value) for second in range(seconds)
        ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def watched(script: TrialScript, figures: Changes, host: str = LOCAL_HOST) -> None:
    """Store these figures of each second of the window, on the clock of the window."""
    start = {"unix_ns": 0, "monotonic_ns": 0}
    script.events.insert(1, {"event": "started", "window_start": start})
    script.resources = table(figures, host=host)


def local(script: TrialScript) -> None:
    """Let the server be on this machine."""
    script.generator_plan["url"] = "mysql://root@127.0.0.1:3307/dbdyno"


def worker(script: TrialScript, busy: float, lag_ms: float, waited: float = 0.0) -> None:
    """Let the busiest worker be so busy and wait for a CPU, and answers wait so long for it."""
    for second in script.window:
        second["generator"] |= {
            "busiest_worker_share": busy,
            "run_queue_delay_s": waited,
            "loop_lag": histogram([lag_ms] * 10),
        }


def is_high(script: TrialScript) -> bool:
    """Tell whether a trial has the high load."""
    return script.planned.cell.level("clients") == "8"


def loaded(script: TrialScript) -> None:
    """Let a trial have the clients of its cell, on this machine."""
    local(script)
    script.generator_plan["clients"] = 8 if is_high(script) else 1
    for event in script.events:
        if event["event"] == "interval":
            event["live_clients"] = script.generator_plan["clients"]


HOST_FACTS = {
    "cpu_count": 4,
    "network_interfaces": [{"name": "eth0", "speed_mbit_per_s": 1000}],
}


def findings(
    directory: Path,
    change: Callable[[TrialScript], None],
    *factors: FactorLevels,
    rounds: int = 1,
) -> Findings:
    """Return what is found in a result whose trials ``change`` makes."""
    plan = make_plan(factors, rounds=rounds)
    return analyse(build_result(directory, plan, change, host=HOST_FACTS))


def limits(
    directory: Path, change: Callable[[TrialScript], None], *factors: FactorLevels, rounds: int = 1
) -> tuple[CellLimit, ...]:
    """Return the limits in such a result."""
    return findings(directory, change, *factors, rounds=rounds).limits
