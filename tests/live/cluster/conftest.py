"""Clusters as experiments have them, with the programs that tests unpack."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[3] / "experiments" / "clusters"

SHIPPED = "warmup: 2s, duration: 10s, rounds: 4"
SHORT = "warmup: 0.2s, duration: 1s, interval: 0.2s, rounds: 1"

Adapt = Callable[..., Path]
"""Copies an experiment of the folder with its templates, with texts replaced."""


def adapt(directory: Path, name: str, **replaced: str) -> Path:
    """Make a short copy of a shipped experiment in a directory, and return its file."""
    folder = directory / "experiment"
    shutil.copytree(EXPERIMENTS, folder, dirs_exist_ok=True)
    file = folder / name
    text = file.read_text()
    for old, new in {SHIPPED: SHORT, **replaced}.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    return file


@pytest.fixture
def adapted(tmp_path: Path) -> Adapt:
    """Return what makes a short copy of a shipped experiment."""
    return partial(adapt, tmp_path)
