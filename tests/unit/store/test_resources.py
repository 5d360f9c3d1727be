"""Resources are stored on the trial's clock, and those of earlier results are read on."""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest

from dbdyno.errors import InputError
from dbdyno.facts.host import HostFacts
from dbdyno.protocol.events import Started, WindowStart, read_event
from dbdyno.protocol.intervals import Interval
from dbdyno.resources import HOST, SERVER
from dbdyno.store.model import ResourcesZero, StoredTrial
from dbdyno.store.reader import read_result
from dbdyno.store.trial_clock import TrialClock
from dbdyno.store.writer import ResultWriter
from tests.unit.store.resource_rows import IDLE_HOST, resource_table
from tests.unit.store.result_builder import GENERATOR_PLAN, make_plan, trial_events

WIDE = {
    "time_s": [101.0, 102.0],
    "duration_s": [1.0, 1.0],
    **{f"host_cpu_{kind}_s": [0.5, 0.25] for kind in ("user", "system", "interrupt", "iowait")},
    **{f"host_cpu_{kind}_s": [0.0, 0.125] for kind in ("steal", "idle")},
    "host_swap_in_bytes": [0, 4096],
    "host_swap_out_bytes": [0, 0],
    "server_threads": [None, 3],
    "host_something_new": [1, 1],
}
"""Two seconds as version 1 of the format has them."""


def store(directory: Path, resources: pl.DataFrame) -> Path:
    """Store one trial, and return where its resources are."""
    plan = make_plan(rounds=1)
    result = ResultWriter.create(directory, experiment_text="", plan=plan, host=HostFacts())
    trial = result.begin(plan.trials[0], json.dumps(GENERATOR_PLAN).encode(), server={}, dataset={})
    trial.finish(resources=resources)
    result.close()
    return directory / "trials" / "0001" / "resources.parquet"


def write_wide(path: Path, **changes: list[object]) -> None:
    content = io.BytesIO()
    pl.DataFrame(WIDE | changes).write_parquet(content)
    path.write_bytes(content.getvalue())


def only_trial(directory: Path) -> StoredTrial:
    return read_result(directory).trials[0]


def test_the_window_begins_where_the_soonest_interval_says() -> None:
    """Of three intervals that arrive 30, 10 and 20 ms after their end, the second counts."""
    clock = TrialClock()
    intervals = [event for event in trial_events([10, 10, 10]) if event["event"] == "interval"]
    for event, late_s in zip(intervals, (0.03, 0.01, 0.02), strict=False):
        told = read_event(event)
        assert isinstance(told, Interval)
        clock.take(told, 500.0 + told.end_s + late_s)
    assert clock.zero is ResourcesZero.FIRST_INTERVAL
    resources = resource_table([IDLE_HOST]).with_columns(start_s=pl.lit(498.0))
    assert clock.aligned(resources)["start_s"].to_list() == pytest.approx(
        [-2.01] * resources.height
    )


def test_the_window_begins_where_the_generator_says_it_does() -> None:
    clock = TrialClock()
    clock.take(Started(window_start=WindowStart(unix_ns=1, monotonic_ns=500 * 10**9)), 498.0)
    for event in trial_events([10]):
        told = read_event(event)
        if isinstance(told, Interval):
            clock.take(told, 700.0)
    assert clock.zero is ResourcesZero.WINDOW_START
    resources = resource_table([IDLE_HOST]).with_columns(start_s=pl.lit(498.0))
    assert clock.aligned(resources)["start_s"].to_list() == [-2.0] * resources.height


def test_without_an_interval_it_counts_from_the_first_reading(tmp_path: Path) -> None:
    later = resource_table([IDLE_HOST, IDLE_HOST]).with_columns(pl.col("start_s") + 1000.0)
    store(tmp_path / "r", later)
    trial = only_trial(tmp_path / "r")
    assert trial.resources is not None
    assert sorted(set(trial.resources["start_s"])) == [0.0, 1.0]
    assert trial.resources_zero is ResourcesZero.WATCH_START


def test_a_table_of_version_1_is_read(tmp_path: Path) -> None:
    path = store(tmp_path / "r", resource_table([IDLE_HOST]))
    write_wide(path)
    table = only_trial(tmp_path / "r").resources
    assert table is not None
    rows = table.drop("host", "member").rows()
    assert (HOST, "cpu.user_s", 0.0, 1.0, 0.5) in rows
    assert (HOST, "cpu.idle_s", 1.0, 1.0, 0.125) in rows
    assert (HOST, "swap.in_bytes", 1.0, 1.0, 4096.0) in rows
    assert [row for row in rows if row[0] == SERVER] == [(SERVER, "process.threads", 1.0, 1.0, 3.0)]
    assert len(rows) == 2 * 8 + 1
    assert table["start_s"].is_sorted()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"host_cpu_steal_s": ["x", "y"]}, "its column host_cpu_steal_s should be Float64"),
        ({"time_s": [1.0, None]}, "its column time_s has rows without a value"),
        ({"host_swap_in_bytes": [-1, 0]}, "its column host_swap_in_bytes has a count below 0"),
    ],
)
def test_a_damaged_table_of_version_1_is_refused(
    tmp_path: Path, changes: dict[str, list[object]], words: str
) -> None:
    path = store(tmp_path / "r", resource_table([IDLE_HOST]))
    write_wide(path, **changes)
    with pytest.raises(InputError, match=words):
        read_result(tmp_path / "r")


def test_a_result_of_version_1_that_goes_on_is_of_this_version(tmp_path: Path) -> None:
    store(tmp_path / "r", resource_table([IDLE_HOST]))
    format_file = tmp_path / "r" / "format.json"
    format_file.write_text('{"format": "dbdyno-result", "version": 1, "dbdyno": "0.1.0"}')
    read_result(tmp_path / "r")
    result = ResultWriter.open(tmp_path / "r")
    assert json.loads(format_file.read_text())["version"] == 1
    plan = json.dumps(GENERATOR_PLAN).encode()
    result.begin(result.plan.trials[0], plan, server={}, dataset={}).finish()
    result.close()
    assert json.loads(format_file.read_text())["version"] == 2
