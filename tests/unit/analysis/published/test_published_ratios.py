"""Ratios of a published table beside those of an experiment: of the same levels, and no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analysis.audit.model import Code
from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.imported.analyse import analyse_evidence
from dbdyno.analysis.published.analyse import analyse_published
from dbdyno.analysis.published.model import NoRatios, PublishedTable
from dbdyno.published.model import MatchedFactor, PublishedTables
from dbdyno.results_table.read import read_tables
from dbdyno.trial_evidence import Counted
from tests.unit.analysis.imported.evidence import evidence, rounds

MATCH = {
    "system": MatchedFactor("target", {"A 1.0": "a", "B 2.0": "b"}),
    "threads": MatchedFactor("clients", {}),
}
NOWHERE: dict[str, str] = {}
ROUNDED = """\
system,threads,round,tps
A 1.0,8,1,100
A 1.0,8,2,110
A 1.0,16,1,200
A 1.0,16,2,200
B 2.0,8,1,130
B 2.0,8,2,143
B 2.0,16,1,100
B 2.0,16,2,100
"""


def own(counted: Counted = Counted.TRANSACTIONS, **rates: list[float]) -> Findings:
    """Return an experiment of paired rounds; cells are named as ``a_8``."""
    trials = [
        trial
        for name, each in rates.items()
        for target, _, clients in [name.partition("_")]
        for trial in rounds(each, target=target, clients=clients)
    ]
    found = analyse_evidence(evidence(*trials, counted=counted))
    return replace(found, compared=compare_cells(found.factors, found.cells, Rules()))


OWN = own(a_8=[10, 20], b_8=[11, 24], a_16=[50, 50], b_16=[100, 100])


def beside(
    folder: Path,
    text: str,
    experiment: Findings = OWN,
    match: dict[str, MatchedFactor] = MATCH,
    at: dict[str, str] = NOWHERE,
) -> PublishedTable:
    """Return what a report shows of a table."""
    path = folder / "theirs.csv"
    path.write_text(text)
    tables = PublishedTables("their report", tuple(read_tables([path], None)), match, at)
    (source,) = analyse_published([tables], experiment)
    (table,) = source.tables
    return table


def test_both_ratios_are_of_the_same_levels(tmp_path: Path) -> None:
    found = beside(tmp_path, ROUNDED)
    shown = {
        (pair.factor, pair.level.own, pair.at[0][1].own): (pair.published.mean, pair.own)
        for pair in found.ratios
    }
    means: dict[tuple[str, str, str], object] = {
        key: (told, mine.mean if mine else None) for key, (told, mine) in shown.items()
    }
    assert means == {
        ("target", "b", "8"): (pytest.approx(1.3), pytest.approx((1.1 * 1.2) ** 0.5)),
        ("target", "b", "16"): (pytest.approx(0.5), pytest.approx(2.0)),
        ("clients", "16", "a"): (
            pytest.approx(200 / (100 * 110) ** 0.5),
            pytest.approx((5 * 2.5) ** 0.5),
        ),
        ("clients", "16", "b"): (
            pytest.approx(100 / (130 * 143) ** 0.5),
            pytest.approx(((100 / 11) * (100 / 24)) ** 0.5),
        ),
    }
    assert found.ratios[0].level.told == "B 2.0"
    assert found.ratios[0].baseline.told == "A 1.0"


def test_the_interval_here_is_that_of_the_verdict(tmp_path: Path) -> None:
    found = beside(tmp_path, ROUNDED).ratios[0].own
    effect = OWN.comparisons[0].effect
    assert found is not None
    assert effect is not None
    assert found.low == pytest.approx(1 + effect.low_percent / 100)
    assert found.high == pytest.approx(1 + effect.high_percent / 100)
    assert found.rounds == 2


def test_a_table_of_single_runs_has_no_interval(tmp_path: Path) -> None:
    found = beside(tmp_path, "system,threads,tps\nA 1.0,8,100\nB 2.0,8,130\n").ratios
    (pair,) = found
    assert pair.published.mean == pytest.approx(1.3)
    assert (pair.published.low, pair.published.high, pair.published.rounds) == (None, None, 1)


def test_columns_and_factors_without_a_match_are_averaged_over_and_told(tmp_path: Path) -> None:
    text = (
        "system,pool,tps\nA 1.0,1,100\nB 2.0,1,200\nA 1.0,2,100\nB 2.0,2,50\nA 1.0,4,100\n"
        "B 2.0,8,900\n"
    )
    found = beside(tmp_path, text)
    (pair,) = found.ratios
    assert found.unmatched_columns == ("pool",)
    assert found.unmatched_factors == ("clients",)
    assert pair.published.mean == pytest.approx(1.0)
    assert (pair.published.least, pair.published.most) == pytest.approx((0.5, 2.0))
    assert pair.published.combinations == 2
    assert pair.own is not None
    assert pair.own.combinations == 2
    assert pair.own.mean == pytest.approx(((1.1 * 1.2) ** 0.5 * 2.0) ** 0.5)


def test_a_column_that_varies_only_among_other_figures_is_not_averaged_over(
    tmp_path: Path,
) -> None:
    text = (
        "system,threads,kind,tps,size\nA 1.0,8,x,100,\nB 2.0,8,x,130,\nA 1.0,8,y,,5\nB 2.0,8,y,,6\n"
    )
    found = beside(tmp_path, text)
    assert found.unmatched_columns == ()
    assert found.ratios[0].published.mean == pytest.approx(1.3)


def test_a_column_with_one_level_says_where_the_table_was_measured(tmp_path: Path) -> None:
    (pair,) = beside(tmp_path, "system,threads,tps\nA 1.0,16,100\nB 2.0,16,90\n").ratios
    assert [(name, level.own) for name, level in pair.at] == [("clients", "16")]
    assert pair.own is not None
    assert pair.own.mean == pytest.approx(2.0)


def test_what_no_column_tells_may_be_told_of_all_of_a_table(tmp_path: Path) -> None:
    text = "system,tps\nA 1.0,100\nB 2.0,130\n"
    (pair,) = beside(tmp_path, text, at={"clients": "16"}).ratios
    assert pair.own is not None
    assert pair.own.combinations == 1
    assert pair.own.mean == pytest.approx(2.0)
    assert beside(tmp_path, text, at={"clients": "32"}).why_not is NoRatios.NO_LEVELS
    # What the experiment does not vary keeps no ratio away.
    assert beside(tmp_path, text, at={"pool": "1G"}).ratios


def test_a_level_of_a_column_may_stand_for_levels_of_two_factors(tmp_path: Path) -> None:
    text = "system,tps\nA,100\nA at 16,130\n"
    matched = MatchedFactor("target", {"A": "a", "A at 16": "a"}, {"A at 16": {"clients": "16"}})
    (pair,) = beside(tmp_path, text, match={"system": matched}, at={"clients": "8"}).ratios
    assert (pair.factor, pair.level.own, pair.baseline.own) == ("clients", "16", "8")
    assert pair.published.mean == pytest.approx(1.3)
    assert pair.own is not None
    assert pair.own.mean == pytest.approx((50 / 10 * 50 / 20) ** 0.5)


def test_levels_that_the_experiment_does_not_have_have_no_ratio(tmp_path: Path) -> None:
    found = beside(tmp_path, "system,threads,tps\nA 1.0,32,100\nB 2.0,32,90\n")
    assert found.why_not is NoRatios.NO_LEVELS
    assert found.ratios == ()


def test_without_a_match_there_are_only_the_figures(tmp_path: Path) -> None:
    assert beside(tmp_path, ROUNDED, match={}).why_not is NoRatios.NO_MATCH


def test_new_orders_are_not_set_beside_transactions(tmp_path: Path) -> None:
    new_orders = own(Counted.NEW_ORDERS, a_8=[10, 20], b_8=[11, 24])
    assert beside(tmp_path, ROUNDED, new_orders).why_not is NoRatios.UNLIKE_MEASURES
    assert beside(tmp_path, ROUNDED.replace("tps", "tpmc"), new_orders).ratios


def test_a_smoke_run_has_no_ratios(tmp_path: Path) -> None:
    assert beside(tmp_path, ROUNDED, replace(OWN, is_smoke=True)).why_not is NoRatios.SMOKE


def test_percentiles_are_set_beside_each_other_only_in_a_closed_loop(tmp_path: Path) -> None:
    text = "system,threads,tps,p95 (ms)\nA 1.0,8,100,5\nB 2.0,8,130,4\n"
    metrics = [pair.metric for pair in beside(tmp_path, text).ratios]
    assert metrics == [THROUGHPUT, RESPONSE_P95]
    open_loop = replace(OWN, cells=tuple(replace(cell, always_asks=False) for cell in OWN.cells))
    assert [pair.metric for pair in beside(tmp_path, text, open_loop).ratios] == [THROUGHPUT]


def test_what_an_audit_finds_is_told_with_the_tables(tmp_path: Path) -> None:
    path = tmp_path / "theirs.csv"
    path.write_text("system,threads,tps,improvement %\nA,8,100,\nB,8,120,30\n")
    tables = PublishedTables("their report", tuple(read_tables([path], None)))
    (source,) = analyse_published([tables], OWN)
    assert Code.CHANGE_WRONG in {fault.code for fault in source.faults}
