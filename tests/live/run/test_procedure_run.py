"""A reference that is measured again, rest, and limits of time and disk, in whole runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.store.reader import read_result
from tests.live.run.stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_the_reference_is_measured_again_and_marked(stage: Stage) -> None:
    ended = stage.write(
        procedure="order: abba, pause: 0.1s, reference: {clients: 2}, reference_every: 2"
    ).run()
    assert ended.status == 0, ended
    assert ended.output.count("clients=2 (reference)") == 3
    assert [line["event"] for line in ended.events].count("phase_began") > 0
    resting = [line for line in ended.events if line.get("phase") == "resting"]
    assert len(resting) == 6
    result = read_result(stage.result)
    assert result.plan.pause_s == 0.1
    kinds = [(trial.planned.kind, trial.planned.cell.level("clients")) for trial in result.trials]
    again = ("reference", "2")
    assert kinds == [
        *[again, ("compared", "1"), ("compared", "2")],
        *[again, ("compared", "2"), ("compared", "1"), again],
    ]
    assert "7 of 7 trials used" in ended.output


def test_a_run_that_has_no_time_left_ends_in_order_and_goes_on(stage: Stage) -> None:
    stage.write(rounds=8, procedure="limits: {campaign: 3s}")
    stopped = stage.run()
    done = stage.statuses()
    assert stopped.status == 1
    assert 0 < len(done) < 16
    assert set(done.values()) == {"completed"}
    assert stopped.errors.startswith(f"stopped before trial {len(done) + 1}, which would end after")
    assert stopped.events[-1]["event"] == "run_ended_early"
    assert "of 16 trials used" in stopped.output
    stage.write(rounds=8, procedure="limits: {campaign: 1h}")
    ended = stage.run()
    assert ended.status == 0, ended
    assert ended.trials("trial_started") == list(range(len(done) + 1, 17))
    assert not (stage.result / "work").exists()


def test_a_run_that_takes_too_much_disk_ends_in_order_and_goes_on(stage: Stage) -> None:
    stage.write(table_size=2000, procedure="limits: {disk: 1M}")
    stopped = stage.run()
    assert stopped.status == 1
    assert "more than limits.disk (1.0 MiB)" in stopped.errors
    done = stage.statuses()
    assert 0 < len(done) < 4
    assert set(done.values()) == {"completed"}
    stage.write(table_size=2000, procedure="limits: {disk: 1G}")
    assert stage.run().status == 0


def test_tables_larger_than_the_limit_are_not_even_loaded(stage: Stage) -> None:
    stage.write(table_size=1_000_000, procedure="limits: {disk: 100M}")
    refused = stage.run()
    assert refused.status == 2
    assert refused.errors == (
        "limits.disk is 100.0 MiB, and the tables with their snapshots take about 467.3 MiB; raise "
        "it, or load less\n"
    )
    assert not stage.result.exists() or not any(stage.result.iterdir())


def test_a_load_that_lasts_too_long_is_stopped_and_has_failed(stage: Stage) -> None:
    """The statement waits for its limit, far beyond that of the trial."""
    stage.write(
        factors="clients: [1]",
        rounds=1,
        duration="0.3s",
        load="{rate: 20000}",
        procedure="check: none, limits: {trial: 1s, drain: 60s}",
    )
    ended = stage.run()
    assert ended.status == 1
    assert stage.statuses() == {1: "failed"}
    assert stage.trial(1)["reason"] == (
        "its load was stopped, because it took longer than limits.trial (1 s)"
    )
