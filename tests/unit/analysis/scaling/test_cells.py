"""Which cells make a curve, and every reason for which the law is not told."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.scaling.cells import scaling_of
from dbdyno.analysis.scaling.law import Parameters
from dbdyno.analysis.scaling.model import PeakStanding, Refusal
from dbdyno.experiment.plan import Cell, FactorLevels, PlannedTrial
from dbdyno.protocol.workload_plan import WorkloadPlan
from tests.unit.analysis.compare.summaries import summary
from tests.unit.analysis.scaling.truths import (
    CLIENTS,
    TRUTH,
    factor_of,
    law,
    noisy,
    scaling,
    summaries_of,
)
from tests.unit.store.result_builder import TRIAL_PLAN, TrialScript, build_result, make_plan
from tests.unit.store.result_builder import trial_events as events_of

THROUGHPUT = noisy(np.random.default_rng(1), law(), rounds=4, noise=0.01)


def test_the_law_is_told_with_its_peak_curve_and_twice_the_most_clients() -> None:
    found = scaling(THROUGHPUT)
    assert (found.clients, found.rounds, found.refusal) == (CLIENTS, 4, None)
    assert found.law is not None
    assert found.law.contention.value == pytest.approx(0.03, rel=0.2)
    peak = found.law.peak
    assert peak.standing is PeakStanding.WITHIN
    assert peak.clients is not None
    assert peak.clients.low < TRUTH.peak_clients < peak.clients.high
    assert found.law.extrapolated.clients == found.told_to == 128
    places = [point.clients for point in found.law.curve]
    assert places == sorted(places)
    assert (places[0], places[-1]) == pytest.approx((1.0, 64.0))
    assert all(p.per_s.low <= p.per_s.value <= p.per_s.high for p in found.law.curve)


def test_the_same_figures_give_the_same_intervals() -> None:
    assert scaling(THROUGHPUT) == scaling(THROUGHPUT.copy())


def test_the_order_of_the_levels_changes_nothing() -> None:
    backwards = scaling(THROUGHPUT[:, ::-1], CLIENTS[::-1])
    assert backwards == scaling(THROUGHPUT)


def test_rounds_that_agree_to_the_digit_have_intervals_without_width() -> None:
    found = scaling(np.exp(np.tile(law(), (3, 1))))
    assert found.law is not None
    assert found.law.coherency.high == pytest.approx(found.law.coherency.low, rel=1e-6)


def test_five_numbers_of_clients_are_too_few() -> None:
    found = scaling(THROUGHPUT[:, :5], CLIENTS[:5])
    assert (found.refusal, found.law) == (Refusal.FEW_LEVELS, None)
    assert scaling(THROUGHPUT[:, 1:], CLIENTS[1:]).refusal is None


def test_two_rounds_are_too_few() -> None:
    assert scaling(THROUGHPUT[:2]).refusal is Refusal.FEW_ROUNDS


def test_a_number_of_clients_that_lacks_a_round_is_left_out() -> None:
    cells = summaries_of(THROUGHPUT)
    cells[2] = summary(cells[2].cell, dict(cells[2].throughput_by_round[:1]))
    (found,) = scaling_of([factor_of(CLIENTS)], cells, ())
    assert found.clients == (1, 2, 8, 16, 32, 64)
    assert found.refusal is None


def test_an_open_loop_has_no_law() -> None:
    cells = [replace(each, offered_per_s=500.0) for each in summaries_of(THROUGHPUT)]
    (found,) = scaling_of([factor_of(CLIENTS)], cells, ())
    assert found.refusal is Refusal.OPEN_LOOP


def test_clients_that_think_have_no_law() -> None:
    cells = [replace(each, always_asks=False) for each in summaries_of(THROUGHPUT)]
    (found,) = scaling_of([factor_of(CLIENTS)], cells, ())
    assert found.refusal is Refusal.WAITS


@pytest.mark.parametrize(
    ("text", "refusal"), [("\\sleep 10 ms\nSELECT 1;", Refusal.WAITS), ("SELECT 1;", None)]
)
def test_clients_whose_script_sleeps_have_no_law(text: str, refusal: Refusal | None) -> None:
    workload: WorkloadPlan = {"pgbench": {"scripts": [{"file": "own.sql", "text": text}]}}
    planned = PlannedTrial(
        number=1,
        round=1,
        cell=Cell((("clients", "4"),)),
        target="server",
        generator_plan=replace(TRIAL_PLAN, workload=workload),
    )
    (found,) = scaling_of([factor_of(CLIENTS)], summaries_of(THROUGHPUT), [planned])
    assert found.refusal is refusal


def test_a_round_in_which_nothing_was_done_has_no_logarithm() -> None:
    idle = THROUGHPUT.copy()
    idle[1, 3] = 0.0
    assert scaling(idle).refusal is Refusal.IDLE


def test_another_shape_is_refused_and_its_misfit_told() -> None:
    shape = np.log(np.where(np.array(CLIENTS) <= 8, 1000.0 * np.array(CLIENTS), 4000.0))
    found = scaling(noisy(np.random.default_rng(2), shape, rounds=4))
    assert (found.refusal, found.law) == (Refusal.BAD_FIT, None)
    assert found.misfit is not None
    assert found.misfit > 0.2


def test_throughput_that_only_grows_has_no_peak() -> None:
    linear = np.log(1000.0 * np.array(CLIENTS))
    assert scaling(noisy(np.random.default_rng(5), linear, 6)).refusal is Refusal.NO_BEND


@pytest.mark.parametrize(
    ("coherency", "standing"),
    [(1e-4, PeakStanding.EXTRAPOLATED), (1e-5, PeakStanding.BEYOND), (2.0, PeakStanding.BELOW)],
)
def test_a_peak_outside_of_what_was_measured_is_told_as_such(
    coherency: float, standing: PeakStanding
) -> None:
    curve = law(CLIENTS, Parameters(float(np.log(1000)), 0.03, coherency))
    found = scaling(noisy(np.random.default_rng(4), curve, 4, noise=1e-4))
    assert found.law is not None
    assert found.law.peak.standing is standing
    has_figures = standing is PeakStanding.EXTRAPOLATED
    assert (found.law.peak.clients is not None) == has_figures


def test_what_leaves_out_a_level_widens_the_extrapolation_alone() -> None:
    """Rounds that agree say nothing of whether the law holds further on."""
    bent = law() + np.array([0.0, 0.02, -0.02, 0.0, 0.02, -0.02, 0.01])
    found = scaling(np.exp(np.tile(bent, (3, 1))))
    assert found.law is not None
    end, beyond = found.law.curve[-1].per_s, found.law.extrapolated.per_s
    assert end.high / end.low == pytest.approx(1.0, abs=1e-6)
    assert beyond.high / beyond.low > 1.02


def test_each_combination_of_other_factors_has_a_curve_of_its_own(tmp_path: Path) -> None:
    factors = [
        FactorLevels("pool", ("16M", "64M"), "server.innodb_buffer_pool_size"),
        factor_of((1, 2, 4, 8, 16, 32)),
    ]

    def change(script: TrialScript) -> None:
        count = int(script.planned.cell.level("clients"))
        pool = script.planned.cell.level("pool")
        rate = float(np.exp(law([count])[0])) if pool == "16M" else 1000.0 * count
        script.events = events_of([round(rate / 10) + script.planned.round] * 12)
        script.generator_plan = copy.deepcopy(script.generator_plan)

    found = analyse(build_result(tmp_path / "r", make_plan(factors), change)).scaling
    assert [each.others.label() for each in found] == ["pool=16M", "pool=64M"]
    assert [each.refusal for each in found] == [None, Refusal.NO_BEND]


def test_without_a_factor_of_clients_there_is_nothing_to_tell() -> None:
    factors = [FactorLevels("rate", tuple(map(str, CLIENTS)), "load.rate")]
    assert scaling_of(factors, (), ()) == ()
