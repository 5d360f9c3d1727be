"""The clock of a watch: figures are of the time in which they came about."""

from __future__ import annotations

import itertools
import statistics
import time
from contextlib import nullcontext

from dbdyno.watch.series.source import Source, Subject, Values
from dbdyno.watch.series.watcher import Watcher

INTERVAL_S = 0.2


class Clock:
    """Counts the seconds, as all states of a CPU together do."""

    subject = Subject("host")

    def __init__(self) -> None:
        self._last_s = time.monotonic()

    def sample(self) -> Values:
        now_s = time.monotonic()
        last_s, self._last_s = self._last_s, now_s
        return {"clock_s": now_s - last_s}


class SlowAtTimes:
    """Takes long for every second answer, as it does where all CPUs are busy."""

    subject = Subject("server", "slow")

    def __init__(self) -> None:
        self._takes_s = itertools.cycle((0.0, 0.1))

    def sample(self) -> Values:
        time.sleep(next(self._takes_s))
        return {"slow": 1.0}


def test_a_slow_source_does_not_change_the_rates_of_the_host() -> None:
    sources: list[Source] = [Clock(), SlowAtTimes()]
    with Watcher("both", [lambda: nullcontext(sources)], INTERVAL_S) as watcher:
        time.sleep(12 * INTERVAL_S)
    found = watcher.table().filter(metric="clock_s")
    rates = (found["value"] / found["duration_s"]).to_list()
    assert len(rates) >= 8
    # The thread may be put aside between a reading and its time; that is rare.
    close = [each for each in rates if abs(each - 1) < 0.05]
    assert len(close) >= 0.75 * len(rates), rates


class Slow:
    """Takes one and a half intervals for each answer."""

    subject = Subject("server", "slow")

    def sample(self) -> Values:
        time.sleep(1.5 * INTERVAL_S)
        return {"slow": 1.0}


def test_an_interval_that_is_missed_is_left_out() -> None:
    """Sources that take longer than an interval are not read without a pause."""
    sources: list[Source] = [Clock(), Slow()]
    with Watcher("both", [lambda: nullcontext(sources)], INTERVAL_S) as watcher:
        time.sleep(14 * INTERVAL_S)
    durations_s = watcher.table().filter(metric="clock_s")["duration_s"].to_list()
    assert len(durations_s) >= 4
    assert statistics.median(durations_s) > 1.9 * INTERVAL_S
