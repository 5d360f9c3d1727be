"""What tests of whole runs start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.run.stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Return a directory with an experiment of four trials on SQLite."""
    return Stage(tmp_path).write()
