"""One browser for a module, and a result that has run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.live.report.browser.visit import chromium
from tests.live.run.stage import Stage


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return Chromium."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one small result in it, with its report."""
    stage = Stage(tmp_path_factory.mktemp("finished"))
    stage.result = stage.named = stage.directory / "results" / "tiny"
    ended = stage.write(rounds=2).run()
    assert ended.status == 0, ended
    return stage.result.parent


@pytest.fixture
def checksums() -> Callable[[Path], dict[str, str]]:
    """Return what tells whether anything in a folder has changed."""

    def of(folder: Path) -> dict[str, str]:
        return {
            str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    return of
