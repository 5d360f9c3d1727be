"""The number of clients at which throughput was highest, with known truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analysis.compare.metric import MetricName
from dbdyno.analysis.compare.peaks import MeasuredPeak, find_peaks
from dbdyno.analysis.findings import CellSummary
from dbdyno.experiment.plan import Cell

from .summaries import CLIENTS, JOURNAL, summary

ROUNDS = range(1, 6)
OF_LEVEL = {"delete": {"1": 100.0, "4": 300.0, "16": 240.0}, "wal": {"1": 90.0, "4": 310.0}}
"""Throughput by clients: of delete, 16 have four fifths of what 4 have."""


def cells_of(
    random: np.random.Generator, deviation: float = 0.0, resolution: float = 0.0
) -> list[CellSummary]:
    """Return cells whose machine has another speed in each round, the same for all of them."""
    drift = np.exp(random.normal(0, 0.3, len(ROUNDS)))
    made = []
    for journal, rates in OF_LEVEL.items():
        for clients, rate in rates.items():
            cell = Cell((("journal_mode", journal), ("clients", clients)))
            noise = np.exp(random.normal(0, deviation, len(ROUNDS)))
            by_round = dict(zip(ROUNDS, rate * drift * noise, strict=True))
            made.append(summary(cell, by_round, resolution={MetricName.THROUGHPUT: resolution}))
    return made


def peaks(cells: list[CellSummary]) -> list[MeasuredPeak]:
    return list(find_peaks(cells, [JOURNAL, CLIENTS]))


def test_the_fall_from_the_peak_is_paired_by_round() -> None:
    """What slows whole rounds is not in it; a series of two loads has no peak."""
    (found,) = peaks(cells_of(np.random.default_rng(1), 1e-9))
    assert [each.cell.label() for each in (found.best, found.last)] == [
        "journal_mode=delete, clients=4",
        "journal_mode=delete, clients=16",
    ]
    assert found.change is not None
    assert found.change.percent == pytest.approx(-20, abs=1e-4)
    assert found.change.high_percent - found.change.low_percent < 1e-3


def test_the_most_clients_are_the_last_whatever_the_order_of_levels() -> None:
    turned = replace(CLIENTS, levels=tuple(reversed(CLIENTS.levels)))
    (found,) = find_peaks(cells_of(np.random.default_rng(1)), [JOURNAL, turned])
    assert found.last.cell.level("clients") == "16"


def test_its_interval_holds_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(2)
    found = [each for _ in range(2000) for each in peaks(cells_of(random, 0.02))]
    changes = [each.change for each in found if each.best.cell.level("clients") == "4"]
    held = [each.low_percent <= -20 <= each.high_percent for each in changes if each]
    assert len(held) == 2000
    assert abs(np.mean(held) - 0.95) < 0.015  # Three standard errors.


def test_figures_known_roughly_give_no_certain_fall() -> None:
    """Counts of few transactions are equal by chance."""
    (found,) = peaks(cells_of(np.random.default_rng(3), 0.0, resolution=0.05))
    assert found.change is not None
    assert found.change.low_percent < -22
    assert found.change.high_percent > -18


def test_a_peak_at_the_highest_load_has_no_fall() -> None:
    cells = [
        each for each in cells_of(np.random.default_rng(4)) if each.cell.level("clients") != "16"
    ]
    more = summary(
        Cell((("journal_mode", "delete"), ("clients", "16"))), dict.fromkeys(ROUNDS, 9000.0)
    )
    (found,) = peaks([*cells, more])
    assert found.best is found.last is more
    assert found.change is None


def test_nothing_has_no_ratio() -> None:
    stopped = Cell((("journal_mode", "delete"), ("clients", "16")))
    cells = [each for each in cells_of(np.random.default_rng(5)) if each.cell != stopped]
    (found,) = peaks([*cells, summary(stopped, {1: 0.0, 2: 0.0})])
    assert found.change is None
