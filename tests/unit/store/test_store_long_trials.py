"""A trial of eight hours takes little more memory than one of minutes: its tables of figures."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

from dbdyno.facts.host import HostFacts
from dbdyno.store.writer import ResultWriter
from tests.unit.store.result_builder import (
    GENERATOR_PLAN,
    heard,
    histogram,
    interval,
    make_plan,
    transaction,
)

KINDS = ("new_order", "payment", "order_status", "delivery", "stock_level")
SHORT, LONG = 120, 360
GROWTH_BYTES_MAX = 2000
"""For each interval more. One event alone is four times as long."""


def peak_of_conversion(directory: Path, intervals: int) -> tuple[int, int]:
    """Return what Python holds at most while a trial is finished, and the size of one event."""
    plan = make_plan(rounds=1)
    result = ResultWriter.create(directory, experiment_text="", plan=plan, host=HostFacts())
    # Times of three orders of magnitude: their histogram is as long as real ones are.
    text = histogram([1.005**step for step in range(1400)])
    counts = transaction(1400, response=text, service=text, lag=text)
    event = interval("window", 0, dict.fromkeys(KINDS, counts))
    trial = result.begin(plan.trials[0], json.dumps(GENERATOR_PLAN).encode(), server={}, dataset={})
    for second in range(intervals):
        trial.event(heard(event | {"index": second, "start_s": float(second)}))
    tracemalloc.start()
    try:
        trial.finish()
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    result.close()
    return peak_bytes, len(json.dumps(event))


def test_events_are_not_held_while_tables_are_made_of_them(tmp_path: Path) -> None:
    short_bytes, event_bytes = peak_of_conversion(tmp_path / "short", SHORT)
    long_bytes, _ = peak_of_conversion(tmp_path / "long", LONG)
    assert event_bytes > 4 * GROWTH_BYTES_MAX
    assert (long_bytes - short_bytes) / (LONG - SHORT) < GROWTH_BYTES_MAX
