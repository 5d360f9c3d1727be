"""Results of which not every combination of levels was planned: analysed, told and drawn."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.validity.codes import Code
from dbdyno.report.charts import throughput
from dbdyno.report.matrix import matrices
from dbdyno.report.sections.answer import answers
from dbdyno.report.words.comparisons import effect_sentence
from dbdyno.report.words.evidence.words import finding_evidence
from dbdyno.store.model import StoredResult
from tests.unit.analysis.simulated import Truth, result

Levels = tuple[str, str]
THREE: tuple[Levels, ...] = (("16M", "8"), ("64M", "8"), ("16M", "9"))
TWO: tuple[Levels, ...] = (("16M", "8"), ("64M", "9"))


def with_cells(whole: StoredResult, kept: Collection[Levels]) -> StoredResult:
    """Return a result of which only some cells were planned; each is ``(pool, clients)``."""

    def is_kept(levels: tuple[tuple[str, str], ...]) -> bool:
        return tuple(level for _, level in levels) in kept

    planned = tuple(each for each in whole.plan.trials if is_kept(each.cell.levels))
    trials = tuple(each for each in whole.trials if is_kept(each.planned.cell.levels))
    return replace(whole, plan=replace(whole.plan, trials=planned), trials=trials)


@cache
def findings_of(kept: tuple[Levels, ...]) -> Findings:
    return analyse(with_cells(result(Truth(), 7), kept))


def codes(findings: Findings) -> set[Code]:
    return {each.code for each in findings.warnings}


def test_cells_are_compared_that_differ_in_one_factor_alone() -> None:
    findings = findings_of(THREE)
    compared = [(each.cell.label(), each.baseline.label()) for each in findings.comparisons]
    assert compared == [
        ("pool=64M, clients=8", "pool=16M, clients=8"),
        ("pool=16M, clients=9", "pool=16M, clients=8"),
    ]
    assert findings.combinations_without_cell == 1


def test_what_was_never_planned_is_not_missed() -> None:
    findings = findings_of(THREE)
    assert len(findings.cells) == 3
    assert len(findings.trials) == findings.trials_planned == 15
    assert Code.MISSING_TRIALS not in codes(findings)
    assert Code.FACTORS_CONFOUNDED not in codes(findings)


def test_an_effect_says_over_which_combinations_it_is() -> None:
    by_factor = {each.factor: each for each in findings_of(THREE).compared[0].effects}
    pool = by_factor["pool"]
    assert (pool.combinations, pool.not_both, pool.left_out) == (1, 1, 0)
    two = replace(pool, combinations=2)
    assert "16M over the 2 combinations that have both (5 rounds)" in effect_sentence(two)
    assert "over both combinations" in effect_sentence(replace(two, not_both=0))


def test_a_full_matrix_has_nothing_left_out() -> None:
    findings = analyse(result(Truth(), 7))
    assert {each.not_both for each in findings.compared[0].effects} == {0}
    assert findings.combinations_without_cell == 0


def test_factors_that_vary_together_have_no_verdict_and_both_are_named() -> None:
    findings = findings_of(TWO)
    assert findings.comparisons == ()
    (warning,) = [each for each in findings.warnings if each.code is Code.FACTORS_CONFOUNDED]
    assert finding_evidence(warning) == (
        "where pool is 64M and not 16M, clients differs too; "
        "where clients is 9 and not 8, pool differs too"
    )
    assert answers(findings)[:2] == [
        "No verdict about pool: where pool is 64M and not 16M, clients differs too.",
        "No verdict about clients: where clients is 9 and not 8, pool differs too.",
    ]


def test_a_matrix_has_an_empty_place_and_no_empty_row_or_column() -> None:
    (matrix,) = matrices(findings_of(THREE), THROUGHPUT)
    assert matrix.columns == ("8", "9")
    assert [(level, [cell is not None for cell in cells]) for level, cells in matrix.rows] == [
        ("16M", [True, True]),
        ("64M", [True, False]),
    ]
    assert not matrix.is_full
    (narrow,) = matrices(findings_of(THREE[:2]), THROUGHPUT)
    assert narrow.columns == ("8",)
    assert narrow.is_full


def test_an_axis_has_the_levels_that_are_there() -> None:
    (whole,), (narrow,) = throughput(findings_of(THREE)), throughput(findings_of(THREE[:2]))
    assert ">9</text>" in whole.svg
    assert ">9</text>" not in narrow.svg
