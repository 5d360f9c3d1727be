"""What was used in a window: means by time, percentiles of intervals, and nothing made up."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.usage import Resource, UsageKey, usage_of
from dbdyno.analysis.window_totals import measure
from dbdyno.resources import CPU_TIMES, GENERATOR, HOST, LOCAL_HOST, SCHEMA, SERVER
from tests.unit.store.result_builder import TrialScript, build_result, make_plan

WINDOW_S = 12


def key(resource: Resource, device: str = "", member: str = "") -> UsageKey:
    return UsageKey(LOCAL_HOST, member, device, resource)


def rows_of(second: float, figures: dict[tuple[str, str, str], float]) -> list[tuple[object, ...]]:
    return [
        (member, role, LOCAL_HOST, metric, second, 1.0, value)
        for (member, role, metric), value in figures.items()
    ]


def used(script: TrialScript) -> None:
    """Use what grows from second to second; warm-up and drain would spoil all of it."""
    rows = []
    for second in range(-2, WINDOW_S + 2):
        share = 1.0 if 0 <= second < WINDOW_S else 1000.0
        times = dict.fromkeys((("", HOST, name) for name in CPU_TIMES), 0.0)
        requests = 0.0 if second == 3 else 10.0 * share
        rows += rows_of(
            float(second),
            times
            | {
                ("", HOST, "cpu.user_s"): 1.0 * share,
                ("", HOST, "cpu.idle_s"): 2.5,
                ("", HOST, "cpu.steal_s"): 0.5,
                ("", HOST, "cpu.busiest_share"): second / WINDOW_S * share,
                ("", HOST, "pressure.io_some_s"): 0.25 * share,
                ("", HOST, "memory.available_bytes"): (100.0 - second) * share,
                ("", HOST, "disk[vda].read_bytes"): 1e6 * share,
                ("", HOST, "disk[vda].write_bytes"): second * 1e6 * share,
                ("", HOST, "disk[vda].reads"): requests,
                ("", HOST, "disk[vda].writes"): requests,
                ("", HOST, "disk[vda].read_wait_s"): 0.01 * requests,
                ("", HOST, "disk[vda].write_wait_s"): 0.03 * requests,
                ("", HOST, "network[a.b].send_bytes"): 5e6 * share,
                ("server", SERVER, "process.cpu_user_s"): 0.5 * share,
                ("server", SERVER, "process.cpu_system_s"): 0.25 * share,
                ("generator", GENERATOR, "process.cpu_user_s"): 0.1 * share,
            },
        )
    told = {"event": "started", "window_start": {"unix_ns": 1, "monotonic_ns": 0}}
    script.events.insert(1, told)
    script.resources = pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_means_and_percentiles_are_of_the_window(tmp_path: Path) -> None:
    findings = analyse(build_result(tmp_path / "r", make_plan(rounds=2), used))
    (usage,) = findings.usage.values()
    mean = {each: found.mean for each, found in usage.items()}
    assert mean == pytest.approx(
        {
            key(Resource.CPU_CORES): 1.0,
            key(Resource.CPU_COUNT): 4.0,
            key(Resource.BUSIEST_CPU_SHARE): 5.5 / 12,
            key(Resource.STOLEN_SHARE): 0.125,
            key(Resource.IO_PRESSURE_SHARE): 0.25,
            key(Resource.MEMORY_AVAILABLE_BYTES): 94.5,
            key(Resource.DISK_READ_BYTES_PER_S, "vda"): 1e6,
            key(Resource.DISK_WRITE_BYTES_PER_S, "vda"): 5.5e6,
            key(Resource.DISK_AWAIT_S, "vda"): 0.02,
            key(Resource.NETWORK_SEND_BYTES_PER_S, "a.b"): 5e6,
            key(Resource.PROCESS_CPU_CORES, member="server"): 0.75,
            key(Resource.PROCESS_CPU_CORES, member="generator"): 0.1,
        }
    )
    assert usage[key(Resource.DISK_WRITE_BYTES_PER_S, "vda")].p95 == 10e6
    assert usage[key(Resource.MEMORY_AVAILABLE_BYTES)].p95 == 90


def test_no_interval_has_more_cpus_busy_than_there_are(tmp_path: Path) -> None:
    """A watcher that reads late finds in one interval what belongs to two."""

    def late(script: TrialScript) -> None:
        used(script)
        assert script.resources is not None
        at, metric = pl.col("start_s"), pl.col("metric").cast(pl.String)
        is_time = metric.str.starts_with("cpu.") | metric.str.starts_with("process.")
        busy = pl.when(metric.is_in(["cpu.user_s", "process.cpu_user_s"])).then(3.5)
        value = busy.when(metric == "cpu.idle_s").then(0.0).otherwise(pl.col("value"))
        times = pl.when(at.is_in([7.0, 9.0])).then(2.0).when(at.is_in([8.0, 10.0])).then(0.0)
        script.resources = script.resources.with_columns(
            value=value * pl.when(is_time).then(times.otherwise(1.0)).otherwise(1.0)
        )

    (usage,) = analyse(build_result(tmp_path / "r", make_plan(rounds=2), late)).usage.values()
    for each in (
        key(Resource.CPU_CORES),
        key(Resource.PROCESS_CPU_CORES, member="server"),
        key(Resource.PROCESS_CPU_CORES, member="generator"),
    ):
        assert usage[each].p95 == 4.0


def test_of_several_trials_the_worst_percentile_is_told(tmp_path: Path) -> None:
    def more_each_round(script: TrialScript) -> None:
        used(script)
        assert script.resources is not None
        value = pl.col("value") * script.planned.round
        script.resources = script.resources.with_columns(value)

    findings = analyse(build_result(tmp_path / "r", make_plan(rounds=2), more_each_round))
    (usage,) = findings.usage.values()
    written = usage[key(Resource.DISK_WRITE_BYTES_PER_S, "vda")]
    assert [written.mean, written.p95] == pytest.approx([1.5 * 5.5e6, 20e6])
    assert usage[key(Resource.MEMORY_AVAILABLE_BYTES)].p95 == 90


def test_without_a_window_on_their_clock_there_are_no_figures(tmp_path: Path) -> None:
    def never_told(script: TrialScript) -> None:
        used(script)
        script.events = [script.events[0], script.events[-1]]

    assert analyse(build_result(tmp_path / "r", make_plan(rounds=1))).usage == {}
    (trial,) = build_result(tmp_path / "s", make_plan(rounds=1), never_told).trials
    assert trial.resources is not None
    assert usage_of(measure(trial)) == {}
