"""What was measured comes back as it was: counters, histograms, errors, facts."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.experiment.plan import FactorLevels
from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.store import columns, layout
from dbdyno.store.facts import DatasetFacts, ServerFacts
from dbdyno.store.model import ErrorTotal, StoredTrial, TrialStatus
from dbdyno.store.reader import read_result
from dbdyno.store.writer import ResultWriter
from tests.unit.store.resource_rows import IDLE_HOST, resource_table
from tests.unit.store.result_builder import (
    GENERATOR_PLAN,
    HOST,
    RESPONSE,
    SERVER,
    TRIAL_PLAN,
    TrialScript,
    build_result,
    histogram,
    interval,
    make_plan,
    transaction,
    trial_events,
)

CLIENTS = FactorLevels("clients", ("1", "8"), "load.clients")


def one_trial(directory: Path, events: list[dict[str, object]]) -> StoredTrial:
    def change(script: TrialScript) -> None:
        script.events = events

    return build_result(directory, make_plan(rounds=1), change).trials[0]


def test_plan_and_documents_come_back(tmp_path: Path) -> None:
    plan = make_plan([CLIENTS], rounds=2)
    result = build_result(tmp_path / "r", plan)
    assert result.plan == plan
    assert result.host == HostFacts(**HOST)
    assert result.experiment_text == "experiment: x\n"
    assert [trial.planned for trial in result.trials] == list(plan.trials)
    assert result.missing == ()


def test_what_is_no_trial_of_the_plan_is_named(tmp_path: Path) -> None:
    build_result(tmp_path / "r", make_plan(rounds=2))
    for name in ("0002.superseded-1", ".0002.unfinished", "0001.old", "0003", ".0003.unfinished"):
        (tmp_path / "r" / "trials" / name).mkdir()
    (tmp_path / "r" / "trials" / "notes.txt").write_text("mine")
    result = read_result(tmp_path / "r")
    assert result.unknown == (".0003.unfinished", "0001.old", "0003", "notes.txt")
    assert [trial.planned.number for trial in result.trials] == [1, 2]


def test_a_trial_comes_back(tmp_path: Path) -> None:
    trial = one_trial(tmp_path / "r", trial_events([90, 110]))
    assert trial.status is TrialStatus.COMPLETED
    assert trial.reason is None
    assert trial.server == ServerFacts.model_validate(SERVER)
    assert trial.url == GENERATOR_PLAN["url"]
    assert trial.generator_plan == TRIAL_PLAN
    assert (trial.generator_plan.clients, trial.generator_plan.arrivals) == (8, {"closed": {}})
    assert trial.plan_sha256 == hashlib.sha256(json.dumps(GENERATOR_PLAN).encode()).hexdigest()
    assert trial.facts["distribution"] == "uniform"
    assert trial.intervals.schema == columns.INTERVAL_SCHEMA
    assert trial.generator.schema == columns.GENERATOR_SCHEMA
    window = trial.intervals.filter(phase="window")
    assert window["committed"].to_list() == [90, 110]
    assert window["start_s"].to_list() == [0.0, 1.0]
    assert trial.generator["start_s"].to_list() == [-2.0, -1.0, 0.0, 1.0, 2.0]
    assert trial.generator["statements_read"].to_list()[2:4] == [1260, 1540]
    assert trial.resources is None


def test_histograms_are_merged_over_the_window_only(tmp_path: Path) -> None:
    events = trial_events([30, 70])
    events[1]["transactions"]["oltp_read_write"]["response"] = histogram([9000.0] * 100)
    events[3]["transactions"]["oltp_read_write"]["response"] = histogram([1.0] * 30)
    events[4]["transactions"]["oltp_read_write"]["response"] = histogram([3.0] * 70)
    trial = one_trial(tmp_path / "r", events)
    response = trial.histograms["oltp_read_write", "response"]
    assert response.count == 100
    assert response.quantile_ns(0.3) == pytest.approx(1e6, rel=0.001)
    assert response.quantile_ns(0.31) == pytest.approx(3e6, rel=0.001)
    assert set(trial.histograms) == {
        ("oltp_read_write", measure) for measure in ("response", "service", "lag")
    }
    assert trial.loop_lag.decode().count == 20


def test_percentiles_of_intervals_have_one_row_for_all_kinds_together(tmp_path: Path) -> None:
    events = trial_events([100], kinds=("new_order", "payment"))
    events[3]["transactions"] = {
        "new_order": transaction(10, response=histogram([10.0] * 10)),
        "payment": transaction(90, response=histogram([1.0] * 90)),
    }
    trial = one_trial(tmp_path / "r", events)
    assert trial.interval_percentiles.schema == columns.PERCENTILE_SCHEMA
    p95_ms = dict(trial.interval_percentiles.select("transaction", "response_p95_ms").iter_rows())
    assert p95_ms == pytest.approx({"new_order": 10.0, "payment": 1.0, "all": 10.0}, rel=0.001)
    p50_ms = dict(trial.interval_percentiles.select("transaction", "response_p50_ms").iter_rows())
    assert p50_ms["all"] == pytest.approx(1.0, rel=0.001)


def test_a_percentile_of_nothing_is_null(tmp_path: Path) -> None:
    events = trial_events([0])
    events[3]["transactions"]["oltp_read_write"]["response"] = histogram([])
    trial = one_trial(tmp_path / "r", events)
    assert trial.interval_percentiles["response_p50_ms"].to_list() == [None]


def test_overflow_outlives_the_log_that_has_no_place_for_it(tmp_path: Path) -> None:
    events = trial_events([10, 10])
    events[3]["transactions"]["oltp_read_write"]["response_overflow"] = 5
    events[3]["generator"]["loop_lag_overflow"] = 2
    trial = one_trial(tmp_path / "r", events)
    response = trial.histograms["oltp_read_write", "response"]
    assert (response.count, response.overflow) == (20, 5)
    assert response.quantile_ns(0.99) is None
    assert trial.histograms["oltp_read_write", "service"].overflow == 0
    assert trial.loop_lag.overflow == 2
    assert trial.interval_percentiles["response_p99_ms"].to_list()[0] is None


def test_errors_are_summed_by_phase_and_kind(tmp_path: Path) -> None:
    deadlock = {"class": "deadlock", "code": 1213, "sqlstate": "40001", "sample": "Deadlock found"}
    events = trial_events([10, 10])
    events[1]["errors"] = [deadlock | {"count": 1}]
    events[3]["errors"] = [
        {"class": "other", "code": 5, "sqlstate": "", "count": 1, "sample": "busy"},
        deadlock | {"count": 3},
    ]
    events[4]["errors"] = [deadlock | {"count": 4, "sample": "Deadlock again"}]
    trial = one_trial(tmp_path / "r", events)
    assert trial.errors[0] == ErrorTotal(
        phase="window",
        error_class="deadlock",
        code=1213,
        sqlstate="40001",
        count=7,
        sample="Deadlock found",
    )
    assert [(error.phase, error.count) for error in trial.errors[1:]] == [
        ("warmup", 1),
        ("window", 1),
    ]


def test_a_trial_without_any_interval_is_stored_too(tmp_path: Path) -> None:
    end = {"event": "end", "status": "failed", "reason": "connection refused", "elapsed_s": 0.1}
    trial = one_trial(tmp_path / "r", [end])
    assert (trial.status, trial.reason) == (TrialStatus.FAILED, "connection refused")
    assert trial.intervals.schema == columns.INTERVAL_SCHEMA
    assert trial.intervals.is_empty()
    assert trial.histograms == {}
    assert trial.loop_lag.decode().count == 0


def test_resources_are_kept(tmp_path: Path) -> None:
    plan = make_plan(rounds=1)
    result = ResultWriter.create(tmp_path / "r", experiment_text="", plan=plan, host=HostFacts())
    trial = result.begin(plan.trials[0], json.dumps(GENERATOR_PLAN).encode(), server={}, dataset={})
    resources = resource_table([IDLE_HOST, IDLE_HOST])
    status = trial.finish(server={"version": "later"}, dataset={"rows": 7}, resources=resources)
    result.close()
    stored = read_result(tmp_path / "r").trials[0]
    assert status is TrialStatus.FAILED
    assert stored.reason == "the generator ended without saying how the trial ended"
    assert stored.resources is not None
    assert stored.resources.equals(resources)
    assert stored.server == ServerFacts(version="later")
    assert stored.dataset == DatasetFacts(rows=7)


def test_other_hosts_are_kept_and_nobody_misses_them(tmp_path: Path) -> None:
    read = build_result(tmp_path / "r", make_plan())
    assert read.other_hosts == {}
    assert not (read.directory / "hosts.json").exists()
    known = {
        "load1": OtherHost(use="generator", facts=HostFacts(cpu_count=8)),
        "db1": OtherHost(use="watched", reason="no way there"),
    }
    with closing(ResultWriter.open(read.directory)) as result:
        result.write_other_hosts(known)
        assert result.other_hosts() == known
    read = read_result(read.directory)
    assert read.other_hosts == analyse(read).other_hosts == known
    (read.directory / "hosts.json").write_text('{"db1": {"use": "eaten"}}')
    read = read_result(read.directory)
    assert "hosts.json is damaged: db1.use" in read.damages[0]
    assert read.other_hosts == {}


def test_a_fractional_last_interval_keeps_its_length(tmp_path: Path) -> None:
    events = trial_events([10])
    events.insert(4, interval("window", 1, {"oltp_read_write": transaction(5)}, duration_s=0.5))
    events[5] |= {"index": 2, "start_s": 1.5}
    trial = one_trial(tmp_path / "r", events)
    assert trial.generator.filter(phase="window")["duration_s"].sum() == 1.5
    assert RESPONSE in (tmp_path / "r/trials/0001/histograms.hlog").read_text()


def test_a_smoke_run_is_stored_as_one_and_other_plans_keep_their_bytes(tmp_path: Path) -> None:
    plan = make_plan(rounds=1)
    stored = build_result(tmp_path / "full", plan).directory / layout.PLAN_FILE
    assert "is_smoke" not in json.loads(stored.read_bytes())
    assert not read_result(tmp_path / "full").plan.is_smoke
    smoke = build_result(tmp_path / "smoke", replace(plan, is_smoke=True))
    assert smoke.plan.is_smoke
    assert smoke.plan.trials == plan.trials
