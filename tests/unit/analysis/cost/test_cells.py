"""Costs over rounds and against the baseline: by hand, and by simulation with a known truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from dbdyno.analysis.compare.unpaired import welch
from dbdyno.analysis.cost.cells import cell_costs
from dbdyno.analysis.cost.model import CellCosts, Cost, CostName, TrialCosts
from dbdyno.experiment.plan import RESULT_PATH, Cell, FactorLevels
from tests.unit.analysis.compare.summaries import CLIENTS, DELETE, JOURNAL, WAL, summary

CPU = CostName.SERVER_CPU


def of(
    wal: dict[int, float], delete: dict[int, float], name: CostName = CPU
) -> tuple[CellCosts, ...]:
    """Return the costs of two cells by round, of which the throughput is the same."""
    rounds = dict.fromkeys(sorted({*wal, *delete}), 100.0)
    known: dict[Cell, dict[int, TrialCosts]] = {
        cell: {number: {name: value} for number, value in values.items()}
        for cell, values in ((DELETE, delete), (WAL, wal))
    }
    return cell_costs([JOURNAL, CLIENTS], [summary(DELETE, rounds), summary(WAL, rounds)], known)


def test_means_are_geometric_and_ratios_are_paired_by_round() -> None:
    """The second round costs ten times as much everywhere, and the ratio is 2 all the same."""
    delete, wal = of({1: 2.0, 2: 20.0}, {1: 1.0, 2: 10.0})
    assert delete.baseline is None
    assert delete.costs[CPU].ratio is None
    assert wal.baseline == DELETE
    assert wal.costs[CPU].mean.mean == pytest.approx(math.sqrt(40))
    ratio = wal.costs[CPU].ratio
    assert ratio is not None
    assert (ratio.mean, ratio.low, ratio.high) == pytest.approx((2.0, 2.0, 2.0))
    assert wal.costs[CPU].is_apart


def test_the_interval_is_student_s_on_the_log_ratios() -> None:
    """Ratios 2 and 8: mean 4, and 4 · 2^±12.706 where t of one degree is 12.706."""
    _, wal = of({1: 2.0, 2: 8.0}, {1: 1.0, 2: 1.0})
    ratio = wal.costs[CPU].ratio
    assert ratio is not None
    assert ratio.low is not None
    assert ratio.mean == pytest.approx(4.0)
    assert ratio.low == pytest.approx(4 * 2**-12.706, rel=1e-3)
    assert not wal.costs[CPU].is_apart


def test_a_zero_has_a_mean_and_no_ratio() -> None:
    _, wal = of({1: 0.0, 2: 0.0}, {1: 1.0, 2: 1.0})
    assert wal.costs[CPU].mean.mean == 0.0
    assert wal.costs[CPU].ratio is None
    assert wal.transactions_per_cpu_s is None


def test_a_cost_that_a_round_of_the_mean_lacks_is_left_out() -> None:
    (delete,) = of({1: 2.0}, {1: 1.0, 2: 1.0})
    assert delete.cell == DELETE


def test_efficiency_is_transactions_by_cpu_seconds() -> None:
    delete, _ = of({1: 1.0, 2: 1.0}, {1: 0.002, 2: 0.008})
    assert delete.transactions_per_cpu_s is not None
    assert delete.transactions_per_cpu_s.mean == pytest.approx(250.0)


def test_cells_are_held_against_the_same_load() -> None:
    cells = [
        Cell((("journal_mode", mode), ("clients", clients)))
        for mode in JOURNAL.levels
        for clients in CLIENTS.levels
    ]
    rounds = {1: 1.0, 2: 1.0}
    known = {cell: {1: {CPU: 1.0}, 2: {CPU: 1.0}} for cell in cells}
    found = cell_costs([JOURNAL, CLIENTS], [summary(cell, rounds) for cell in cells], known)
    assert [each.baseline for each in found] == [None, None, None, *cells[:3]]


def test_a_cell_without_a_part_in_the_question_is_a_multiple_of_its_own_baseline() -> None:
    levels = [("delete", "4"), ("wal", "4"), ("delete", "1")]
    cells = [Cell((("journal_mode", mode), ("clients", clients))) for mode, clients in levels]
    rounds = {1: 1.0, 2: 1.0}
    known = {cell: {1: {CPU: 1.0}, 2: {CPU: 1.0}} for cell in cells}
    clients = FactorLevels("clients", ("4", "1"), "load.clients")
    found = cell_costs([JOURNAL, clients], [summary(cell, rounds) for cell in cells], known)
    assert [each.baseline for each in found] == [None, cells[0], cells[0]]


def test_a_cost_without_an_interval_is_not_apart() -> None:
    _, wal = of({1: 2.0}, {1: 1.0})
    assert wal.costs[CPU].ratio is not None
    assert not wal.costs[CPU].is_apart


@pytest.mark.parametrize("rounds", [3, 6])
def test_intervals_of_ratios_hold_the_truth_through_slow_rounds(rounds: int) -> None:
    """A true 1.3 with noise of 5 % a trial, and rounds that differ by 30 %."""
    random = np.random.default_rng(51)
    held: list[bool] = []
    apart: list[bool] = []
    for _ in range(400):
        shock = random.normal(0, 0.3, rounds)
        noises = np.exp(random.normal(0, 0.05, (2, rounds)) + shock)
        ratio = cost_of(1.3 * noises[0], noises[1]).ratio
        assert ratio is not None
        assert ratio.low is not None
        assert ratio.high is not None
        held.append(ratio.low <= 1.3 <= ratio.high)
        apart.append(cost_of(noises[0], noises[1]).is_apart)
    # 400 experiments: a standard error of 1.1 %.
    assert 0.917 <= np.mean(held) <= 0.983
    assert np.mean(apart) <= 0.083


def cost_of(own: NDArray[np.float64], other: NDArray[np.float64]) -> Cost:
    first, second = (dict(enumerate(each.tolist(), start=1)) for each in (own, other))
    _, wal = of(first, second)
    return wal.costs[CPU]


def test_results_that_were_measured_apart_are_not_paired() -> None:
    """The rounds of the two have nothing in common: the ratio is that of Welch's test."""
    results = FactorLevels("result", ("old", "new"), RESULT_PATH)
    values = {"old": (1.0, 2.0, 4.0), "new": (2.0, 1.0, 4.0, 16.0)}
    cells = {name: Cell((("result", name),)) for name in values}
    by_round = {name: dict(enumerate(each, start=1)) for name, each in values.items()}
    known = {
        cells[name]: {number: {CPU: value} for number, value in each.items()}
        for name, each in by_round.items()
    }
    summaries = [summary(cells[name], dict.fromkeys(by_round[name], 100.0)) for name in values]
    _, new = cell_costs([results], summaries, known)
    expected = welch(np.log(values["new"]), np.log(values["old"]))
    ratio = new.costs[CPU].ratio
    assert ratio is not None
    assert expected is not None
    assert ratio.mean == pytest.approx(2**1.75 / 2)
    assert ratio.low == pytest.approx(1 + expected.low_percent / 100)


def test_a_cell_with_two_baselines_is_a_multiple_of_the_first() -> None:
    journal = FactorLevels(
        "journal_mode",
        ("delete", "wal", "off"),
        "server.journal_mode",
        against=(("off", "delete"), ("off", "wal")),
    )
    rounds = {1: 100.0, 2: 100.0}
    cells = [Cell((("journal_mode", level),)) for level in journal.levels]
    known: dict[Cell, dict[int, TrialCosts]] = {
        cell: {number: {CPU: cost} for number in rounds}
        for cell, cost in zip(cells, (1.0, 2.0, 6.0), strict=True)
    }
    *_, off = cell_costs([journal], [summary(cell, rounds) for cell in cells], known)
    ratio = off.costs[CPU].ratio
    assert off.baseline == cells[0]
    assert ratio is not None
    assert ratio.mean == pytest.approx(6.0)
