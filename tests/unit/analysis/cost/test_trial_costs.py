"""What a transaction of a trial cost, by hand: 12 s of 100 transactions each are 1,200."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path

import polars as pl
import pytest

from dbdyno.analysis.cost.model import CostName, TrialCosts
from dbdyno.analysis.cost.trial_costs import costs_of
from dbdyno.analysis.window_resources import in_window
from dbdyno.analysis.window_totals import measure
from dbdyno.resources import GENERATOR, HOST, LOCAL_HOST, SCHEMA, SERVER
from dbdyno.store import layout
from dbdyno.store.model import ResourcesZero, StoredTrial
from dbdyno.store.trial_tables import HeldTables
from tests.unit.analysis.simulated import Truth, result
from tests.unit.store.result_builder import TrialScript, build_result, make_plan, transaction

Row = tuple[str, str, str, str, float, float, float]


def rows(
    metric: str,
    value: float,
    *,
    member: str = SERVER,
    role: str = SERVER,
    host: str = LOCAL_HOST,
    seconds: range = range(12),
) -> list[Row]:
    """Return a row of a second each, from the window's start on."""
    return [(member, role, host, metric, float(at), 1.0, value) for at in seconds]


def cpu(member: str = SERVER, host: str = LOCAL_HOST) -> list[Row]:
    return [
        *rows("process.cpu_user_s", 0.5, member=member, host=host),
        *rows("process.cpu_system_s", 0.1, member=member, host=host),
    ]


def costs(
    directory: Path,
    *watched: list[Row],
    failures: tuple[str, ...] = (),
    zero: ResourcesZero = ResourcesZero.WINDOW_START,
) -> TrialCosts:
    """Return the costs of a trial with these rows."""

    (trial,) = build_result(directory / "r", make_plan(rounds=1)).trials
    return costs_with(trial, list(chain(*watched)), failures, zero)


def costs_with(
    trial: StoredTrial,
    watched: list[Row],
    failures: tuple[str, ...] = (),
    zero: ResourcesZero = ResourcesZero.WINDOW_START,
) -> TrialCosts:
    held = {
        layout.INTERVALS_FILE: trial.intervals,
        layout.GENERATOR_FILE: trial.generator,
        layout.RESOURCES_FILE: pl.DataFrame(watched, schema=SCHEMA, orient="row"),
    }
    watched_trial = replace(
        trial, tables=HeldTables(held), resources_zero=zero, watch_failures=failures
    )
    measured = measure(watched_trial)
    return costs_of(measured, in_window(measured))


def test_the_window_s_amounts_are_shared_by_its_transactions(tmp_path: Path) -> None:
    found = costs(
        tmp_path,
        cpu(),
        rows("process.read_bytes", 0.0),
        # What pages the server made dirty is no measure of what was written.
        rows("process.write_bytes", 800000.0),
        rows("disk[vda].write_bytes", 5000.0, role=HOST, member=""),
        rows("disk[vdb].write_bytes", 3000.0, role=HOST, member=""),
        rows("process.resident_bytes", 5e6),
        rows("innodb.redo_bytes", 3000.0),
        rows("innodb.redo_fsyncs", 25.0),
        rows("disk[vda].flushes", 30.0, role=HOST, member=""),
        rows("disk[vdb].flushes", 10.0, role=HOST, member=""),
    )
    assert found == {
        CostName.CLIENT_CPU: pytest.approx(0.3 / 100),
        CostName.SERVER_CPU: pytest.approx(0.6 / 100),
        CostName.READ: 0.0,
        CostName.WRITTEN: pytest.approx(80.0),
        CostName.MEMORY: pytest.approx(5e6),
        CostName.LOG: pytest.approx(30.0),
        CostName.LOG_FSYNCS: pytest.approx(0.25),
        CostName.DISK_FLUSHES: pytest.approx(0.4),
    }


def test_what_was_rolled_back_on_purpose_counts_and_what_failed_does_not(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        for second in script.window:
            second["transactions"] = {
                "oltp_read_write": transaction(80, rolled_back=40, failed=9, scheduled=129)
            }

    (trial,) = build_result(tmp_path / "r", make_plan(rounds=1), change).trials
    found = costs_with(trial, cpu())
    assert found[CostName.SERVER_CPU] == pytest.approx(0.6 / 120)


def test_readings_that_cross_the_window_s_edges_count_in_part(tmp_path: Path) -> None:
    """Readings half a second late: the first and the last lie in the window by half."""
    late = [
        (SERVER, SERVER, LOCAL_HOST, "process.read_bytes", at - 0.5, 1.0, 100.0)
        for at in range(-3, 16)
    ]
    assert costs(tmp_path, late)[CostName.READ] == pytest.approx(1.0)


def test_warm_up_is_in_no_figure(tmp_path: Path) -> None:
    found = costs(
        tmp_path,
        rows("process.read_bytes", 100.0),
        rows("process.read_bytes", 1e9, seconds=range(-5, 0)),
    )
    assert found[CostName.READ] == pytest.approx(1.0)


def test_a_gap_is_taken_to_be_like_the_rest_and_a_large_one_is_not_known(tmp_path: Path) -> None:
    gap = costs(tmp_path / "1", rows("process.read_bytes", 100.0, seconds=range(11)))
    assert gap[CostName.READ] == pytest.approx(1.0)
    large = costs(tmp_path / "2", rows("process.read_bytes", 100.0, seconds=range(10)))
    assert CostName.READ not in large


def test_what_nobody_watched_is_absent(tmp_path: Path) -> None:
    assert set(costs(tmp_path)) == {CostName.CLIENT_CPU}


def test_without_a_known_start_of_the_window_nothing_can_be_placed(tmp_path: Path) -> None:
    assert set(costs(tmp_path, cpu(), zero=ResourcesZero.WATCH_START)) == {CostName.CLIENT_CPU}


def test_several_servers_are_added_up_and_one_that_is_silent_voids_the_sum(tmp_path: Path) -> None:
    both = costs(tmp_path / "1", cpu("a"), cpu("b"))
    assert both[CostName.SERVER_CPU] == pytest.approx(1.2 / 100)
    one = costs(tmp_path / "2", cpu("a"), cpu("b"), rows("process.read_bytes", 9.0, member="a"))
    assert CostName.READ not in one
    assert CostName.SERVER_CPU in one


def test_logs_are_not_told_where_a_server_stopped_answering(tmp_path: Path) -> None:
    watched = rows("postgresql.wal_bytes", 3000.0)
    assert costs(tmp_path / "1", watched)[CostName.LOG] == pytest.approx(30.0)
    assert CostName.LOG not in costs(tmp_path / "2", watched, failures=("server 2: lost",))


def test_the_network_of_a_host_is_told_where_one_server_has_it_alone(tmp_path: Path) -> None:
    traffic = [
        *rows("network[eth0].receive_bytes", 600.0, role=HOST, member=""),
        *rows("network[eth0].send_bytes", 400.0, role=HOST, member=""),
        *rows("network[lo].send_bytes", 1e9, role=HOST, member=""),
        *rows("network[eth0].send_packets", 7.0, role=HOST, member=""),
    ]
    found = costs(tmp_path / "1", cpu(), traffic)
    assert found[CostName.NETWORK] == pytest.approx(10.0)
    generator = rows("process.cpu_user_s", 0.1, member=GENERATOR, role=GENERATOR)
    assert CostName.NETWORK not in costs(tmp_path / "2", cpu(), traffic, generator)
    assert CostName.NETWORK not in costs(tmp_path / "3", cpu("a"), cpu("b"), traffic)


def test_flushes_are_those_of_the_servers_hosts(tmp_path: Path) -> None:
    elsewhere = rows("disk[vda].flushes", 1e6, role=HOST, member="", host="db9")
    assert CostName.DISK_FLUSHES not in costs(tmp_path / "1", cpu(), elsewhere)
    here = rows("disk[vda].flushes", 10.0, role=HOST, member="")
    found = costs(tmp_path / "2", cpu(), elsewhere, here)
    assert found[CostName.DISK_FLUSHES] == pytest.approx(0.1)


def test_a_trial_that_did_nothing_has_no_costs() -> None:
    truth = Truth(rounds=1, shape=lambda throughput, _: 0 * throughput)
    measured = measure(result(truth, seed=1).trials[0])
    assert costs_of(measured, None) == {}
