"""Levels that are compared with others than the baseline: each of the four below."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.analysis.compare.cells import compare_by
from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.model import VerdictKind
from dbdyno.analysis.compare.rules import Rules
from dbdyno.experiment.baselines import with_baselines
from dbdyno.experiment.comparable import Uncompared, compared_pairs, uncompared
from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.plan import Cell, FactorLevels, Plan
from tests.unit.analysis.compare.summaries import summary

EXPERIMENT = """\
experiment: e
question: Which?
workload: {{sysbench: {{table_size: 100}}}}
target: {{sqlite: {{}}}}
factors:
  cache: {{sets: server.cache_size, levels: [1, 2, 4, 8], against: {against}}}
procedure: {{rounds: 4}}
"""
CACHE = FactorLevels(
    "cache", ("1", "2", "4", "8"), "server.cache_size", against=(("4", "2"), ("8", "4"))
)


def plan_of(against: str, directory: Path) -> Plan:
    path = directory / "experiment.yaml"
    path.write_text(EXPERIMENT.format(against=against))
    return make_plan(read_experiment(path))


def cells(*levels: str) -> list[Cell]:
    return [Cell((("cache", level),)) for level in levels]


def test_each_level_is_compared_with_what_is_named_or_the_baseline(tmp_path: Path) -> None:
    plan = plan_of("{4: 2, 8: 4}", tmp_path)
    assert plan.factors == (CACHE,)
    pairs = compared_pairs(plan.factors, plan.compared_cells)
    assert {(cell.label(), baseline.label()) for _, cell, baseline in pairs} == {
        ("cache=2", "cache=1"),
        ("cache=4", "cache=2"),
        ("cache=8", "cache=4"),
    }


def test_a_level_is_compared_with_each_of_several(tmp_path: Path) -> None:
    plan = plan_of("{4: [1, 2]}", tmp_path)
    pairs = compared_pairs(plan.factors, plan.compared_cells)
    assert {cell.contrast("cache", baseline) for _, cell, baseline in pairs} == {
        ("2", "1"),
        ("4", "1"),
        ("4", "2"),
        ("8", "1"),
    }
    rates = {"1": 100.0, "2": 120.0, "4": 120.0}
    known = [
        summary(cell, {1: rate, 2: rate * 1.001, 3: rate * 0.999, 4: rate})
        for cell, rate in zip(cells(*rates), rates.values(), strict=True)
    ]
    found = compare_by(THROUGHPUT, plan.factors, known, Rules())
    assert {each.contrast: each.kind for each in found.comparisons} == {
        ("2", "1"): VerdictKind.BETTER,
        ("4", "1"): VerdictKind.BETTER,
        ("4", "2"): VerdictKind.NO_DIFFERENCE_SHOWN,
    }
    assert [each.contrast for each in found.effects] == [("2", "1"), ("4", "1"), ("4", "2")]


def test_of_several_baselines_the_one_that_has_no_cell_is_named(tmp_path: Path) -> None:
    (factor,) = plan_of("{8: [4, 1]}", tmp_path).factors
    assert uncompared([factor], cells("1", "2", "8")) == (
        Uncompared("cache", "4", ("8",), (), is_whole=False),
    )


def test_effects_are_those_of_these_pairs() -> None:
    rates = {"1": 100.0, "2": 120.0, "4": 120.0, "8": 60.0}
    known = [
        summary(cell, {1: rate, 2: rate * 1.001, 3: rate * 0.999, 4: rate})
        for cell, rate in zip(cells(*rates), rates.values(), strict=True)
    ]
    found = compare_by(THROUGHPUT, [CACHE], known, Rules())
    shown = {
        (each.cell.level("cache"), each.baseline.level("cache")): each.kind
        for each in found.comparisons
    }
    assert shown == {
        ("2", "1"): VerdictKind.BETTER,
        ("4", "2"): VerdictKind.NO_DIFFERENCE_SHOWN,
        ("8", "4"): VerdictKind.WORSE,
    }
    assert [(each.level, each.baseline) for each in found.effects] == [
        ("2", "1"),
        ("4", "2"),
        ("8", "4"),
    ]


def test_a_level_whose_own_baseline_has_no_cell_is_not_compared() -> None:
    assert uncompared([CACHE], cells("1", "2", "8")) == (
        Uncompared("cache", "4", ("8",), (), is_whole=False),
    )


def test_another_baseline_is_that_of_all_levels(tmp_path: Path) -> None:
    plan = plan_of("{4: 2}", tmp_path)
    (factor,) = with_baselines(plan, {"cache": "2"}).factors
    assert {baseline for _, baseline in factor.contrasts} == {"2"}


@pytest.mark.parametrize(
    ("against", "message"),
    [
        ("{3: 1}", "6: factors.cache.against.3: 3 is no level; known: 1, 2, 4, 8"),
        ("{4: 3}", "6: factors.cache.against.4: 3 is no level; known: 1, 2, 4, 8"),
        ("{4: [2, 3]}", "6: factors.cache.against.4: 3 is no level; known: 1, 2, 4, 8"),
        ("{4: [2, 2]}", "6: factors.cache.against.4: 2 is there twice; remove one of the two"),
        (
            "{4: [1, 8], 8: [2, 4]}",
            "6: factors.cache.against.4: 4 is compared with 8, and so in the end with itself",
        ),
        ("{1: 2}", "6: factors.cache.against.1: 1 is the baseline; remove one of the two"),
        (
            "{4: 4}",
            "6: factors.cache.against.4: 4 is compared with 4, and so in the end with itself",
        ),
        (
            "{4: 8, 8: 4}",
            "6: factors.cache.against.4: 4 is compared with 8, and so in the end with itself",
        ),
    ],
)
def test_mistakes_are_told(against: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as caught:
        plan_of(against, tmp_path)
    assert message in str(caught.value)
