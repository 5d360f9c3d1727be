"""What others measured is analysed by our rules, and what they do not tell is absent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.analysis.compare.metric import MetricName
from dbdyno.analysis.compare.model import VerdictKind
from dbdyno.analysis.findings import Standing
from dbdyno.analysis.imported.analyse import analyse_evidence
from dbdyno.analysis.imported.factors import factors_of
from dbdyno.analysis.imported.model import FigureKind
from dbdyno.analysis.throughput import NOPM
from dbdyno.analysis.tpcc.requirements import MINIMUM_SHARES
from dbdyno.analysis.validity.codes import Code
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import Counted, KindEvidence, SourceNote
from tests.unit.analysis.imported.evidence import evidence, intervals, rounds, trial
from tests.unit.analysis.told import evidence_of

SLOW = rounds([100.0, 101.0, 99.0, 100.5], target="mysql")
FAST = rounds([120.0, 121.0, 119.0, 120.5, 120.0], target="greatsql")


def test_rounds_of_two_cells_are_compared_unpaired() -> None:
    findings = analyse_evidence(evidence(*SLOW, *FAST))
    (comparison,) = findings.comparisons
    assert comparison.kind is VerdictKind.BETTER
    assert comparison.rounds == 4
    assert comparison.effect is not None
    assert comparison.effect.percent == pytest.approx(20, abs=0.5)
    assert [len(cell.rounds) for cell in findings.cells] == [4, 5]
    assert not findings.compared[0].tests[0].is_paired


def test_factors_that_vary_together_in_the_sources_are_named() -> None:
    slow = rounds([100.0, 101.0, 99.0], target="mysql", disks="1")
    fast = rounds([120.0, 121.0, 119.0], target="greatsql", disks="4")
    findings = analyse_evidence(evidence(*slow, *fast))
    assert findings.comparisons == ()
    (warning,) = findings.warnings
    assert warning.code is Code.FACTORS_CONFOUNDED
    assert evidence_of(warning) == (
        "where target is greatsql and not mysql, disks differs too; "
        "where disks is 4 and not 1, target differs too"
    )


def test_single_runs_allow_no_verdict() -> None:
    findings = analyse_evidence(evidence(trial(100.0, target="a"), trial(900.0, target="b")))
    assert findings.compared == ()
    assert [each.code for each in findings.warnings] == [Code.FEW_ROUNDS]


def test_levels_that_are_numbers_or_sizes_come_in_their_order() -> None:
    def levels(*names: str) -> tuple[str, ...]:
        return factors_of([trial(1.0, threads=name) for name in names])[0].levels

    assert levels("128", "8", "64") == ("8", "64", "128")
    assert levels("1G", "512M", "8GiB") == ("512M", "1G", "8GiB")
    assert levels("b", "a", "10") == ("b", "a", "10")


def test_a_factor_of_threads_is_load() -> None:
    found = factors_of([trial(1.0, target="x", terminals_per_loader="8")])
    assert [factor.sets for factor in found] == ["target", "load.clients"]


def test_a_level_that_is_no_number_is_no_load() -> None:
    trials = [trial(float(n + 1), threads=name) for n, name in enumerate(("8", "?", "4"))]
    (factor,) = factors_of(trials)
    assert (factor.levels, factor.sets) == (("4", "8", "?"), "threads")
    assert analyse_evidence(evidence(*trials)).scaling == ()


def test_a_factor_of_scripts_is_what_was_carried_out() -> None:
    (script,) = factors_of([trial(1.0, Script=name) for name in ("read_only", "read_write")])
    (number,) = factors_of([trial(1.0, workload=name) for name in ("1", "2")])
    assert script.sets_transactions
    assert not number.sets_transactions


def test_throughput_that_counts_something_else_is_called_so() -> None:
    def code(*notes: NoteCode) -> str:
        own = [replace(trial(1.0), notes=(SourceNote(code=note),)) for note in notes]
        return analyse_evidence(evidence(*own)).measure.code

    assert code(NoteCode.COUNTS_OPERATIONS) == "operations"
    assert code(NoteCode.NOT_A_DATABASE) == "events"
    assert code(NoteCode.NO_PERCENTILE) == "transactions"


def test_the_rate_of_all_transactions_is_told_where_it_is_known() -> None:
    (line,) = analyse_evidence(evidence(trial(7.0))).trials
    assert line.transactions_per_s == 7.0
    kind = KindEvidence(rate_per_s=5.0)
    tpcc = replace(trial(5.0), kinds={"new_order": kind})
    (line,) = analyse_evidence(evidence(tpcc, counted=Counted.NEW_ORDERS)).trials
    assert line.transactions_per_s is None
    every = dict.fromkeys(("new_order", *MINIMUM_SHARES), kind)
    (line,) = analyse_evidence(
        evidence(replace(tpcc, kinds=every), counted=Counted.NEW_ORDERS)
    ).trials
    assert line.transactions_per_s == 25.0


def test_percentiles_are_compared_where_all_rounds_tell_them() -> None:
    own = [trial(100.0, n, 5.0 + n / 100, target="a") for n in range(1, 4)]
    other = [trial(100.0, n, 7.0 + n / 100, target="b") for n in range(1, 4)]
    findings = analyse_evidence(evidence(*own, *other))
    by_metric = {each.metric.name: each for each in findings.compared}
    p95 = by_metric[MetricName.RESPONSE_P95].comparisons[0].effect
    assert p95 is not None
    assert p95.percent == pytest.approx(40, abs=0.5)
    assert by_metric[MetricName.RESPONSE_P99].comparisons[0].effect is None
    (figure,) = findings.imported.figures if findings.imported else ()
    assert (figure.kind, figure.name) == (FigureKind.QUANTILE, "0.95")


def test_a_run_that_failed_is_named_and_in_no_figure() -> None:
    failed = replace(trial(50.0, 5, target="mysql"), failure="FATAL: no table")
    findings = analyse_evidence(evidence(*SLOW, failed, *FAST))
    assert len(findings.cells[0].rounds) == 4
    assert findings.trials[4].standing is Standing.FAILED
    assert (findings.trials_used, findings.trials_planned) == (9, 10)
    assert findings.warnings[0].code is Code.LOG_FAILED


def test_a_run_without_throughput_is_in_no_figure() -> None:
    findings = analyse_evidence(evidence(*SLOW, trial(None, 5, target="mysql"), *FAST))
    assert findings.trials[4].standing is Standing.INVALID
    assert findings.warnings[0].code is Code.LOG_EMPTY


def test_new_orders_are_nopm_and_never_all_transactions() -> None:
    findings = analyse_evidence(evidence(*SLOW, *FAST, counted=Counted.NEW_ORDERS))
    assert findings.measure == NOPM
    assert {line.transactions_per_s for line in findings.trials} == {None}


def test_intervals_become_a_series_without_the_warmup() -> None:
    told = replace(trial(100.0), intervals=intervals([10, 20] + [100, 110] * 6, warmup=2))
    (cell,) = analyse_evidence(evidence(told)).cells
    (series,) = cell.series
    assert series.start_s[:2] == (0.0, 1.0)
    assert series.throughput_per_s[:2] == (100, 110)
    ((_, variation),) = cell.values_by_round[MetricName.VARIATION]
    assert variation == pytest.approx(0.0497, abs=0.001)
    (cell,) = analyse_evidence(evidence(replace(told, intervals=intervals([100])))).cells
    assert cell.series == ()


def test_options_that_differ_besides_the_factor_are_named() -> None:
    own = [replace(each, options={"tables": "8", "threads": "4"}) for each in SLOW]
    other = [replace(each, options={"tables": "16", "threads": "4"}) for each in FAST]
    findings = analyse_evidence(evidence(*own, *other))
    assert findings.differences == (("tables", "target=greatsql", "16", "8"),)


def test_other_figures_of_a_table_are_kept() -> None:
    own = [replace(each, figures={"size, GiB": 66.0}) for each in SLOW]
    findings = analyse_evidence(evidence(*own, *FAST))
    assert findings.imported is not None
    (figure,) = findings.imported.figures
    assert figure.name == "size, GiB"
    ((cell, estimate),) = figure.estimates.items()
    assert cell.label() == "target=mysql"
    assert estimate.mean == pytest.approx(66.0)
