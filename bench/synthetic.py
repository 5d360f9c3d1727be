"""A result as a long experiment would leave it, written by the real writer, of invented figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.unit.store.result_builder import (
    TrialScript,
    build_result,
    histogram,
    make_plan,
    trial_events,
    window_of,
)

from dbdyno.experiment.plan import FactorLevels

LEVELS = ("1", "8", "64", "256")

TRANSACTIONS_PER_INTERVAL = 500


def write_result(directory: Path, *, rounds: int, intervals: int) -> None:
    """Write ``len(LEVELS) * rounds`` trials, each with ``intervals`` of one second."""
    random = np.random.default_rng(1)

    def change(script: TrialScript) -> None:
        level = LEVELS.index(script.planned.cell.level("clients"))
        mean_per_s = TRANSACTIONS_PER_INTERVAL * (1.0 + 0.1 * level)
        committed = random.normal(mean_per_s, 0.05 * mean_per_s, intervals).astype(int)
        script.generator_plan["duration_s"] = float(intervals)
        script.events = trial_events(committed.tolist())
        for event in window_of(script.events):
            for transaction in event["transactions"].values():
                # The reader counts that each transaction that ended has its times.
                times = histogram(random.lognormal(2.0, 0.5, transaction["committed"]).tolist())
                transaction["response"] = transaction["service"] = times

    factor = FactorLevels("clients", LEVELS, "load.clients")
    build_result(directory, make_plan([factor], rounds=rounds), change)
