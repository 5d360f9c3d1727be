"""Whatever is damaged in a result, a report is made or refused in words: nothing else comes out."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from rich.console import Console

from dbdyno.analysis.analyse import analyse
from dbdyno.errors import DbdynoError
from dbdyno.report.terminal import print_verdicts
from dbdyno.store.reader import read_result
from tests.live.report.damage import copy, damage
from tests.live.run.launch import call
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

SEEDS = 12
FILES = (
    *("format.json", "plan.json", "host.json", "journal.jsonl"),
    *("trials/0001/trial.json", "trials/0001/plan.json", "trials/0001/window.hlog"),
    *("trials/0001/intervals.parquet", "trials/0001/generator.parquet"),
    *("trials/0001/percentiles.parquet", "trials/0001/errors.parquet"),
    "trials/0001/resources.parquet",
)
FOUND = (
    ("trials/0001/trial.json", 42),
    ("trials/0001/trial.json", 61),
    ("trials/0001/trial.json", 92),
    ("trials/0001/intervals.parquet", 29),
    ("trials/0001/generator.parquet", 35),
    ("host.json", 19),
    ("plan.json", 41),
)
"""Seeds that once led to a traceback."""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a real result of two trials."""
    stage = Stage(tmp_path_factory.mktemp("result")).write(rounds=1)
    ended = stage.run()
    assert (stage.result / "report.html").exists(), ended
    return stage.result


def report(directory: Path) -> tuple[str, ...]:
    """Do all that a report does but draw it; return what is said of damages."""
    result = read_result(directory)
    print_verdicts(analyse(result), Console(file=io.StringIO()))
    return result.damages


@pytest.mark.parametrize("file", FILES)
def test_only_our_own_error_comes_out(file: str, result: Path, tmp_path: Path) -> None:
    seeds = [*range(SEEDS), *(seed for name, seed in FOUND if name == file)]
    found = 0
    for seed in seeds:
        copy(result, tmp_path / "damaged")
        how = damage(tmp_path / "damaged" / file, random.Random(f"{seed}{file}"))
        try:
            told = report(tmp_path / "damaged")
        except DbdynoError as error:
            told = (str(error),)
        except Exception as error:
            pytest.fail(f"seed {seed}: {how}: {error!r}")
        found += len(told)
        # A file of a trial is named by its path, and so is the one that it does not fit.
        folder = str((tmp_path / "damaged" / file).parent)
        if not all(folder in words for words in told):
            pytest.fail(f"seed {seed}: {how}: the file is not named: {told}")
    assert found


def test_the_command_says_it_in_a_line(result: Path, tmp_path: Path) -> None:
    copy(result, tmp_path / "damaged")
    table = tmp_path / "damaged" / "trials" / "0001" / "intervals.parquet"
    table.write_bytes(table.read_bytes()[:-100])
    ended = call(["report", tmp_path / "damaged"])
    assert ended.status == 0, ended
    assert ended.errors.startswith(f"warning: {table} ")
    assert "result-damaged" in (tmp_path / "damaged" / "report.html").read_text(encoding="utf-8")
    (tmp_path / "damaged" / "trials" / "0002" / table.name).unlink()
    refused = call(["report", tmp_path / "damaged"])
    assert refused.status == 2
    assert str(table) in refused.errors
    assert "Traceback" not in refused.errors
