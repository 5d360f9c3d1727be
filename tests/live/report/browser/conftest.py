"""One browser for a module, and the pages that are opened in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.live.report.browser.examples import Examples
from tests.live.report.browser.visit import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return Chromium."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Examples:
    """Return the pages; each is written when it is opened for the first time."""
    return Examples(tmp_path_factory.mktemp("pages"))


@pytest.fixture(params=["en", "zh"])
def spoken(request: pytest.FixtureRequest) -> str:
    """Return a language of reports."""
    return str(request.param)
