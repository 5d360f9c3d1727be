"""The live page through a whole run, with its server stopped and killed on the way."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser, Page

from tests.live.report.browser.test_accessibility import FINGER_PX, TARGETS, violations
from tests.live.report.browser.visit import PHONE, Scheme
from tests.live.run.stage import PACED, Stage
from tests.live.serve.served import Served

pytestmark = pytest.mark.live

HOSTILE = "<img src=x onerror=\"document.title='run'\">&amp;"
"""A name that would run something where it was taken for markup."""
LIMIT_MS = 60_000
PRESSED = TARGETS.replace("each.getBounding", "(each.closest('label') ?? each).getBounding")
"""A label is pressed for what it is of."""
KEYS = "dbdyno.points().map(([trial, , phase, index]) => [trial, phase, index])"


def stored_keys(result: Path) -> list[tuple[int, str, int]]:
    """Return trial, phase and index of each interval that is stored."""
    found = []
    for file in result.glob("trials/[0-9][0-9][0-9][0-9]/intervals.parquet"):
        rows = pl.read_parquet(file).select("phase", "index").unique().rows()
        found += [(int(file.parent.name), phase, index) for phase, index in rows]
    return sorted(found)


def page_keys(page: Page) -> list[tuple[int, str, int]]:
    found: list[list[int | str]] = page.evaluate(KEYS)
    return sorted((int(trial), str(phase), int(index)) for trial, phase, index in found)


@contextmanager
def opened(browser: Browser, url: str, *, scheme: Scheme = "light") -> Iterator[Page]:
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(LIMIT_MS)
    page.goto(url)
    yield page
    context.close()


def wait_for_state(page: Page, words: str) -> None:
    page.wait_for_function(
        "(words) => document.querySelector('.standing')?.textContent.includes(words)", arg=words
    )


def wait_for_new_points(page: Page) -> None:
    known = page.evaluate("dbdyno.points().length")
    page.wait_for_function("(known) => dbdyno.points().length > known", arg=known)


def test_every_interval_is_there_once_whatever_becomes_of_the_server(
    tmp_path: Path, browser: Browser
) -> None:
    folder, log = tmp_path / "results", tmp_path / "serve.log"
    folder.mkdir()
    stage = Stage(tmp_path)
    stage.result = stage.named = folder / "tiny"
    stage.write(load=PACED, duration="4s", rounds=2)
    served = Served(folder, log)
    with opened(browser, served.url) as first, opened(browser, served.url) as second:
        assert first.get_by_text("There is no result here yet").is_visible()
        running = stage.launch()
        # The list shows by itself what begins after it.
        first.get_by_role("link", name="tiny", exact=True).click()
        second.goto(first.url)
        wait_for_state(first, "running")
        wait_for_new_points(first)

        assert served.stop(signal.SIGTERM) == 0
        first.wait_for_function("() => dbdyno.isStale()")
        assert "Stale: nothing has come for" in first.locator("#stale:visible").inner_text()
        served = Served(folder, log, port=served.port)
        wait_for_new_points(first)
        first.wait_for_function("() => !dbdyno.isStale()")

        served.stop(signal.SIGKILL)
        served = Served(folder, log, port=served.port)
        wait_for_new_points(second)

        wait_for_state(first, "complete")
        wait_for_state(second, "complete")
        assert running.end().status == 0
        expected = stored_keys(stage.result)
        assert len(expected) > 100
        assert page_keys(first) == expected
        assert page_keys(second) == expected
        with served:
            assert "Traceback" not in served.told()
            assert served.stop(signal.SIGINT) == 0


def test_a_run_that_was_killed_is_told_from_one_that_works(
    tmp_path: Path, browser: Browser
) -> None:
    stage = Stage(tmp_path).write(load=PACED, duration="30s", factors="clients: [1]", rounds=1)
    running = stage.launch()
    running.wait_for_load(1)
    with (
        Served(stage.result, tmp_path / "serve.log") as served,
        opened(browser, served.url) as page,
    ):
        wait_for_state(page, "running")
        running.signal(signal.SIGKILL)
        running.end(leaves=True)
        wait_for_state(page, "stopped: no sign of life since")
        said = page.locator(".standing").inner_text()
        assert served.stop(signal.SIGTERM) == 0
    assert said.count(":") >= 2, said


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_are_for_everybody(scheme: Scheme, finished: Path, browser: Browser) -> None:
    with Served(finished, finished.parent / f"{scheme}.log", "--lang", "zh") as served:
        for path in ("/", "/live/tiny"):
            with opened(browser, served.url + path, scheme=scheme) as page:
                if path != "/":
                    page.wait_for_function("() => dbdyno.points().length > 0")
                assert page.evaluate("document.documentElement.lang") == "zh-Hans"
                page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
                assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
                assert violations(page) == []
                for each in page.evaluate(PRESSED):
                    assert each["is_inline"] or each["height"] >= FINGER_PX, each


def test_without_a_script_the_state_is_shown(finished: Path, browser: Browser) -> None:
    with Served(finished, finished.parent / "plain.log") as served:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{served.url}/live/tiny")
        assert "complete" in page.locator(".standing").inner_text()
        assert page.locator("[data-part=trials] tbody tr").count() == 4
        assert page.get_by_text("charts need JavaScript").is_visible()
        context.close()


def test_two_results_give_the_command_that_compares_them(
    finished: Path, tmp_path: Path, browser: Browser
) -> None:
    for name in (HOSTILE, "it's two"):
        shutil.copytree(finished / "tiny", tmp_path / name)
    with (
        Served(tmp_path, tmp_path / "serve.log") as served,
        opened(browser, served.url) as page,
    ):
        for box in page.get_by_role("checkbox").all():
            box.check()
        command = page.locator("#command").inner_text()
        assert command.startswith("dbdyno compare ")
        assert f"'{tmp_path}/it'\"'\"'s two'" in command
        assert page.get_by_text(HOSTILE).first.is_visible()
        assert page.title() == "Results – dbdyno"
        page.get_by_role("searchbox").fill("two")
        assert page.locator(".result:visible").count() == 1
