"""Steadiness of trials and cells, by hand and by simulation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.series import blocks_of
from dbdyno.analysis.steadiness.cells import cell_steadiness
from dbdyno.analysis.steadiness.model import CellSteadiness, Dip, ServerEvent, TrialSteadiness
from dbdyno.analysis.steadiness.trial_steadiness import MOST_DIPS, steadiness_of
from dbdyno.analysis.window_resources import WindowSeries
from dbdyno.analysis.window_totals import WindowTotals, measure
from dbdyno.experiment.plan import Cell
from dbdyno.resources import LOCAL_HOST, SCHEMA, SERVER
from dbdyno.store.model import StoredTrial
from tests.unit.analysis.compare.summaries import summary
from tests.unit.analysis.simulated import Truth, heavy_tailed_noise, result
from tests.unit.store.result_builder import TrialScript, build_result, make_plan, trial_events

DIPPING = (100, 100, 40, 20, 100, 100, 100, 100, 100, 0, 100, 100)
"""One dip of two seconds, and one of a second."""


def trial_of(directory: Path, throughput: tuple[int, ...]) -> StoredTrial:
    def change(script: TrialScript) -> None:
        script.events = trial_events(throughput)
        script.generator_plan["duration_s"] = float(len(throughput))

    (trial,) = build_result(directory / "r", make_plan(rounds=1), change).trials
    return trial


def steady(measured: WindowTotals, watched: WindowSeries | None = None) -> TrialSteadiness:
    found = steadiness_of(measured, measured.whole_throughput_per_s, watched)
    assert found is not None
    return found


def counted(metric: str, *seconds: float, of: int = 12) -> WindowSeries:
    """Return readings of a second, of which these counted something."""
    rows = [
        (SERVER, SERVER, LOCAL_HOST, metric, float(at), 1.0, 1.0 if at in seconds else 0.0)
        for at in range(of)
    ]
    table = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return WindowSeries(0.0, float(of), blocks_of(table))


def test_dips_are_runs_below_half_of_the_median(tmp_path: Path) -> None:
    found = steady(measure(trial_of(tmp_path, DIPPING)))
    assert (found.dip_count, found.dipped_s, found.observed_s) == (2, 3.0, 12.0)
    long, short = found.dips
    assert (long.start_s, long.duration_s, long.lowest_share) == (2.0, 2.0, 0.2)
    assert long.lost_s == pytest.approx(0.6 + 0.8)
    assert (short.start_s, short.duration_s, short.lowest_share) == (9.0, 1.0, 0.0)
    assert short.lost_s == pytest.approx(1.0)


def test_half_of_the_median_itself_is_no_dip(tmp_path: Path) -> None:
    rates = (100,) * 11 + (50,)
    assert steady(measure(trial_of(tmp_path, rates))).dip_count == 0


def test_a_dip_may_begin_or_end_with_the_window(tmp_path: Path) -> None:
    rates = (10, *((100,) * 10), 10)
    found = steady(measure(trial_of(tmp_path, rates)))
    assert [dip.start_s for dip in found.dips] == [0.0, 11.0]


def test_spread_and_variation_are_those_of_the_intervals(tmp_path: Path) -> None:
    rates = tuple(range(90, 111))
    found = steady(measure(trial_of(tmp_path, rates)))
    assert (found.p5_share, found.p95_share) == pytest.approx((0.91, 1.09))
    assert found.variation == pytest.approx(np.std(rates, ddof=1) / 100)
    assert found.change_share == pytest.approx(0.2)


def test_events_stand_beside_the_dip_that_they_overlap(tmp_path: Path) -> None:
    measured = measure(trial_of(tmp_path, DIPPING))
    watched = counted("postgresql.checkpoints_requested", 3.0)
    long, short = steady(measured, watched).dips
    assert long.events == (ServerEvent.CHECKPOINT_REQUESTED,)
    assert short.events == ()


def test_a_reading_that_ends_where_a_dip_begins_is_not_beside_it(tmp_path: Path) -> None:
    measured = measure(trial_of(tmp_path, DIPPING))
    long, _ = steady(measured, counted("postgresql.autovacuum_runs", 1.0, 4.0)).dips
    assert long.events == ()


def test_what_is_counted_all_the_time_is_beside_no_dip(tmp_path: Path) -> None:
    measured = measure(trial_of(tmp_path, DIPPING))
    seldom = counted("innodb.flush_sync_waits", 2.0, 3.0)
    always = counted("innodb.flush_sync_waits", *map(float, range(1, 9)))
    assert steady(measured, seldom).dips[0].events == (ServerEvent.FLUSH_WAIT,)
    assert steady(measured, always).dips[0].events == ()


def test_too_few_intervals_say_nothing(tmp_path: Path) -> None:
    measured = measure(trial_of(tmp_path, (100,) * 9))
    assert steadiness_of(measured, measured.whole_throughput_per_s, None) is None


def test_a_trial_that_is_idle_for_the_most_has_no_median(tmp_path: Path) -> None:
    measured = measure(trial_of(tmp_path, (0,) * 8 + (100,) * 4))
    assert steadiness_of(measured, measured.whole_throughput_per_s, None) is None


def test_of_many_dips_the_worst_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    rates = (0, 100, 100) * 12 + (100,) * 12
    found = steady(measure(trial_of(tmp_path, rates)))
    assert (found.dip_count, len(found.dips)) == (12, MOST_DIPS)


def test_a_cell_is_told_over_its_trials() -> None:
    cell = Cell((("clients", "4"),))
    one = TrialSteadiness(0.1, 0.8, 1.1, 0.02, (dip(1, 3.0), dip(1, 2.0)), 2, 4.0, 20.0)
    other = TrialSteadiness(0.4, 0.6, 1.3, 0.06, (), 0, 0.0, 20.0)
    found = cell_steadiness([summary(cell, {1: 1.0, 2: 1.0})], {cell: [one, other]})
    (told,) = found.cells
    assert told.variation.mean == pytest.approx(0.2)
    assert (told.p5_share, told.p95_share) == pytest.approx((0.7, 1.2))
    assert (told.dips, told.trials_with_dips, told.dipped_share) == (2, 1, 0.1)
    assert told.change_share == pytest.approx(0.04)
    # Student's t of one degree of freedom is 12.706, the standard error 0.02.
    assert told.change_low == pytest.approx(0.04 - 12.706 * 0.02, rel=1e-3)
    assert not told.is_changing


def dip(trial: int, lost_s: float) -> Dip:
    return Dip(trial, 0.0, 1.0, 0.1, lost_s)


def test_the_ten_worst_dips_of_all_trials_are_listed_and_the_rest_counted() -> None:
    cell = Cell((("clients", "4"),))
    base = TrialSteadiness(0.1, 0.8, 1.1, 0.0, (), 0, 0.0, 20.0)
    trials = [
        replace(base, dips=tuple(dip(n, 10.0 * n + k) for k in range(4)), dip_count=7)
        for n in range(1, 5)
    ]
    found = cell_steadiness([summary(cell, {1: 1.0})], {cell: trials})
    lost = [each.lost_s for _, each in found.worst]
    assert len(lost) == 10
    assert lost == sorted(lost, reverse=True)
    assert lost[0] == 43.0
    assert found.unlisted == 28 - 10


def test_trends_of_correlated_noise_are_seldom_told_and_real_ones_are() -> None:
    """AR(1) of 8 % with correlation 0.6, five trials of 60 s: the trial is the unit."""
    random = np.random.default_rng(61)
    false, found = 0, 0
    for _ in range(100):
        noises = [np.exp(heavy_tailed_noise(random, 60, 0.6, 0.08)) for _ in range(5)]
        false += changing(noises)
        found += changing([each * np.linspace(1.2, 0.8, 60) for each in noises])
    # 5 % of 100, with a standard error of 2.2 %.
    assert false <= 11
    assert found >= 95


def changing(rates: list[np.ndarray]) -> bool:
    measured = measure(result(Truth(rounds=1, intervals=60), seed=1).trials[0])
    known = [steadiness_of(measured, each, None) for each in rates]
    cell = Cell(())
    trials = [each for each in known if each is not None]
    (told,) = cell_steadiness([summary(cell, {1: 1.0})], {cell: trials}).cells
    assert isinstance(told, CellSteadiness)
    return told.is_changing


def test_a_report_has_the_costs_and_the_steadiness_of_its_cells() -> None:
    findings = analyse(result(Truth(rounds=3), seed=1))
    assert len(findings.steadiness.cells) == len(findings.cells)
    assert len(findings.costs) == len(findings.cells)
    assert all(each.trials == 3 for each in findings.steadiness.cells)
