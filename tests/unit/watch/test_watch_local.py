"""The watcher on this machine: what it counts, and what it survives."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import polars as pl
import pytest

from dbdyno.resources import GENERATOR, HOST, SCHEMA, SERVER, WATCHER
from dbdyno.watch.local import processes
from dbdyno.watch.local.watcher import LocalMember, watch_local
from dbdyno.watch.series.watcher import Watcher
from tests.unit.watch.burner import program, series, tell, wait_for_intervals, wait_until

WORK = """
import sys
sys.stdin.readline()
text = "".join(str(number) for number in range(2_000_000))
print("done", flush=True)
sys.stdin.readline()
"""


def watching(interval_s: float, **process_ids: list[int]) -> Watcher:
    """Watch this machine, and processes by the role that they are in."""
    members = [LocalMember(role, role, tuple(ids)) for role, ids in process_ids.items()]
    return watch_local(members, interval_s)


@pytest.fixture
def sleepers() -> Iterator[list[subprocess.Popen[bytes]]]:
    processes = [subprocess.Popen(["sleep", "60"]) for _ in range(2)]
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_intervals_follow_each_other_on_the_monotonic_clock() -> None:
    before_s = time.monotonic()
    with watching(0.02) as watcher:
        wait_for_intervals(watcher, 5)
    table = watcher.table()
    assert table.schema == SCHEMA
    intervals = table.select("start_s", "duration_s").unique(maintain_order=True)
    assert before_s < intervals["start_s"][0]
    assert intervals["start_s"][-1] + intervals["duration_s"][-1] < time.monotonic()
    gaps = intervals["start_s"].diff().slice(1)
    assert gaps.to_list() == pytest.approx(intervals["duration_s"].slice(0, gaps.len()).to_list())


def test_what_a_last_interval_has_is_kept_unless_that_is_very_short() -> None:
    with watching(2.0, server=[os.getpid()]) as watcher:
        time.sleep(1.5)
    *_, duration_s = watcher.table()["duration_s"]
    assert 0.5 <= duration_s < 2.0
    assert sum(series(watcher, SERVER, "process.resident_bytes")) > 0
    assert watcher.failures() == ()
    with watching(60.0) as watcher:
        time.sleep(0.01)
    assert watcher.table().is_empty()


def test_who_has_ended_at_the_last_interval_was_watched_to_its_end(
    sleepers: list[subprocess.Popen[bytes]],
) -> None:
    with watching(2.0, server=[sleepers[0].pid]) as watcher:
        sleepers[0].kill()
        sleepers[0].wait()
        time.sleep(1.0)
    assert watcher.failures() == ()


def test_it_ends_when_told_to() -> None:
    with watching(3600.0) as watcher:
        assert any(thread.name == "watcher local" for thread in threading.enumerate())
    assert not any(thread.name == "watcher local" for thread in threading.enumerate())
    assert watcher.table().schema == SCHEMA
    assert watcher.failures() == ()


def test_work_is_counted_for_the_process_that_does_it() -> None:
    with (
        program(WORK) as worker,
        watching(0.05, server=[worker.pid], generator=[os.getpid()]) as watcher,
    ):
        wait_for_intervals(watcher, 1)
        tell(worker)
        wait_for_intervals(watcher, 2)
    server_s = sum(series(watcher, SERVER, "process.cpu_user_s"))
    assert server_s >= 0.05
    assert sum(series(watcher, HOST, "cpu.user_s")) >= server_s - 0.1
    assert sum(series(watcher, GENERATOR, "process.voluntary_switches")) > 0
    assert series(watcher, SERVER, "process.threads")[-1] == 1
    assert series(watcher, GENERATOR, "process.threads")[-1] >= 2
    assert series(watcher, SERVER, "process.resident_bytes")[-1] > 1 << 20
    assert series(watcher, HOST, "memory.available_bytes")[-1] > 0
    assert 0 <= series(watcher, HOST, "cpu.busiest_share")[-1] <= 1
    assert sum(series(watcher, WATCHER, "watcher.cpu_s")) > 0


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
    with watching(0.2, server=[os.getpid()]) as watcher:
        wait_for_intervals(watcher, 3)
    enough.set()
    thread.join()
    assert sum(series(watcher, SERVER, "process.voluntary_switches")) > switches / 2


def test_with_too_many_threads_switches_are_not_told(
    monkeypatch: pytest.MonkeyPatch, sleepers: list[subprocess.Popen[bytes]]
) -> None:
    """Not even in part, for the children that have one thread each."""
    assert sleepers
    monkeypatch.setattr(processes, "THREADS_MAX", 1)
    with watching(0.02, server=[os.getpid()]) as watcher:
        wait_for_intervals(watcher, 2)
    assert series(watcher, SERVER, "process.voluntary_switches") == []
    intervals = watcher.table()["start_s"].n_unique()
    assert len(series(watcher, SERVER, "process.threads")) == intervals


def test_a_process_that_vanishes_leaves_the_others(sleepers: list[subprocess.Popen[bytes]]) -> None:
    one, other = sleepers
    with watching(0.02, server=[one.pid, other.pid]) as watcher:
        wait_for_intervals(watcher, 2)
        one.kill()
        one.wait()
        wait_for_intervals(watcher, 2)
        other.kill()
        wait_for_intervals(watcher, 2)
    threads = series(watcher, SERVER, "process.threads")
    changes = [threads[0], *(new for old, new in pairwise(threads) if new != old)]
    assert changes == [2, 1]
    told = watcher.table().filter(pl.col("metric") == "process.threads")
    assert told["start_s"].max() != watcher.table()["start_s"].max()


def test_a_process_that_was_never_there() -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    with watching(0.02, server=[gone.pid]) as watcher:
        wait_for_intervals(watcher, 2)
    metrics = watcher.table().filter(pl.col("role") == SERVER)["metric"].cast(pl.String)
    assert not metrics.str.starts_with("process.").any()
    wait_until(lambda: not any(thread.name == "watcher local" for thread in threading.enumerate()))
