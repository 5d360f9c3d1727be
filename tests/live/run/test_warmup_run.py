"""Warm-ups that end when throughput is steady, or come to their bound, in whole runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.validity.codes import Code
from dbdyno.store.model import ResourcesZero
from dbdyno.store.reader import read_result
from tests.live.run.stage import Stage
from tests.unit.analysis.told import evidence_of

EXPERIMENT = """\
experiment: warm
question: When is it steady?
workload: {{sysbench: {{script: oltp_point_select, tables: 1, table_size: 1000}}}}
target: {target}
procedure:
  {{warmup: {{until: steady, most: {most}, least: 1s}}, duration: 1s, interval: 0.1s, rounds: 1}}
load: {load}
"""

KEPT_UP_WITH = "{rate: 200, arrivals: constant, clients: 4}"
"""Steady from the beginning."""

SCATTERED = "{rate: 40, arrivals: poisson, clients: 4}"
"""Four an interval on average: in twenty of them nobody can tell a tenth more from a tenth less."""

SERVERS = [
    "{sqlite: {}}",
    pytest.param("{mysql: {}}", marks=pytest.mark.live),
    pytest.param("{postgresql: {}}", marks=pytest.mark.live),
]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def run(stage: Stage, target: str, most: str, load: str) -> dict[str, Any]:
    """Run the experiment, and return what is stored of its one trial."""
    stage.file.write_text(EXPERIMENT.format(target=target, most=most, load=load))
    ended = stage.run()
    assert ended.status == 0, ended
    trial = stage.trial(1)
    assert trial["status"] == "completed"
    return trial


def codes(stage: Stage) -> dict[str, str]:
    findings = analyse(read_result(stage.result)).warnings
    return {finding.code: evidence_of(finding) for finding in findings}


@pytest.mark.parametrize("target", SERVERS)
def test_a_warm_up_ends_when_throughput_is_steady(stage: Stage, target: str) -> None:
    warmup = run(stage, target, "60s", KEPT_UP_WITH)["warmup"]
    assert warmup["ended"] == "steady"
    assert 2.0 <= warmup["duration_s"] < 60.0
    assert warmup["change"]["high"] - warmup["change"]["low"] < 0.2
    (trial,) = read_result(stage.result).trials
    assert trial.resources_zero is ResourcesZero.WINDOW_START
    # Watchers go on to the load's end, which is a second after the window's start.
    assert trial.resources is not None
    assert trial.resources.select(pl.col("start_s").max()).item() > -2.0
    starts = trial.intervals.sort("start_s")
    assert starts["start_s"][0] == pytest.approx(-warmup["duration_s"])
    assert starts["index"].to_list() == list(range(starts["index"][0], starts["index"][-1] + 1))
    assert starts["start_s"].diff().drop_nulls().to_list() == pytest.approx(
        [0.1] * (starts.height - 1)
    )
    window = starts.filter(phase="window")
    # What the schedule has due in a second, not a transaction more or less.
    assert (window.height, window["scheduled"].sum()) == (10, 200)
    assert starts.filter(pl.col("phase") == "warmup")["scheduled"].sum() == pytest.approx(
        200 * warmup["duration_s"], abs=1
    )
    assert Code.NOT_STEADY not in codes(stage)


@pytest.mark.parametrize("target", SERVERS)
def test_a_warm_up_that_shows_nothing_steady_comes_to_its_bound_and_is_marked(
    stage: Stage, target: str
) -> None:
    warmup = run(stage, target, "2.5s", SCATTERED)["warmup"]
    assert (warmup["ended"], warmup["duration_s"], warmup["early_intervals"]) == ("bound", 2.5, 0)
    assert codes(stage)[Code.NOT_STEADY].startswith("2.5 s; over its last 20 intervals throughput")
