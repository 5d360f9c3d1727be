"""From a stored result to findings: what is summed, merged, averaged, and left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.compare.model import VerdictKind
from dbdyno.analysis.findings import Findings
from dbdyno.experiment.plan import FactorLevels
from dbdyno.facts.host import HostFacts
from dbdyno.store.reader import read_result
from dbdyno.store.writer import ResultWriter
from tests.unit.analysis.told import reason_of
from tests.unit.store.result_builder import (
    TrialScript,
    build_result,
    histogram,
    make_plan,
    transaction,
    trial_events,
)

JOURNAL = FactorLevels("journal_mode", ("delete", "wal"), "server.journal_mode")


def wal_is_twice_as_fast(script: TrialScript) -> None:
    committed = 100 + script.planned.round
    if script.planned.cell.level("journal_mode") == "wal":
        committed *= 2
    script.events = trial_events([committed] * 12)


def two_cells(directory: Path) -> Findings:
    return analyse(build_result(directory, make_plan([JOURNAL]), wal_is_twice_as_fast))


def test_throughput_is_that_of_the_window_per_round(tmp_path: Path) -> None:
    delete, wal = two_cells(tmp_path / "r").cells
    assert delete.throughput_by_round == ((1, 101.0), (2, 102.0), (3, 103.0))
    assert wal.throughput_per_s.mean == pytest.approx((202 * 204 * 206) ** (1 / 3))
    assert wal.throughput_per_s.count == 3
    assert delete.committed == 12 * (101 + 102 + 103)
    assert delete.coefficient_of_variation == pytest.approx(1 / 102)
    assert delete.statements_per_transaction == pytest.approx(20.0)


def test_the_verdict_is_in_the_findings(tmp_path: Path) -> None:
    findings = two_cells(tmp_path / "r")
    (comparison,) = findings.comparisons
    assert comparison.kind is VerdictKind.BETTER
    assert comparison.effect is not None
    assert comparison.effect.percent == pytest.approx(100.0)
    assert (findings.trials_planned, findings.trials_used) == (6, 6)
    assert findings.experiment == "example"
    assert findings.host == HostFacts(cpu_model="one of many", cpu_count=2, kernel="6.1")
    assert findings.targets == (
        {
            "target": "server",
            "product": "MariaDB",
            "version": "10.11.14",
            "durability": "every commit",
            "transport": "TCP",
        },
    )


def test_what_the_host_does_not_tell_is_apart_from_what_it_has_not(tmp_path: Path) -> None:
    host = {"cpu_governor": None, "control_group_cpu_limit_cores": "none"}
    findings = analyse(build_result(tmp_path / "r", make_plan(rounds=1), host=host))
    assert findings.host.cpu_governor is None
    assert findings.host.control_group_cpu_limit_cores == "none"


def test_cells_come_in_the_order_of_the_levels(tmp_path: Path) -> None:
    plan = make_plan([FactorLevels("clients", ("16", "2"), "load.clients")], rounds=1)
    findings = analyse(build_result(tmp_path / "r", plan))
    assert [cell.cell.level("clients") for cell in findings.cells] == ["16", "2"]


def test_rolled_back_on_purpose_is_work_and_failed_is_none(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        for second in script.window:
            second["transactions"]["oltp_read_write"] |= {
                "scheduled": 121, "committed": 100, "rolled_back": 20, "failed": 1,
                "retries": 8, "first_attempt_aborts": 6,
            }  # fmt: skip

    (cell,) = analyse(build_result(tmp_path / "r", make_plan(rounds=1), change)).cells
    assert cell.throughput_per_s.mean == 120.0
    assert (cell.committed, cell.rolled_back, cell.failed) == (1200, 240, 12)
    assert cell.retries == 96
    assert cell.first_attempt_abort_share == pytest.approx(6 / 121)


def test_percentiles_are_of_merged_histograms_and_never_averaged(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        slow = script.planned.round == 1
        for second in script.window:
            times_ms = [100.0] * 9 + [1000.0] if slow else [1.0] * 90
            second["transactions"]["oltp_read_write"] = transaction(
                len(times_ms), response=histogram(times_ms)
            )
        script.events[-2]["transactions"]["oltp_read_write"] = transaction(0)

    (cell,) = analyse(build_result(tmp_path / "r", make_plan(rounds=2), change)).cells
    response = cell.response["oltp_read_write"]
    assert response.count == 12 * 100
    assert response.p90_ms == pytest.approx(1.0, rel=0.001)
    assert response.p95_ms == pytest.approx(100.0, rel=0.001)
    assert response.p999_ms == pytest.approx(1000.0, rel=0.001)
    assert set(cell.response) == set(cell.service) == set(cell.lag) == {"oltp_read_write"}


def test_several_kinds_have_percentiles_over_all(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.events = trial_events(kinds=("new_order", "payment"))
        for second in script.window:
            second["transactions"]["payment"] = transaction(300, response=histogram([50.0] * 300))

    (cell,) = analyse(build_result(tmp_path / "r", make_plan(rounds=1), change)).cells
    assert set(cell.response) == {"new_order", "payment", "all"}
    assert cell.response["all"].count == 12 * 400 + 2 * 8
    assert cell.response["all"].p50_ms == pytest.approx(50.0, rel=0.001)
    assert cell.throughput_per_s.mean == 400.0
    assert cell.series[0].response_p95_ms[0] == pytest.approx(50.0, rel=0.001)


def test_a_time_beyond_the_range_is_infinite(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.window[0]["transactions"]["oltp_read_write"]["response_overflow"] = 1

    (cell,) = analyse(build_result(tmp_path / "r", make_plan(rounds=1), change)).cells
    assert cell.response["oltp_read_write"].max_ms == float("inf")
    assert cell.response["oltp_read_write"].p99_ms == pytest.approx(20.0, rel=0.001)


def test_the_series_has_every_interval_even_one_without_transactions(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.window[3]["transactions"] = {}

    (cell,) = analyse(build_result(tmp_path / "r", make_plan(rounds=1), change)).cells
    (series,) = cell.series
    assert series.start_s == tuple(float(second) for second in range(12))
    assert series.throughput_per_s[2:5] == (100.0, 0.0, 100.0)
    assert series.response_p95_ms[3] is None
    assert cell.throughput_per_s.mean == pytest.approx(1100 / 12)


def test_dropped_arrivals_are_counted_though_they_show_in_the_drain(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.events[-2]["transactions"]["oltp_read_write"] |= {"committed": 3, "dropped": 5}

    (cell,) = analyse(build_result(tmp_path / "r", make_plan(rounds=1), change)).cells
    assert cell.dropped == 5
    scheduled = 108 + 100 + 12 * 100
    assert cell.dropped_share == pytest.approx(5 / scheduled)


def test_an_invalid_trial_is_left_out_and_named(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        wal_is_twice_as_fast(script)
        if script.planned.number == 2:
            script.events[-1] |= {"status": "failed", "reason": "server has gone away"}

    findings = analyse(build_result(tmp_path / "r", make_plan([JOURNAL]), change))
    delete, wal = findings.cells
    assert delete.excluded == ()
    ((number, reason),) = wal.excluded
    assert number == 2
    assert reason_of(reason) == "A trial did not run to its end. (failed: server has gone away)"
    assert wal.throughput_by_round == ((2, 204.0), (3, 206.0))
    assert findings.comparisons[0].rounds == 2
    assert (findings.trials_planned, findings.trials_used) == (6, 5)


def test_a_result_without_a_single_trial_is_analysed_too(tmp_path: Path) -> None:
    plan = make_plan([JOURNAL])
    ResultWriter.create(tmp_path / "r", experiment_text="", plan=plan, host=HostFacts()).close()
    findings = analyse(read_result(tmp_path / "r"))
    assert findings.trials_used == 0
    assert [cell.throughput_per_s.count for cell in findings.cells] == [0, 0]
    assert findings.comparisons[0].kind is VerdictKind.TOO_FEW_ROUNDS
    assert "missing-trials" in {warning.code for warning in findings.warnings}


def test_a_cell_that_did_nothing_counts_as_zero(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        if script.planned.cell.level("journal_mode") == "wal":
            for second in script.window:
                second["transactions"]["oltp_read_write"] = transaction(
                    0, response=histogram([]), service=histogram([]), lag=histogram([])
                )

    findings = analyse(build_result(tmp_path / "r", make_plan([JOURNAL]), change))
    _, wal = findings.cells
    assert wal.throughput_per_s.mean == 0.0
    # Of three trials with eight clients each: what was under way when the window ended.
    assert wal.response["oltp_read_write"].count == 24
    assert findings.comparisons[0].kind is VerdictKind.NOT_COMPARABLE
    assert "nothing-finished" in {warning.code for warning in findings.warnings}


def test_a_smoke_run_has_figures_and_no_verdict(tmp_path: Path) -> None:
    plan = replace(make_plan([JOURNAL]), is_smoke=True)
    findings = analyse(build_result(tmp_path / "r", plan, wal_is_twice_as_fast))
    assert findings.is_smoke
    assert (findings.compared, findings.knees) == ((), ())
    assert all(cell.throughput_per_s.count == 3 for cell in findings.cells)
