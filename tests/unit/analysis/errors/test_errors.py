"""Errors of each cell: which, how many, when; also of trials that are not used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.errors.by_cell import ErrorsByCell
from dbdyno.analysis.errors.model import ErrorKind, FoundErrors, Peak
from dbdyno.analysis.window_totals import measure
from dbdyno.experiment.plan import FactorLevels
from dbdyno.store.trial_tables import HeldTables
from tests.unit.store.result_builder import TrialScript, build_result, make_plan

ENGINES = FactorLevels("engine", ("one", "other"), "server.engine")
KIND = "oltp_read_write"
DEADLOCK = ErrorKind("deadlock", 1213, "40001")
LOST = ErrorKind("connection_lost", None, None)


def error(kind: ErrorKind, count: int, sample: str = "Deadlock found") -> dict[str, Any]:
    told = {"class": kind.error_class, "code": kind.code, "sqlstate": kind.sqlstate}
    return told | {"count": count, "sample": sample}


def some_errors(script: TrialScript) -> None:
    """Deadlocks in two rounds of one engine, and so many failures in its third that it is lost."""
    if script.planned.cell.level("engine") != "one":
        return
    if script.planned.round == 1:
        script.events[1]["errors"] = [error(DEADLOCK, 50)]
        script.window[3]["errors"] = [error(DEADLOCK, 2, "the first")]
        script.window[5]["errors"] = [error(DEADLOCK, 7), error(LOST, 1, "reset")]
    if script.planned.round == 2:
        script.window[9]["errors"] = [error(DEADLOCK, 3)]
    if script.planned.round == 3:
        script.window[0]["transactions"][KIND] |= {"committed": 0, "failed": 100}
        script.window[0]["errors"] = [error(LOST, 100, "gone")]


def found_in(directory: Path) -> FoundErrors:
    return analyse(build_result(directory / "r", make_plan([ENGINES]), some_errors)).errors


def test_errors_of_valid_trials_are_apart_from_those_that_are_not_used(tmp_path: Path) -> None:
    found = found_in(tmp_path)
    used, unused = found.cells
    assert (used.is_used, used.trials, used.count) == (True, 2, 13)
    assert (unused.is_used, unused.trials, unused.count) == (False, 1, 100)
    assert used.cell == unused.cell
    assert (found.trials, found.ended, found.count) == (6, 6 * 1200, 113)


def test_an_error_has_its_count_its_share_its_time_and_a_sample(tmp_path: Path) -> None:
    deadlock, lost = found_in(tmp_path).cells[0].errors
    assert (deadlock.kind, deadlock.count, deadlock.trials) == (DEADLOCK, 12, 2)
    assert deadlock.share == pytest.approx(12 / 2400)
    assert (deadlock.first_s, deadlock.last_s) == (3.0, 10.0)
    assert deadlock.peak == Peak(trial=1, start_s=5.0, duration_s=1.0, count=7)
    assert deadlock.sample == "the first"
    assert (lost.kind, lost.count, lost.trials, lost.sample) == (LOST, 1, 1, "reset")


def test_errors_outside_of_the_window_are_counted_and_nothing_else(tmp_path: Path) -> None:
    assert found_in(tmp_path).outside == 50


def test_each_round_has_a_series_with_every_interval(tmp_path: Path) -> None:
    first, second = found_in(tmp_path).cells[0].series
    assert (first.round, second.round) == (1, 2)
    assert first.by_class["deadlock"].tolist() == [0, 0, 0, 2, 0, 7, 0, 0, 0, 0, 0, 0]
    assert second.by_class["deadlock"].tolist() == [0] * 9 + [3, 0, 0]
    assert "connection_lost" not in second.by_class
    assert len(first.start_s) == len(first.duration_s) == 12


def test_classes_are_added_up_over_their_codes_the_most_frequent_first(tmp_path: Path) -> None:
    other = ErrorKind("deadlock", 1020, "HY000")

    def two_codes(script: TrialScript) -> None:
        script.window[0]["errors"] = [error(LOST, 3), error(DEADLOCK, 2), error(other, 2)]

    found = analyse(build_result(tmp_path / "r", make_plan([], rounds=1), two_codes)).errors
    assert list(found.cells[0].by_class.items()) == [("deadlock", 4), ("connection_lost", 3)]
    assert found.cells[0].series[0].by_class["deadlock"][0] == 4


def test_no_errors_are_no_cells_and_the_work_is_counted(tmp_path: Path) -> None:
    found = analyse(build_result(tmp_path / "r", make_plan([ENGINES]))).errors
    assert found == FoundErrors(trials=6, ended=7200)
    assert found.count == 0


def test_the_table_of_a_trial_without_errors_is_not_read(tmp_path: Path) -> None:
    trial = build_result(tmp_path / "r", make_plan([], rounds=1)).trials[0]
    measured = measure(trial)
    unreadable = replace(measured, trial=replace(trial, tables=HeldTables({})))
    gathered = ErrorsByCell()
    gathered.add(unreadable, is_used=True)
    assert gathered.found([trial.planned.cell]) == FoundErrors(trials=1, ended=1200)


def test_a_password_in_a_server_s_words_is_masked(tmp_path: Path) -> None:
    def telling(script: TrialScript) -> None:
        said = "cannot reach mysql://me:hunter2@db/x with password=hunter2"
        script.window[0]["errors"] = [error(LOST, 1, said)]

    found = analyse(build_result(tmp_path / "r", make_plan([], rounds=1), telling)).errors
    assert "hunter2" not in found.cells[0].errors[0].sample
    assert "cannot reach mysql://me:" in found.cells[0].errors[0].sample
