"""Results as long experiments would leave them, written by the real writer, of invented figures."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from tests.unit.store.result_builder import (
    HOST,
    TrialScript,
    build_result,
    histogram,
    make_plan,
    trial_events,
    window_of,
    write_trial,
)

from dbdyno.experiment.plan import FactorLevels, PlannedTrial
from dbdyno.facts.host import HostFacts
from dbdyno.resources import (
    CPU_TIMES,
    GENERATOR,
    LOCAL_HOST,
    NO_MEMBER,
    SCHEMA,
    SERVER,
)
from dbdyno.resources import (
    HOST as WHOLE_HOST,
)
from dbdyno.store import layout
from dbdyno.store.writer import ResultWriter

LEVELS = ("1", "8", "64", "256")

TRANSACTIONS_PER_INTERVAL = 500

ROUNDS_WRITTEN = 2
"""The others are these once more: to write a thousand trials takes longer than their report."""

_OF_HOST = (
    *CPU_TIMES,
    *("cpu.busiest_share", "cpu.running_tasks", "cpu.context_switches", "memory.available_bytes"),
    *("swap.in_bytes", "swap.out_bytes", "pressure.cpu_some_s", "pressure.io_some_s"),
    *(f"disk[sda].{name}" for name in ("reads", "writes", "read_bytes", "write_bytes", "flushes")),
    *(f"disk[sda].{name}" for name in ("read_wait_s", "write_wait_s", "busy_s", "queue_s")),
    *(f"network[eth0].{name}" for name in ("receive_bytes", "send_bytes")),
)
_OF_PROCESSES = ("cpu_user_s", "cpu_system_s", "read_bytes", "write_bytes", "resident_bytes")

SERIES = (
    *((NO_MEMBER, WHOLE_HOST, name) for name in _OF_HOST),
    *((role, role, f"process.{name}") for role in (SERVER, GENERATOR) for name in _OF_PROCESSES),
)
"""Member, role and metric of what is watched of a server that shares a host with its generator."""


def write_result(directory: Path, *, rounds: int, intervals: int) -> None:
    """Write ``len(LEVELS) * rounds`` trials, each with ``intervals`` of one second."""
    random = np.random.default_rng(1)

    def change(script: TrialScript) -> None:
        level = LEVELS.index(script.planned.cell.level("clients"))
        mean_per_s = TRANSACTIONS_PER_INTERVAL * (1.0 + 0.1 * level)
        _fill(script, random, mean_per_s, intervals)

    factor = FactorLevels("clients", LEVELS, "load.clients")
    build_result(directory, make_plan([factor], rounds=rounds), change)


def write_large_result(directory: Path, *, cells: int, rounds: int, intervals: int) -> None:
    """Write trials of so many cells, with all that is watched of a server and its host."""
    random = np.random.default_rng(1)
    names = tuple(f"setting {number}" for number in range(1, cells + 1))
    plan = make_plan([FactorLevels("setting", names, "server.setting")], rounds=rounds)
    result = ResultWriter.create(
        directory, experiment_text="experiment: x\n", plan=plan, host=HostFacts(**HOST)
    )
    for planned in plan.trials:
        if planned.round <= ROUNDS_WRITTEN:
            script = TrialScript(planned)
            mean_per_s = TRANSACTIONS_PER_INTERVAL + names.index(planned.cell.level("setting"))
            _fill(script, random, mean_per_s, intervals)
            script.resources = _resources(random, intervals)
            write_trial(result, script)
        else:
            _link(directory, planned, planned.number - ROUNDS_WRITTEN * cells)
    result.close()


def write_sysbench_log(path: Path, *, lines: int) -> None:
    """Write what sysbench prints each second of a run that was ended after so many."""
    rates = np.random.default_rng(1).normal(1000.0, 20.0, lines)
    path.write_text(
        "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\n"
        "Running the test with following options:\nNumber of threads: 8\n"
        "Report intermediate results every 1 second(s)\n"
        "Initializing random number generator from current time\n\n\n"
        "Initializing worker threads...\n\nThreads started!\n\n"
        + "".join(
            f"[ {second}s ] thds: 8 tps: {tps:.2f} qps: {20 * tps:.2f} (r/w/o: {14 * tps:.2f}/"
            f"{4 * tps:.2f}/{2 * tps:.2f}) lat (ms,95%): {9000 / tps:.2f} err/s: 0.00 "
            "reconn/s: 0.00\n"
            for second, tps in enumerate(rates, start=1)
        )
    )


def _fill(
    script: TrialScript, random: np.random.Generator, mean_per_s: float, intervals: int
) -> None:
    """Give a trial its intervals, each with throughput and times of its own."""
    # In steps of ten, for which histograms are made once.
    committed = 10 * random.normal(mean_per_s / 10, 0.005 * mean_per_s, intervals).astype(int)
    script.generator_plan["duration_s"] = float(intervals)
    script.events = [
        {"event": "started", "window_start": {"unix_ns": 0, "monotonic_ns": 0}},
        *trial_events(committed.tolist()),
    ]
    for event in window_of(script.events):
        for transaction in event["transactions"].values():
            # The reader counts that each transaction that ended has its times.
            times = _times(transaction["committed"], int(random.integers(8)))
            transaction["response"] = transaction["service"] = times


@cache
def _times(count: int, seed: int) -> str:
    return histogram(np.random.default_rng(seed).lognormal(2.0, 0.5, count).tolist())


def _resources(random: np.random.Generator, intervals: int) -> pl.DataFrame:
    """Return a reading a second of each series."""
    members, roles, metrics = zip(*SERIES * intervals, strict=True)
    columns = {
        "member": members,
        "role": roles,
        "host": [LOCAL_HOST] * len(metrics),
        "metric": metrics,
        "start_s": np.repeat(np.arange(intervals) + 0.4, len(SERIES)),
        "duration_s": np.ones(len(metrics)),
        "value": random.integers(1, 1000, len(metrics)) / 1000,
    }
    return pl.DataFrame(columns, schema=SCHEMA)


def _link(directory: Path, planned: PlannedTrial, like: int) -> None:
    """Give a trial the files of another one of its cell."""
    folder = layout.trial_directory(directory, planned.number)
    folder.mkdir()
    for file in layout.trial_directory(directory, like).iterdir():
        os.link(file, folder / file.name)
