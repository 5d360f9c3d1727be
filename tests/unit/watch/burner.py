"""Processes that do something which a watcher must see."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import polars as pl

from dbdyno.watch.series.watcher import Watcher

LIMIT_S = 120.0


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for something that must come."""
    deadline_s = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


def intervals_of(watcher: Watcher) -> int:
    """Return how many intervals there are so far."""
    return watcher.table()["start_s"].n_unique()


def wait_for_intervals(watcher: Watcher, count: int) -> None:
    """Wait until so many more intervals are there."""
    present = intervals_of(watcher)
    wait_until(lambda: intervals_of(watcher) >= present + count)


def series(watcher: Watcher, role: str, metric: str) -> list[float]:
    """Return the values of a metric in the order of time."""
    table = watcher.table()
    return table.filter(pl.col("role") == role, pl.col("metric") == metric)["value"].to_list()


@contextmanager
def program(text: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run Python in a process of its own, which is killed in the end."""
    command = [sys.executable, "-c", text, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def tell(process: subprocess.Popen[bytes]) -> None:
    """Let a program that reads a line go on, and wait for the line that it says."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\n")
    process.stdin.flush()
    process.stdout.readline()
