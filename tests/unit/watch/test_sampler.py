"""The sampler on this machine: what it counts, and what it survives."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import polars as pl
import pytest

from dbdyno.watch import RESOURCES_SCHEMA, Sampler, counters

LIMIT_S = 120.0

WORK = """
import sys
sys.stdin.readline()
text = "".join(str(number) for number in range(2_000_000))
print("done", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def sleepers() -> Iterator[list[subprocess.Popen[bytes]]]:
    processes = [subprocess.Popen(["sleep", "60"]) for _ in range(2)]
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


def wait_for_rows(sampler: Sampler, count: int) -> None:
    present = sampler.table().height
    wait_until(lambda: sampler.table().height >= present + count)


def test_rows_follow_each_other_on_the_monotonic_clock() -> None:
    before_s = time.monotonic()
    with Sampler({}, interval_s=0.02) as sampler:
        wait_for_rows(sampler, 5)
    table = sampler.table()
    assert table.schema == RESOURCES_SCHEMA
    times = table["time_s"]
    assert before_s < times[0]
    assert times[-1] < time.monotonic()
    gaps = times.diff().slice(1)
    assert gaps.to_list() == pytest.approx(table["duration_s"].slice(1).to_list())


def test_it_ends_when_told_to() -> None:
    with Sampler({}, interval_s=3600.0) as sampler:
        assert any(thread.name == "sampler" for thread in threading.enumerate())
    assert not any(thread.name == "sampler" for thread in threading.enumerate())
    assert sampler.table().schema == RESOURCES_SCHEMA


def test_work_is_counted_for_the_process_that_does_it() -> None:
    command = [sys.executable, "-c", WORK]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        sampler = Sampler({"server": [worker.pid], "generator": [os.getpid()]}, interval_s=0.05)
        with sampler:
            wait_for_rows(sampler, 1)
            worker.stdin.write(b"\n")
            worker.stdin.flush()
            worker.stdout.readline()
            wait_for_rows(sampler, 2)
        worker.stdin.close()
    sums = sampler.table().sum().row(0, named=True)
    assert sums["server_cpu_user_s"] >= 0.05
    assert sums["host_cpu_user_s"] >= sums["server_cpu_user_s"] - 0.1
    assert sums["generator_voluntary_switches"] > 0
    last = sampler.table().row(-1, named=True)
    assert last["server_threads"] == 1
    assert last["generator_threads"] >= 2
    assert last["server_resident_bytes"] > 1 << 20
    assert last["host_memory_available_bytes"] > 0
    assert 0 <= last["host_busiest_cpu_share"] <= 1


def test_switches_of_all_threads_are_counted() -> None:
    """The first thread of this process sleeps through; it is another one that switches."""
    switches = 0
    enough = threading.Event()

    def switch() -> None:
        nonlocal switches
        while not enough.wait(0.0005):
            switches += 1

    thread = threading.Thread(target=switch)
    thread.start()
    with Sampler({"server": [os.getpid()]}, interval_s=0.2) as sampler:
        wait_for_rows(sampler, 3)
    enough.set()
    thread.join()
    assert sampler.table()["server_voluntary_switches"].sum() > switches / 2


def test_with_too_many_threads_switches_are_not_told(
    monkeypatch: pytest.MonkeyPatch, sleepers: list[subprocess.Popen[bytes]]
) -> None:
    """Not even in part, for the children that have one thread each."""
    assert sleepers
    monkeypatch.setattr(counters, "THREADS_MAX", 1)
    with Sampler({"server": [os.getpid()]}, interval_s=0.02) as sampler:
        wait_for_rows(sampler, 2)
    assert sampler.table()["server_voluntary_switches"].null_count() == sampler.table().height
    assert sampler.table()["server_threads"].null_count() == 0


def test_a_process_that_vanishes_leaves_the_others(sleepers: list[subprocess.Popen[bytes]]) -> None:
    one, other = sleepers
    with Sampler({"server": [one.pid, other.pid]}, interval_s=0.02) as sampler:
        wait_for_rows(sampler, 2)
        one.kill()
        one.wait()
        wait_for_rows(sampler, 2)
        other.kill()
        wait_for_rows(sampler, 2)
    threads = sampler.table()["server_threads"].to_list()
    changes = [threads[0], *(new for old, new in pairwise(threads) if new != old)]
    assert changes == [2, 1, None]


def test_a_process_that_was_never_there() -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    with Sampler({"server": [gone.pid]}, interval_s=0.02) as sampler:
        wait_for_rows(sampler, 2)
    process = sampler.table().select(pl.col("^server_.*$"))
    assert process.null_count().sum_horizontal()[0] == process.height * process.width
