"""A run of eight hours: neither the tab nor the server grows with it, and no dip is lost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, CDPSession, Page

from dbdyno.serve.course import BUCKETS_MAX
from dbdyno.serve.feed import POINTS_MAX
from tests.live.serve.long_trial import INTERVALS, WARMUP, long_trial
from tests.live.serve.served import Served

pytestmark = pytest.mark.live

AN_HOUR = 3600
MIB = 1 << 20
TAB_GROWS_AT_MOST = 3 * MIB
SERVER_GROWS_AT_MOST = 24 * MIB


@dataclass(frozen=True)
class Memory:
    """What page and server take."""

    tab_bytes: int
    server_bytes: int


def memory_of(devtools: CDPSession, served: Served) -> Memory:
    devtools.send("HeapProfiler.collectGarbage")
    told = devtools.send("Performance.getMetrics")["metrics"]
    metrics = {each["name"]: each["value"] for each in told}
    server = psutil.Process(served.process.pid).memory_info().rss
    return Memory(int(metrics["JSHeapUsedSize"]), server)


def wait_until_told(page: Page, index: int) -> None:
    page.wait_for_function(
        "(index) => dbdyno.points().at(-1)?.[3] === index", arg=index, timeout=120_000
    )
    page.wait_for_timeout(600)


def test_eight_hours_take_no_more_memory_than_one(tmp_path: Path, browser: Browser) -> None:
    directory = tmp_path / "long"
    with long_trial(directory) as trial, Served(directory, tmp_path / "log") as served:
        page = browser.new_page()
        page.goto(served.url)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable")
        trial.go_on(AN_HOUR)
        wait_until_told(page, AN_HOUR - WARMUP - 1)
        after_one = memory_of(devtools, served)
        while trial.written < INTERVALS:
            trial.go_on(AN_HOUR)
            wait_until_told(page, trial.written - WARMUP - 1)
        after_eight = memory_of(devtools, served)
        print(after_one, after_eight)
        assert page.evaluate("dbdyno.received()") == INTERVALS
        assert page.evaluate("dbdyno.points().length") == POINTS_MAX
        course = page.evaluate("dbdyno.course()")
        assert len(course) <= BUCKETS_MAX
        assert sum(bucket[-1] for bucket in course) == INTERVALS
        assert min(bucket[4] for bucket in course) == 7
        assert after_eight.tab_bytes - after_one.tab_bytes < TAB_GROWS_AT_MOST
        assert after_eight.server_bytes - after_one.server_bytes < SERVER_GROWS_AT_MOST
        # Whoever opens the page now is told of it all in few numbers.
        fresh = browser.new_page()
        fresh.goto(served.url)
        wait_until_told(fresh, INTERVALS - WARMUP - 1)
        assert fresh.evaluate("dbdyno.course()") == course
        assert fresh.evaluate("dbdyno.received()") == POINTS_MAX
