"""The table of shipped experiments: each file has a row, with the time that its plan tells."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from dbdyno.cli.planning import read_and_plan

EXPERIMENTS = Path(__file__).parents[3] / "experiments"
FILES = sorted(
    file for file in EXPERIMENTS.rglob("*.yaml") if file.read_text().count("\nexperiment: ")
)
SECONDS = {"min": 60.0, "h": 3600.0}
CLOSE, ROUNDED_S = 0.1, 31.0
"""How far a time may be off: in part, and because it is a whole number of minutes."""


def times_in_table(file: Path) -> list[float]:
    """Return the times in the row of a file, in seconds."""
    name = file.relative_to(EXPERIMENTS).as_posix()
    text = (EXPERIMENTS / "README.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith(f"| [{name}]({name}) |"))
    cells = (re.fullmatch(r" (\d+) (min|h) ", cell) for cell in row.split("|"))
    return [int(found[1]) * SECONDS[found[2]] for found in cells if found]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkout in which stand-in servers have their folder, as after make stand-ins."""
    root = tmp_path_factory.mktemp("checkout")
    (root / "target" / "test-servers" / "rocksdb").mkdir(parents=True)
    shutil.copytree(EXPERIMENTS, root / EXPERIMENTS.name)
    shutil.copy(EXPERIMENTS.parent / "LICENSE", root)
    return root


@pytest.mark.parametrize(
    "file", [pytest.param(file, id=file.relative_to(EXPERIMENTS).as_posix()) for file in FILES]
)
def test_the_table_has_the_time_of_each_file(file: Path, checkout: Path) -> None:
    sizes = [False, True] if "\nsmoke:" in file.read_text() else [False]
    there = checkout / file.relative_to(EXPERIMENTS.parent)
    planned = [read_and_plan(there, smoke=smoke)[1].estimated_s for smoke in sizes]
    assert times_in_table(file) == pytest.approx(planned, rel=CLOSE, abs=ROUNDED_S)
