"""What the trials of a search have measured, as the search asks for it."""

from __future__ import annotations

import math
from collections import defaultdict

from dbdyno.experiment.design.search import Point
from dbdyno.experiment.plan import CLIENTS_FACTOR, CLOSED_LOOP, RATE_FACTOR, Cell
from dbdyno.store.layout import Phase
from dbdyno.store.model import StoredResult, StoredTrial, TrialStatus
from dbdyno.times import merge_all, quantile_ms

FINISHED = ("committed", "rolled_back")


def search_points(result: StoredResult) -> dict[Cell, list[Point]]:
    """Return the points by combination of the other factors' levels, in the plan's order.

    A trial that failed is a point, too: clients that the server cannot bear are no knee.
    """
    search = result.plan.search
    points: dict[Cell, list[Point]] = defaultdict(list)
    for trial in result.trials:
        levels = dict(trial.planned.cell.levels)
        if search is None or trial.status is TrialStatus.INTERRUPTED:
            continue
        if levels.get(RATE_FACTOR, CLOSED_LOOP) == CLOSED_LOOP:
            others = tuple(
                (name, level)
                for name, level in trial.planned.cell.levels
                if name not in (CLIENTS_FACTOR, RATE_FACTOR)
            )
            clients = int(levels[CLIENTS_FACTOR])
            points[Cell(others)].append(_point(trial, clients, search.quantile))
    return points


def _point(trial: StoredTrial, clients: int, quantile: float | None) -> Point:
    rows = trial.intervals.filter(phase=Phase.WINDOW)
    window_s = float(trial.generator.filter(phase=Phase.WINDOW)["duration_s"].sum())
    if trial.status is not TrialStatus.COMPLETED or not window_s:
        return Point(clients, 0.0)
    throughput_per_s = sum(int(rows[name].sum()) for name in FINISHED) / window_s
    return Point(clients, throughput_per_s, _response_s(trial, quantile))


def _response_s(trial: StoredTrial, quantile: float | None) -> float:
    """Return the quantile of all response times; infinite where nothing is known of it."""
    if quantile is None:
        return math.inf
    parts = (trial.histograms, trial.drained)
    found_ms = quantile_ms(
        merge_all(
            histogram
            for part in parts
            for (_, measure), histogram in part.items()
            if measure == "response"
        ),
        quantile,
    )
    return math.inf if found_ms is None else found_ms / 1000
