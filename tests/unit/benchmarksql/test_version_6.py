"""What a file of BenchmarkSQL 6.0 asks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.benchmarksql import text
from dbdyno.peers.benchmarksql.request import build_request, run_request
from dbdyno.peers.benchmarksql.run_settings import read_run
from dbdyno.peers.benchmarksql.settings import read_settings
from dbdyno.peers.tpcc.request import TpccRequest
from tests.unit.benchmarksql.samples import VERSION_6, write

NO_WAITS = ("keyingTimeMultiplier=0.0", "thinkTimeMultiplier=0")


def run_of(folder: Path, *changes: str) -> TpccRequest:
    settings = read_settings(write(folder, *changes, text=VERSION_6))
    return run_request(settings, read_run(settings))


def warnings_of(folder: Path, *changes: str) -> list[str]:
    settings = read_settings(write(folder, *changes, text=VERSION_6))
    return [*settings.warnings, *read_run(settings).warnings]


def test_a_file_becomes_the_plan_of_a_run(tmp_path: Path) -> None:
    request = run_of(tmp_path)
    plan = request.trial_plan()
    tpcc = plan.workload["tpcc"]
    assert request.address.url == "postgresql://me@db:5432/bsql?ssl_mode=disabled"
    assert (plan.clients, plan.warmup_s, plan.duration_s) == (50, 600.0, 1800.0)
    assert plan.arrivals == {"closed": {}}
    assert tpcc["pacing"] == {"keying": 1.0, "think": 0.5}
    assert (tpcc["home_warehouse"], tpcc["home_range"]) == ("fixed", None)
    assert list(tpcc["mix"].values()) == [44.2, 43.2, 4.2, 4.2, 4.2]
    assert (tpcc["delivery"], tpcc["rollback_percent"]) == ("deferred", 1.01)
    assert plan.session.reconnect == 0
    assert run_of(tmp_path, "-rollbackPercent").workload["rollback_percent"] == 1.01


def test_tables_are_built_of_it(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, text=VERSION_6))
    assert build_request(settings).dataset_plan("load").connections == 8
    assert settings.warnings == ()


def test_terminals_belong_to_the_warehouses_that_are_used(tmp_path: Path) -> None:
    changes = ("useWarehouseFrom=2", "useWarehouseTo=4", "terminalMultiplier=3")
    request = run_of(tmp_path, *changes)
    assert (request.clients, request.workload["home_range"]) == (90, [2, 4])


def test_without_waits_there_are_as_many_terminals_as_connections(tmp_path: Path) -> None:
    request = run_of(tmp_path, *NO_WAITS)
    assert (request.clients, request.workload["home_warehouse"]) == (16, "random")
    assert run_of(tmp_path, *NO_WAITS, "sutThreads=70").clients == 50
    assert "16 connections carry out" in warnings_of(tmp_path, *NO_WAITS)[0]


def test_connections_are_made_anew_as_often_as_there(tmp_path: Path) -> None:
    change = "restartSUTThreadProbability=0.4"
    assert run_of(tmp_path, change).trial_plan().session.reconnect == 250
    assert any("after every 250 transactions" in said for said in warnings_of(tmp_path, change))


def test_every_property_without_equivalent_is_named(tmp_path: Path) -> None:
    named = {said.split(" ")[0].partition("=")[0] for said in warnings_of(tmp_path)}
    assert named == {
        *("sutThreads", "monkeys", "maxDeliveryBGThreads", "maxDeliveryBGPerWarehouse"),
        *("rampupSUTMins", "rampupTerminalMins", "reportIntervalSecs", "reportScript"),
    }
    changes = ("traceTerminalIO=true", "resultIntervalSecs=5", "limitTxnsPerMin=300", "monkies=1")
    more = warnings_of(tmp_path, *changes)
    for name in ("traceTerminalIO", "resultIntervalSecs", "limitTxnsPerMin", "monkies"):
        assert any(said.startswith(f"{name} has no effect: ") for said in more), name


def test_new_order_may_be_given_if_it_is_what_the_others_leave(tmp_path: Path) -> None:
    assert not any(
        "newOrderWeight" in said for said in warnings_of(tmp_path, "newOrderWeight=44.200")
    )
    assert any("newOrderWeight=45" in said for said in warnings_of(tmp_path, "newOrderWeight=45"))


def test_what_version_5_calls_none_is_no_news(tmp_path: Path) -> None:
    changes = ("runTxnsPerTerminal=0", "limitTxnsPerMin=0")
    assert warnings_of(tmp_path, *changes) == warnings_of(tmp_path)


def test_a_file_of_version_5_stays_one_whatever_else_it_names(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, "rampupMins=3"))
    assert settings.version == 5
    assert settings.warnings == ("rampupMins has no effect: it is a property of version 6",)
    assert read_run(settings).rampup_minutes == 0


def test_the_log_repeats_what_matters(tmp_path: Path) -> None:
    header = text.run_header(read_settings(write(tmp_path, text=VERSION_6)))
    assert {"sutThreads=16", "rampupMins=10", "keyingTimeMultiplier=1.0"} <= set(header)
    assert not any(line.startswith("terminals=") for line in header)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["application=PostgreSQLStoredProc"], "application=PostgreSQLStoredProc cannot be"),
        (["application=OracleStoredProc"], "application=OracleStoredProc cannot be honoured"),
        (["terminals=10"], "terminals is a property of version 5 and sutThreads of version 6"),
        (["db=babelfish"], "db=babelfish: there is no driver"),
        (["runMins=0"], "runMins=0: not a whole number of 1 or more"),
        (["-thinkTimeMultiplier"], "the property thinkTimeMultiplier is missing"),
        (["-sutThreads"], "the property sutThreads is missing"),
        (["keyingTimeMultiplier=-1"], "keyingTimeMultiplier=-1: not a number of 0 or more"),
        (["thinkTimeMultiplier=nan"], "thinkTimeMultiplier=nan: not a number of 0 or more"),
        (["rollbackPercent=101"], "rollbackPercent=101: not a number from 0 to 100"),
        (["restartSUTThreadProbability=101"], "Probability=101: not a number from 0 to 100"),
        (["useWarehouseFrom=2", "useWarehouseTo=6"], "not a range within warehouses=5"),
        (["useWarehouseFrom=x", "useWarehouseTo=6"], "useWarehouseFrom=x: not a whole number"),
        (["paymentWeight=90"], "the weights of all but New-Order sum to 102.6, above 100"),
    ],
)
def test_what_is_wrong_is_named_with_the_file(
    tmp_path: Path, changes: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=rf"^{tmp_path}/props.mysql: .*{re.escape(message)}"):
        run_of(tmp_path, *changes)
