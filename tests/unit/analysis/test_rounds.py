"""Means are over rounds that compared cells have in common, and so the table says what they say."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.rounds import rounds_of_means
from dbdyno.experiment.plan import Cell, FactorLevels
from tests.unit.store.result_builder import TrialScript, build_result, make_plan, trial_events

POOL = FactorLevels("pool", ("16M", "64M", "1G"), "server.innodb_buffer_pool_size")
A, B, C, D = (Cell((("pool", level),)) for level in "ABCD")
ALL = [(A, B), (A, C), (A, D)]


def rounds(**cells: str) -> dict[str, str]:
    """Return the rounds behind each mean, a digit each; so are those given in which it is valid."""
    valid = {Cell((("pool", name),)): frozenset(map(int, digits)) for name, digits in cells.items()}
    found = rounds_of_means(valid, [pair for pair in ALL if set(pair) <= set(valid)])
    return {
        cell.level("pool"): "".join(map(str, sorted(numbers))) for cell, numbers in found.items()
    }


def test_a_round_that_one_cell_lacks_counts_for_none() -> None:
    assert rounds(A="123456", B="13456", C="12345") == dict.fromkeys("ABC", "1345")


def test_a_cell_that_would_cost_the_others_too_much_stands_apart() -> None:
    assert rounds(A="123456", B="123456", C="16") == {"A": "123456", "B": "123456", "C": "16"}


def test_also_the_baseline_may_stand_apart() -> None:
    assert rounds(A="1", B="1234", C="1234") == {"A": "1", "B": "1234", "C": "1234"}


def test_a_cell_without_a_valid_trial_costs_nothing() -> None:
    assert rounds(A="1234", B="", C="124") == {"A": "124", "B": "", "C": "124"}


def test_two_rounds_are_not_given_up_for_one() -> None:
    assert rounds(A="12", B="12", C="1") == {"A": "12", "B": "12", "C": "1"}
    assert rounds(A="1", B="1") == {"A": "1", "B": "1"}


def test_the_tables_ratios_are_the_effects(tmp_path: Path) -> None:
    """Throughput that scatters widely, and a trial that failed in one round of one cell."""
    levels = {"16M": (100, 900, 400, 250), "64M": (2000, 300, 700, 90), "1G": (50, 3000, 10, 600)}

    def change(script: TrialScript) -> None:
        per_s = levels[script.planned.cell.level("pool")][script.planned.round - 1]
        script.events = trial_events([per_s] * 12)
        if (script.planned.cell.level("pool"), script.planned.round) == ("1G", 2):
            script.events[-1] |= {"status": "failed", "reason": "gone"}

    findings = analyse(build_result(tmp_path / "r", make_plan([POOL], rounds=4), change))
    means = {cell.cell: cell.throughput_per_s.mean for cell in findings.cells}
    for cell in findings.cells:
        level = cell.cell.level("pool")
        expected = math.prod(levels[level][number - 1] for number in (1, 3, 4)) ** (1 / 3)
        assert cell.rounds == (1, 3, 4)
        assert cell.throughput_per_s.mean == pytest.approx(expected)
    assert len(findings.comparisons) == 2
    for comparison in findings.comparisons:
        ratio = means[comparison.cell] / means[comparison.baseline]
        assert comparison.effect is not None
        assert comparison.effect.percent == pytest.approx(100 * (ratio - 1), rel=1e-9)
    assert len(findings.cells[0].throughput_by_round) == 4
