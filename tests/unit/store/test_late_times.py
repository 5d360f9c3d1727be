"""Times that come late belong to the interval in which their transaction was scheduled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dbdyno._native import Histogram
from dbdyno.analysis.analyse import analyse
from dbdyno.store.histogram_log import read_histogram_log
from dbdyno.store.model import StoredResult
from dbdyno.store.reader import read_result
from tests.unit.store.result_builder import (
    TrialScript,
    build_result,
    histogram,
    make_plan,
    transaction,
    trial_events,
)

KIND = "oltp_read_write"
SLOW_MS, FAST_MS = 3000.0, 5.0


def times(count: int, ms: float) -> dict[str, str]:
    return {measure: histogram([ms] * count) for measure in ("response", "service", "lag")}


def late(index: int, count: int, phase: str = "window", ms: float = SLOW_MS) -> dict[str, Any]:
    return {"index": index, "phase": phase, "transactions": {KIND: times(count, ms)}}


def stalled_at_the_end(script: TrialScript) -> None:
    """Offer 100 a second for 4 s to a server that stands still from 3 s on and ends them after."""
    script.generator_plan["arrivals"] = {"constant": {"rate_per_s": 100.0}}
    script.events = trial_events([100, 100, 99, 0])
    third, last, drain = *script.window[2:], script.events[-2]
    third["transactions"][KIND] |= {"scheduled": 100, "in_flight": 9} | times(98, FAST_MS)
    third["late"] = [late(1, 1, ms=40.0)]
    last["transactions"][KIND] |= {"scheduled": 100, "in_flight": 109} | times(0, FAST_MS)
    drain["transactions"][KIND] |= {"committed": 109} | times(0, FAST_MS)
    drain["late"] = [late(3, 100), late(2, 2, ms=1000.0), late(-1, 7, "warmup")]


@pytest.fixture
def result(tmp_path: Path) -> StoredResult:
    return build_result(tmp_path / "r", make_plan(rounds=1), stalled_at_the_end)


def test_a_stall_at_the_end_is_in_the_windows_times(result: StoredResult) -> None:
    response = result.trials[0].histograms[KIND, "response"]
    # One of the second interval ended in the third; none of the last one ended within it.
    assert response.count == 100 + 101 + 100 + 100
    assert response.quantile_ns(0.99) == pytest.approx(SLOW_MS * 1e6, rel=1e-3)
    assert result.trials[0].drained == {}


def test_each_interval_has_the_times_of_what_was_scheduled_in_it(result: StoredResult) -> None:
    percentiles = result.trials[0].interval_percentiles
    assert percentiles["response_max_ms"].to_list() == pytest.approx(
        [20.0, 40.0, 1000.0, SLOW_MS], rel=1e-3
    )
    lines = read_histogram_log(result.directory / "trials/0001/histograms.hlog")
    counts = {
        line.start_s: Histogram.decode(line.text).count
        for line in lines
        if line.tag == f"{KIND}.response"
    }
    assert counts == {-2.0: 100, -1.0: 107, 0.0: 100, 1.0: 101, 2.0: 100, 3.0: 100, 4.0: 0}


def test_throughput_stays_by_completion(result: StoredResult) -> None:
    assert result.trials[0].intervals.filter(phase="window")["committed"].to_list() == [
        *(100, 100, 99, 0),
    ]


def test_a_closed_loop_keeps_what_was_under_way_at_the_end_of_the_window(tmp_path: Path) -> None:
    """Eight clients wait for a server that stands still in the window's last three seconds."""

    def change(script: TrialScript) -> None:
        script.events = trial_events([100] * 9 + [0] * 3)
        script.events[-2]["transactions"][KIND] |= times(8, SLOW_MS)

    result = build_result(tmp_path / "r", make_plan(rounds=1), change)
    assert result.trials[0].histograms[KIND, "response"].count == 900
    assert result.trials[0].drained[KIND, "response"].count == 8
    (cell,) = analyse(result).cells
    assert cell.response[KIND].count == 908
    assert cell.response[KIND].max_ms == pytest.approx(SLOW_MS, rel=1e-3)


def test_what_failed_is_kept_apart_and_with_the_rest(tmp_path: Path) -> None:
    """Nine of a thousand time out after a minute: the p99 of those that were committed is clean."""

    def change(script: TrialScript) -> None:
        script.events = trial_events([991])
        counts = transaction(991, scheduled=1000, failed=9, failed_response=histogram([60e3] * 4))
        script.window[0]["transactions"][KIND] = counts
        script.events[-2]["late"] = [
            {
                "index": 0,
                "phase": "window",
                "transactions": {KIND: {"failed_response": histogram([60e3] * 5)}},
            }
        ]

    result = build_result(tmp_path / "r", make_plan(rounds=1), change)
    assert result.trials[0].histograms[KIND, "failed_response"].count == 9
    (cell,) = analyse(result).cells
    assert cell.response[KIND].p99_ms == pytest.approx(20.0, rel=1e-3)
    assert cell.failed_response[KIND].count == 9
    assert cell.failed_response[KIND].p50_ms == pytest.approx(60e3, rel=1e-3)
    assert cell.asked_response[KIND].count == 991 + 8 + 9
    assert cell.asked_response[KIND].p999_ms == pytest.approx(60e3, rel=1e-3)


def test_gaps_and_pauses_are_kept_and_not_made_up(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.events = trial_events([100, 100])
        script.window[1]["longest_gap_s"] = 1.5
        script.window[1]["generator"] |= {"longest_pause_s": 0.25, "paused_s": 0.5}

    trial = build_result(tmp_path / "r", make_plan(rounds=1), change).trials[0]
    told = trial.generator.filter(phase="window").select(
        "longest_gap_s", "longest_pause_s", "paused_s"
    )
    assert told.rows() == [(None, None, None), (1.5, 0.25, 0.5)]


def test_a_result_of_before_is_read_without_what_it_does_not_know(tmp_path: Path) -> None:
    """Columns that came later are not there, nor are the window's lines of the drain."""
    build_result(tmp_path / "r", make_plan(rounds=1))
    folder = tmp_path / "r/trials/0001"
    new = {
        "intervals": ["failed_response_overflow", "response_count", "failed_response_count"],
        "generator": [
            *("longest_gap_s", "longest_pause_s", "paused_s"),
            *("clock_clamps", "naps", "napped_s"),
        ],
    }
    for name, columns in new.items():
        path = folder / f"{name}.parquet"
        pl.read_parquet(path).drop(columns).write_parquet(path)
    lines = (folder / "window.hlog").read_text().splitlines(keepends=True)
    (folder / "window.hlog").write_text(
        "".join(line for line in lines if ",12.000,1.000," not in line)
    )
    result = read_result(tmp_path / "r")
    (cell,) = analyse(result).cells
    assert result.trials[0].drained == {}
    assert (cell.response[KIND].count, cell.asked_response) == (1200, {})


def test_a_warm_up_that_ended_early_counts_from_the_window_as_it_began(tmp_path: Path) -> None:
    """It was planned with 60 s, and the window began 55 s earlier; the generator counts from 60."""

    def change(script: TrialScript) -> None:
        script.events = trial_events([100] * 4)
        for event in script.events:
            if event.get("phase") == "warmup":
                event |= {"index": event["index"] - 55, "start_s": event["start_s"] - 55.0}
        script.events[4]["late"] = [late(-56, 7, "warmup")]
        planned, moved = ({"unix_ns": at, "monotonic_ns": at} for at in (60 * 10**9, 5 * 10**9))
        warmup = {"event": "warmup", "ended": "steady", "duration_s": 5.0, "change": None}
        early = {"early_intervals": 55, "early_s": 55.0, "window_start": moved}
        script.events.insert(1, {"event": "started", "window_start": planned})
        script.events.insert(4, warmup | early)

    result = build_result(tmp_path / "r", make_plan(rounds=1), change)
    (trial,) = result.trials
    assert trial.intervals["start_s"].to_list() == [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0]
    assert trial.intervals["index"].to_list() == [-2, -1, 0, 1, 2, 3, 4]
    assert trial.intervals["response_count"].to_list()[:3] == [100, 107, 100]
    assert trial.warmup is not None
    assert (trial.warmup.ended, trial.warmup.duration_s) == ("steady", 5.0)
    record = json.loads((result.directory / "trials/0001/trial.json").read_text())
    assert record["window_start"]["monotonic_ns"] == 5 * 10**9
    assert record["warmup"]["early_intervals"] == 55
