"""Every check of a trial fires where it should, says why in figures, and is silent otherwise."""

from __future__ import annotations

import re
import time
from functools import partial
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.compare.model import Reason
from dbdyno.analysis.findings import Severity
from dbdyno.analysis.validity.check import EXCLUDING, WARNING
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.severities import SEVERITIES
from dbdyno.experiment.plan import FactorLevels
from dbdyno.facts.host import HostFacts
from dbdyno.store.reader import read_result
from dbdyno.store.writer import ResultWriter
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import (
    CLIENTS,
    FIRES,
    POOL,
    SILENT,
    Change,
    counters,
    findings,
    gap,
    generator,
    interrupted,
    never_started,
    open_loop,
    spoken,
    throughput,
)
from tests.unit.analysis.validity_table_cases import scanned, statistics
from tests.unit.analysis.validity_workload_cases import redo
from tests.unit.store.result_builder import (
    TrialScript,
    build_result,
    histogram,
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
    assert evidence_of(warning).startswith(evidence)
    assert warning.trials == (1, 2, 3)
    assert warning.severity is SEVERITIES[code]


def test_a_stall_is_told_with_the_error_that_clients_had(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        gap(5, 1.02)(script)
        error = {"class": "lock_wait_timeout", "code": 1205, "sqlstate": "HY000", "count": 3}
        script.window[5]["errors"] = [error | {"sample": "try again"}]

    stalls = spoken(findings(tmp_path / "r", change))[Code.STALLS]
    assert "; most frequent error: lock_wait_timeout (1205), try again" in evidence_of(stalls)


def test_dips_count_the_intervals_in_which_nothing_finished(tmp_path: Path) -> None:
    found = spoken(findings(tmp_path / "r", throughput(100, 40, 0, 0, *[100] * 6, 40, 100)))
    assert evidence_of(found[Code.DIPS]).startswith("4 of 12 intervals had less than half")


def test_four_fifths_of_the_time_must_be_recorded(tmp_path: Path) -> None:
    change = partial(counters, service=histogram([62.4] * 100))
    warning = spoken(findings(tmp_path / "r", change))[Code.WAITING_NOT_RECORDED]
    assert evidence_of(warning).startswith(
        "service times add up to 78.0 % of the time that 8 clients had"
    )


@pytest.mark.parametrize(("code", "change"), SILENT)
def test_a_check_is_silent_just_before(tmp_path: Path, code: Code, change: Change) -> None:
    assert code not in spoken(findings(tmp_path / "r", change))


def test_redo_that_does_not_fill_the_log_is_less_than_a_cycle(tmp_path: Path) -> None:
    warning = spoken(findings(tmp_path / "r", redo(79, 80)))[Code.FEW_CHECKPOINTS]
    assert evidence_of(warning) == "79.0 MiB of redo written, and the log has room for 80.0 MiB"


@pytest.mark.parametrize("estimated", [4_999, 20_001])
def test_statistics_of_far_too_few_or_too_many_rows_are_old(tmp_path: Path, estimated: int) -> None:
    change = statistics(estimated, 10_000)
    warning = spoken(findings(tmp_path / "r", change))[Code.STATISTICS_MISSING]
    assert evidence_of(warning) == (
        f"the optimizer takes the tables to have {estimated:,} rows, and they have 10,000"
    )


@pytest.mark.parametrize(("buffers", "fits"), [("8MB", True), ("8191kB", False)])
def test_tables_are_held_against_the_shared_buffers(
    tmp_path: Path, buffers: str, fits: bool
) -> None:
    def change(script: TrialScript) -> None:
        script.server["settings"] = {"shared_buffers": buffers}
        script.dataset["disk"] = {"before": {"size_bytes": 8 << 20}}

    assert (Code.IN_MEMORY in spoken(findings(tmp_path / "r", change))) is fits


@pytest.mark.parametrize(("nodes", "fits"), [(1, False), (3, True)])
def test_each_node_has_a_cache_for_its_own_tables(tmp_path: Path, nodes: int, fits: bool) -> None:
    def change(script: TrialScript) -> None:
        script.server["settings"]["innodb_buffer_pool_size"] = str(16 << 20)
        script.dataset["disk"] = {"before": {"size_bytes": 30 << 20, "nodes": nodes}}

    assert (Code.IN_MEMORY in spoken(findings(tmp_path / "r", change))) is fits


def test_scans_of_all_tables_together_name_none(tmp_path: Path) -> None:
    change = scanned(**{"": 2_816_000})
    warning = spoken(findings(tmp_path / "r", change))[Code.FULL_SCANS]
    assert evidence_of(warning).endswith("2,000 for each transaction")


def test_terminals_are_held_against_the_warehouses_that_they_use(tmp_path: Path) -> None:
    def on(warehouses: int, home_range: list[int] | None, think: float = 0.0) -> Change:
        def change(script: TrialScript) -> None:
            for event in script.events:
                event |= {"live_clients": 21}
            script.generator_plan |= {
                "clients": 21,
                "workload": {
                    "tpcc": {
                        "warehouses": warehouses,
                        "home_range": home_range,
                        "pacing": {"keying": think, "think": think},
                    }
                },
            }

        return change

    told = spoken(findings(tmp_path / "few", on(2, None)))[Code.CROWDED]
    assert evidence_of(told) == "21 terminals on 2 warehouses"
    assert Code.CROWDED in spoken(findings(tmp_path / "some", on(100, [3, 4])))
    assert Code.CROWDED not in spoken(findings(tmp_path / "enough", on(3, None)))
    assert Code.CROWDED not in spoken(findings(tmp_path / "paced", on(2, None, think=1.0)))


@pytest.mark.parametrize("code", EXCLUDING)
def test_an_invalid_trial_is_not_used(tmp_path: Path, code: Code) -> None:
    change, _ = FIRES[code]
    found = findings(tmp_path / "r", change)
    assert SEVERITIES[code] is Severity.INVALID
    assert found.trials_used == 0
    assert [number for number, _ in found.cells[0].excluded] == [1, 2, 3]


def test_every_check_of_a_trial_is_seen_to_fire() -> None:
    checks = set(EXCLUDING) | set(WARNING)
    assert set(FIRES) == checks - {Code.CLOCK_STEPPED}


def test_every_code_has_a_severity() -> None:
    assert set(SEVERITIES) == set(Code)


@pytest.mark.parametrize(
    ("change", "evidence"),
    [
        (partial(open_loop, completed=90, backlog_growth=10, clients=8), "1,080 of 1,200 offered"),
        (
            partial(open_loop, completed=90, backlog_growth=10, clients=2000),
            "1,080 of 1,200 offered",
        ),
        (
            partial(open_loop, completed=2000, backlog_growth=10, clients=200),
            "24,000 of 24,120 offered transactions ended in the window (99.5 %); 128 were waiting",
        ),
        (
            never_started,
            "1,200 of 1,200 offered transactions ended in the window (100.0 %); 8 were waiting or "
            "under way at its end; 3 were never started",
        ),
    ],
    ids=["few clients", "many clients", "slowly", "dropped"],
)
def test_a_rate_that_is_not_kept_up_with_is_no_given_rate(
    tmp_path: Path, change: Change, evidence: str
) -> None:
    found = findings(tmp_path / "r", change, make_plan([POOL]))
    assert evidence_of(spoken(found)[Code.RATE_NOT_REACHED]).startswith(evidence)
    assert not any(cell.kept_up for cell in found.cells)
    assert found.comparisons[0].reason is not Reason.GIVEN_RATE


@pytest.mark.parametrize("change", [lambda script: None, open_loop], ids=["closed", "open"])
def test_intervals_without_a_completion_are_told_in_both_loops(
    tmp_path: Path, change: Change
) -> None:
    def stalled(script: TrialScript) -> None:
        change(script)
        for second, (committed, under_way) in {6: (0, 108), 7: (0, 208), 8: (300, 8)}.items():
            counts = script.window[second]["transactions"]["oltp_read_write"]
            counts |= {"scheduled": 100, "committed": committed, "in_flight": under_way}

    assert evidence_of(spoken(findings(tmp_path / "r", stalled))[Code.STALLS]) == (
        "1 gap of more than 0.2 s without a completion, the longest 2 s, the first in the interval "
        "at 6 s; 2 of 12 intervals had no completion"
    )


def test_evidence_of_unlike_trials_is_quoted_one_by_one(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.window[0]["reconnects"] = script.planned.number

    warning = spoken(findings(tmp_path / "r", change, make_plan(rounds=5)))[Code.RECONNECTS]
    assert evidence_of(warning) == (
        "trial 1: 1 connection made again; trial 2: 2 connections made again; "
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
    result = ResultWriter.create(tmp_path / "r", experiment_text="", plan=plan, host=HostFacts())
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
    moved = re.fullmatch(
        r"the wall clock moved forward by (.*) s against the monotonic one", evidence_of(warning)
    )
    assert moved is not None
    assert float(moved[1].replace(",", "")) == pytest.approx(3600, abs=60)


def test_answers_at_impossible_times_are_told(tmp_path: Path) -> None:
    """A step forth and back leaves no trace in the trial's length."""
    found = analyse(
        build_result(tmp_path / "r", make_plan(), lambda script: generator(script, clock_clamps=2))
    )
    evidence = evidence_of(spoken(found)[Code.CLOCK_STEPPED])
    assert "24 answers arrived before they were asked for" in evidence


def test_counters_are_checked_for_each_kind_alone(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.events = trial_events(kinds=("new_order", "payment"))
        script.window[0]["transactions"]["new_order"] = transaction(100, scheduled=101)
        script.window[0]["transactions"]["payment"] = transaction(100, scheduled=99)

    assert Code.COUNTERS_DISAGREE in spoken(findings(tmp_path / "r", change))


def test_a_level_that_the_server_did_not_have_gets_no_verdict_and_is_the_first_thing_said(
    tmp_path: Path,
) -> None:
    log = FactorLevels("log", ("off", "on"), "server.log_bin")
    plan = make_plan([log], rounds=3)

    def change(script: TrialScript) -> None:
        script.server["settings"] |= {"log_bin": "ON"}
        if script.planned.cell.level("log") == "off":
            script.server["adjusted_settings"] = {"log_bin": "off"}

    found = findings(tmp_path / "r", change, plan)
    assert found.warnings[0].code is Code.LEVEL_NOT_IN_EFFECT
    assert evidence_of(found.warnings[0]).startswith("log_bin=off was asked for, the server has ON")
    assert found.trials_used == 3
    assert [each.effect for each in found.comparisons] == [None]
