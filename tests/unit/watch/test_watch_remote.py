"""A host that is asked over a command; here the command leads to this machine's own shell."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path

import polars as pl

from dbdyno.resources import HOST
from dbdyno.watch.remote.host import watch_host
from dbdyno.watch.series.source import Source
from dbdyno.watch.series.watcher import Watcher
from tests.unit.watch.burner import program, series, wait_for_intervals, wait_until
from tests.unit.watch.test_watch_host import BURN


def watching(*command: str) -> Watcher:
    def opened() -> AbstractContextManager[list[Source]]:
        return watch_host("db1", command)

    return Watcher("db1", [partial(opened)], 0.1)


def test_a_burner_shows_up_on_its_cpu_there() -> None:
    cpu = max(os.sched_getaffinity(0))
    with program(BURN, str(cpu)) as burner:
        assert burner.stdout is not None
        burner.stdout.readline()
        with watching("sh", "-c") as watcher:
            wait_until(lambda: sum(series(watcher, HOST, f"cpu[{cpu}].busy_s")) > 0.5)
    assert watcher.failures() == ()
    table = watcher.table().filter(pl.col("role") == HOST)
    assert set(table["host"].unique()) == {"db1"}
    kinds = {name.partition("[")[0] for name in table["metric"].unique() if "[" in name}
    assert {"cpu", "network"} <= kinds
    assert len(series(watcher, HOST, "memory.available_bytes")) > 0


def test_a_host_that_refuses_is_a_sentence_in_its_own_words() -> None:
    with watching("sh", "-c", "echo no entry for you >&2; exit 255") as watcher:
        wait_for_intervals(watcher, 1)
    assert watcher.failures() == ("host db1 is watched no more: no entry for you",)


def test_a_host_that_goes_away_is_a_sentence() -> None:
    """Its shell answers once, and then no more."""
    with watching("sh", "-c", 'sh -c "$0" | head -c 100000000 & sleep 1; exit 3') as watcher:
        wait_until(lambda: watcher.failures() != ())
    (sentence,) = watcher.failures()
    assert sentence.startswith("host db1 ")


def test_nothing_stays_when_the_watch_ends() -> None:
    before = _children()
    with watching("sh", "-c") as watcher:
        wait_for_intervals(watcher, 1)
        children = _children() - before
        assert children
    wait_until(lambda: not children & _children())


def _children() -> set[int]:
    """Return the processes of this one, by their number."""
    text = ""
    for thread in os.listdir("/proc/self/task"):  # noqa: PTH208
        # A thread that has ended meanwhile has none: the kernel gives them to another one.
        with suppress(FileNotFoundError):
            text += Path(f"/proc/self/task/{thread}/children").read_text()
    return {int(number) for number in text.split()}
