"""How long a user waits for what needs no server, and for a load to begin."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from socket import create_server

from bench.command import CommandCost, cost_of, dbdyno
from bench.figures import Figure, Spread, Target, at_most
from bench.size import Size
from bench.synthetic import LEVELS, write_result, write_sysbench_log

EXPERIMENT = Path(__file__).parents[1] / "experiments" / "first-experiment.yaml"

SECTION = "waiting"
START_LIMIT_S = 60.0
HELP_TARGET_S = at_most(0.4)
PLAN_TARGET_S = at_most(0.4)
IMPORT_TARGET_S = at_most(1.0)
SMALL_REPORT_TARGET_S = at_most(2.0)
SMALL_REPORT_TARGET_MB = at_most(200.0)
REPORT_TARGET_S = at_most(5.0)
START_TARGET_S = at_most(0.3)


def waiting(size: Size) -> list[Figure]:
    """Measure commands on inputs that were never measured, and the start of a load."""
    repeats = range(size.start_repeats)
    with tempfile.TemporaryDirectory() as directory:
        small, large, log = (Path(directory, name) for name in ("small", "large", "sysbench.log"))
        write_result(small, rounds=size.small_report_rounds, intervals=size.report_intervals)
        write_result(large, rounds=size.report_rounds, intervals=size.report_intervals)
        write_sysbench_log(log, lines=size.import_lines)
        plan = [cost_of("plan", str(EXPERIMENT)) for _ in repeats]
        imports = [
            cost_of("import", str(log), "--out", str(Path(directory, f"imported {number}")))
            for number in repeats
        ]
        reports = [cost_of("report", str(small)) for _ in repeats]
        large_report = cost_of("report", str(large))
    small_size, large_size = (
        f"{len(LEVELS) * rounds} trials x {size.report_intervals} intervals"
        for rounds in (size.small_report_rounds, size.report_rounds)
    )
    return [
        _wall("dbdyno --help", [cost_of("--help") for _ in repeats], HELP_TARGET_S),
        _cpu("dbdyno plan", plan, PLAN_TARGET_S),
        _cpu(f"dbdyno import, a log of {size.import_lines} lines", imports, IMPORT_TARGET_S),
        _cpu(f"dbdyno report, {small_size}", reports, SMALL_REPORT_TARGET_S),
        _figure(
            f"dbdyno report, {small_size}, memory",
            "MB",
            [each.memory_mb for each in reports],
            SMALL_REPORT_TARGET_MB,
        ),
        _wall(f"dbdyno report, {large_size}", [large_report], REPORT_TARGET_S),
        _figure(
            "dbdyno sysbench run, until it connects",
            "s",
            [_start_s() for _ in repeats],
            START_TARGET_S,
        ),
    ]


def _start_s() -> float:
    """Return how long it takes until a server sees the first connection."""
    with create_server(("127.0.0.1", 0)) as server:
        server.settimeout(START_LIMIT_S)
        host, port = server.getsockname()
        address = (f"--mysql-host={host}", f"--mysql-port={port}")
        start_s = time.monotonic()
        process = subprocess.Popen(
            dbdyno("sysbench", "oltp_point_select", *address, "run"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            connection, _ = server.accept()
            elapsed_s = time.monotonic() - start_s
            connection.close()
        finally:
            process.terminate()
            process.wait()
    return elapsed_s


def _wall(name: str, costs: Sequence[CommandCost], target: Target) -> Figure:
    return _figure(name, "s", [each.wall_s for each in costs], target)


def _cpu(name: str, costs: Sequence[CommandCost], target: Target) -> Figure:
    return _figure(f"{name}, CPU", "s", [each.cpu_s for each in costs], target)


def _figure(name: str, unit: str, values: Sequence[float], target: Target) -> Figure:
    return Figure(SECTION, name, unit, Spread.of(values), target)
