"""Thousands of clients at once: how long they take to connect, in memory, and how evenly served.

The null server answers in the order of arrival: what is uneven there is the generator's own.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.figures import Figure, Spread, Target, at_most
from bench.null_server import PROTOCOLS, NullServer, build
from bench.programs import Command, generator
from bench.size import Size
from bench.trial import checked, events_of, running
from bench.turns import CLIENT_CPU, POINT_SELECT, SERVER_CPU, Tell
from dbdyno.errors import InputError, RunError
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.protocol.waiting import NAP

CONNECT_TARGET_S = at_most(15.0)
MEMORY_TARGET_MB = at_most(100.0)
UNEVEN_TARGET = at_most(0.1)

FILES_BESIDE_CLIENTS = 200
LIMIT_S = 120.0
POLL_S = 0.1


def many_clients(size: Size, tell: Tell) -> list[Figure]:
    """Measure a load of many clients by each protocol; InputError where files are too few."""
    build()
    _allow_files(size.many_clients + FILES_BESIDE_CLIENTS)
    figures = list[Figure]()
    for protocol in PROTOCOLS:
        with NullServer(protocol, SERVER_CPU) as server:
            figures += _measure(server, size, tell)
    return figures


def _allow_files(count: int) -> None:
    """Let this process and what it starts have so many open: each client takes one on each side."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))
    except ValueError as error:
        message = f"{hard} open files are allowed, and {count} are needed (ulimit -Hn)"
        raise InputError(message) from error


def _measure(server: NullServer, size: Size, tell: Tell) -> Iterator[Figure]:
    events, memory_mb = _carried_out(_load(server, size))
    connected = next((event for event in events if event["event"] == "connected"), None)
    counts = _transactions(events)
    if connected is None or not counts:
        raise RunError(f"{size.many_clients} clients have done nothing: {events[-1:]}")
    mean = statistics.mean(counts)
    tell(
        f"{size.many_clients} clients, {server.protocol}: {min(counts)} to {max(counts)} "
        f"transactions each, {mean:.0f} on average"
    )
    uneven = statistics.pstdev(counts) / mean
    measured: Mapping[str, tuple[str, float, Target]] = {
        "until all are connected": ("s", connected["elapsed_s"], CONNECT_TARGET_S),
        "memory of the generator": ("MB", memory_mb, MEMORY_TARGET_MB),
        "transactions a client, deviation over mean": ("ratio", uneven, UNEVEN_TARGET),
    }
    section = f"{size.many_clients} clients, null server, {server.protocol}"
    for name, (unit, value, target) in measured.items():
        yield Figure(section, name, unit, Spread.of([value]), target)


def _load(server: NullServer, size: Size) -> Command:
    plan = TrialPlan(
        workload={
            "sysbench": {
                "script": POINT_SELECT,
                "tables": 1,
                "table_size": size.table_size,
                "distribution": "uniform",
            }
        },
        clients=size.many_clients,
        workers=1,
        wait=NAP,
        warmup_s=size.warmup_s,
        duration_s=size.load_s,
        seed=1,
        error_budget=0.01,
        count_by_client=True,
    )
    return generator(server, plan.to_json(server.url))


def _carried_out(command: Command) -> tuple[Sequence[dict[str, Any]], float]:
    """Return what the generator says, and its memory at its largest."""
    memory_mb, deadline_s = 0.0, time.monotonic() + LIMIT_S
    with tempfile.TemporaryFile() as output:
        with running(command, CLIENT_CPU, output) as process:
            while (status := process.poll()) is None:
                if time.monotonic() > deadline_s:
                    raise RunError(f"many clients have not ended in {LIMIT_S:.0f} s")
                memory_mb = max(memory_mb, _largest_mb(process.pid))
                time.sleep(POLL_S)
        return events_of(command, checked(command, status, output)), memory_mb


def _largest_mb(process_id: int) -> float:
    """Return the kernel's high-water mark; 0 where the process has ended.

    wait4() would count the memory of the process that started it, too.
    """
    status = Path(f"/proc/{process_id}/status").read_text().splitlines()
    kib = (line.split()[1] for line in status if line.startswith("VmHWM:"))
    return int(next(kib, "0")) * 1024 / 1e6


def _transactions(events: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return how many each client did in the window."""
    windows = [each for each in events if each.get("phase") == "window" and each.get("clients")]
    counts = (each["clients"]["transactions"] for each in windows)
    return [sum(of_one) for of_one in zip(*counts, strict=True)]
