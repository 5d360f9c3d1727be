"""Every check of a trial fires where it should, says why in figures, and is silent otherwise."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.findings import Severity
from dbdyno.analysis.validity.catalogue import CATALOGUE, Code
from dbdyno.analysis.validity.check import EXCLUDING, WARNING
from dbdyno.analysis.validity.generator import is_local
from dbdyno.store.reader import read_result
from dbdyno.store.writer import ResultWriter
from tests.unit.analysis.validity_cases import (
    CLIENTS,
    FIRES,
    POOL,
    SILENT,
    Change,
    findings,
    interrupted,
    spoken,
)
from tests.unit.store.result_builder import (
    TrialScript,
    build_result,
    make_plan,
    transaction,
    trial_events,
    write_trial,
)


def test_a_clean_result_has_no_warning_at_all(tmp_path: Path) -> None:
    assert findings(tmp_path / "r", plan=make_plan([POOL, CLIENTS])).warnings == ()


@pytest.mark.parametrize("code", FIRES)
def test_a_check_fires_with_its_evidence(tmp_path: Path, code: Code) -> None:
    change, evidence = FIRES[code]
    warning = spoken(findings(tmp_path / "r", change))[code]
    assert warning.evidence.startswith(evidence)
    assert warning.trials == (1, 2, 3)
    entry = CATALOGUE[code]
    assert (warning.severity, warning.message) == (entry.severity, entry.message)


@pytest.mark.parametrize(("code", "change"), SILENT)
def test_a_check_is_silent_just_before(tmp_path: Path, code: Code, change: Change) -> None:
    assert code not in spoken(findings(tmp_path / "r", change))


@pytest.mark.parametrize("code", EXCLUDING)
def test_an_invalid_trial_is_not_used(tmp_path: Path, code: Code) -> None:
    change, _ = FIRES[code]
    found = findings(tmp_path / "r", change)
    assert CATALOGUE[code].severity is Severity.INVALID
    assert found.trials_used == 0
    assert [number for number, _ in found.cells[0].excluded] == [1, 2, 3]


def test_every_check_of_a_trial_is_seen_to_fire() -> None:
    checks = set(EXCLUDING) | set(WARNING)
    assert set(FIRES) == checks - {Code.CLOCK_STEPPED}


def test_every_code_has_an_entry() -> None:
    assert set(CATALOGUE) == set(Code)


def test_evidence_of_unlike_trials_is_quoted_one_by_one(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.window[0]["reconnects"] = script.planned.number

    warning = spoken(findings(tmp_path / "r", change, make_plan(rounds=5)))[Code.RECONNECTS]
    assert warning.evidence == (
        "trial 1: 1 connections made again; trial 2: 2 connections made again; "
        "trial 3: 3 connections made again; and 2 more"
    )
    assert warning.trials == (1, 2, 3, 4, 5)


def test_what_makes_a_trial_invalid_comes_first_and_notes_come_last(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.window[0]["reconnects"] = 1
        if script.planned.round == 2:
            interrupted(script)

    host = {"cpu_governor": "powersave"}
    found = analyse(build_result(tmp_path / "r", make_plan(), change, host))
    assert [(warning.code, warning.severity) for warning in found.warnings] == [
        (Code.NOT_COMPLETED, Severity.INVALID),
        (Code.FEW_ROUNDS, Severity.WARNING),
        (Code.RECONNECTS, Severity.WARNING),
        (Code.FREQUENCY_SCALING, Severity.NOTE),
    ]


def test_a_clock_that_was_set_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan(rounds=1)
    result = ResultWriter.create(tmp_path / "r", experiment_text="", plan=plan, host={})
    script = TrialScript(plan.trials[0])
    real_time, calls = time.time, []

    def stepping() -> float:
        calls.append(1)
        return real_time() + (3600 if len(calls) > 5 else 0)

    monkeypatch.setattr(time, "time", stepping)
    write_trial(result, script)
    monkeypatch.undo()
    result.close()
    warning = spoken(analyse(read_result(tmp_path / "r")))[Code.CLOCK_STEPPED]
    assert warning.evidence == "the wall clock moved +3600.000 s against the monotonic one"


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("mysql://root@127.0.0.1:3307/x", True),
        ("mysql://root@localhost/x", True),
        ("mysql:///x?socket=/run/mysqld.sock", True),
        ("mysql://root@[::1]:3306/x", True),
        ("mysql://root@10.0.0.7:3306/x", False),
        ("mysql://root@h1:3306,h2:3306/x", False),
    ],
)
def test_a_url_tells_whether_it_leads_here(url: str, here: bool) -> None:
    assert is_local(url) is here


def test_counters_are_checked_for_each_kind_alone(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.events = trial_events(kinds=("new_order", "payment"))
        script.window[0]["transactions"]["new_order"] = transaction(100, scheduled=101)
        script.window[0]["transactions"]["payment"] = transaction(100, scheduled=99)

    assert Code.COUNTERS_DISAGREE in spoken(findings(tmp_path / "r", change))
