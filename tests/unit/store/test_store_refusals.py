"""What is no result, or not one of this version, is refused in words that name the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.validity.codes import Code
from dbdyno.errors import InputError
from dbdyno.facts.host import HostFacts
from dbdyno.store.reader import read_result
from dbdyno.store.writer import ResultWriter
from tests.unit.analysis.told import evidence_of
from tests.unit.store.result_builder import (
    TrialScript,
    build_result,
    make_plan,
    trial_events,
)


def write_format(directory: Path, **changes: object) -> None:
    document = {"format": "dbdyno-result", "version": 1, "dbdyno": "0.1.0"} | changes
    (directory / "format.json").write_text(json.dumps(document))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40])


def without_rows(path: Path) -> None:
    pl.read_parquet(path).clear().write_parquet(path)


MISTAKES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no result": (
        lambda result: (result / "format.json").unlink(),
        "is no result directory: there is no format.json in it",
    ),
    "another format": (
        lambda result: write_format(result, format="something"),
        'format.json says format "something"; a result says "dbdyno-result"',
    ),
    "a later version": (
        lambda result: write_format(result, version=9, dbdyno="3.0.0"),
        "format.json says version 9, written by dbdyno 3.0.0; this is dbdyno 0.1.0, which reads "
        "versions 1 and 2",
    ),
    "a damaged format": (lambda result: cut(result / "format.json"), "format.json is damaged"),
    "no plan": (lambda result: (result / "plan.json").unlink(), "plan.json cannot be read"),
    "a damaged plan": (
        lambda result: (result / "plan.json").write_text('{"experiment": "x"}'),
        "plan.json is damaged: question: Field required",
    ),
    "a damaged trial": (
        lambda result: cut(result / "trials/0001/trial.json"),
        "0001/trial.json is damaged",
    ),
    "a damaged table": (
        lambda result: cut(result / "trials/0001/intervals.parquet"),
        "0001/intervals.parquet is damaged: it does not end as a Parquet file does",
    ),
    "a table without rows": (
        lambda result: without_rows(result / "trials/0001/intervals.parquet"),
        "0001/window.hlog does not belong to intervals.parquet beside it: "
        "oltp_read_write.response holds",
    ),
    "a lost log": (
        lambda result: (result / "trials/0001/window.hlog").unlink(),
        "0001/window.hlog cannot be read",
    ),
    "a damaged histogram": (
        lambda result: (result / "trials/0001/window.hlog").write_text(
            "Tag=x.response,0.000,1.000,0.000,HISTFAAAnonsense\n"
        ),
        "0001/window.hlog: x.response is damaged",
    ),
    "a plan that was changed": (
        lambda result: (result / "trials/0001/plan.json").write_text('{"clients": 1}'),
        "0001/plan.json is not what the generator received: its SHA-256",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_damaged_result_is_refused_in_words(tmp_path: Path, mistake: str) -> None:
    damage, message = MISTAKES[mistake]
    build_result(tmp_path / "r", make_plan(rounds=1))
    damage(tmp_path / "r")
    with pytest.raises(InputError) as refusal:
        read_result(tmp_path / "r")
    assert message in str(refusal.value)


PARTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "host": (lambda result: (result / "host.json").unlink(), "host.json cannot be read"),
    "journal": (
        lambda result: (result / "journal.jsonl").write_text(
            '{"unix_s": 1.0, "event": "run_started", "host": {}}\ngarbage\n[]\n'
        ),
        "journal.jsonl, line 2: is damaged",
    ),
    "trial": (
        lambda result: (result / "trials/0002/trial.json").unlink(),
        "0002/trial.json cannot be read",
    ),
}


@pytest.mark.parametrize("part", PARTS)
def test_what_is_left_of_a_damaged_result_is_reported_with_a_mark(
    tmp_path: Path, part: str
) -> None:
    damage, message = PARTS[part]
    build_result(tmp_path / "r", make_plan(rounds=3))
    damage(tmp_path / "r")
    result = read_result(tmp_path / "r")
    (told,) = result.damages
    assert message in told
    is_trial = part == "trial"
    assert [trial.planned.number for trial in result.trials] == ([1, 3] if is_trial else [1, 2, 3])
    found = {warning.code: warning for warning in analyse(result).warnings}
    assert evidence_of(found[Code.RESULT_DAMAGED]) == told
    assert (Code.MISSING_TRIALS in found) == is_trial
    if part == "journal":
        assert [line.event for line in result.journal] == ["run_started"]


@pytest.mark.parametrize("name", ["window.hlog", "intervals.parquet"])
def test_a_file_of_another_trial_is_refused(tmp_path: Path, name: str) -> None:
    def change(script: TrialScript) -> None:
        script.events = trial_events([100 + script.planned.number])

    build_result(tmp_path / "r", make_plan(rounds=2), change)
    trials = tmp_path / "r" / "trials"
    (trials / "0002" / name).write_bytes((trials / "0001" / name).read_bytes())
    held, counted = (101, 102) if name == "window.hlog" else (102, 101)
    result = read_result(tmp_path / "r")
    assert [trial.planned.number for trial in result.trials] == [1]
    assert [trial.number for trial in result.missing] == [2]
    (damage,) = result.damages
    assert damage.startswith(
        f"{trials}/0002/window.hlog does not belong to intervals.parquet beside it: "
        f"oltp_read_write.response holds {held} times, and {counted} transactions were committed "
        "or rolled back, as if one of the two files were another trial's; to measure this trial "
    )


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no result directory"):
        read_result(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is no result directory"):
        ResultWriter.open(tmp_path / "nowhere")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="exists and is not empty: name another directory"):
        ResultWriter.create(tmp_path, experiment_text="", plan=make_plan(), host=HostFacts())
