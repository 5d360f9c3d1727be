"""``dbdyno benchmarksql`` from building to destroying, on real servers."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.peers.benchmarksql import command
from dbdyno.peers.benchmarksql.properties import parse_properties
from dbdyno.peers.benchmarksql.request import run_request
from dbdyno.peers.call.sending import AS_IS_BEST
from dbdyno.peers.tpcc.request import TpccRequest
from dbdyno.store.reader import read_result
from tests.live.tpcc_commands.conftest import DBDYNO, LIMIT_S, Place, dbdyno, must
from tests.tpcc_output import read_run_log
from tests.unit.benchmarksql.samples import VERSION_6, write

TRANSACTIONS = 60


@pytest.fixture(scope="module", params=["mariadb", "postgresql"])
def properties(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Return a file of properties for each server in turn, on which the tables are built."""
    place: Place = request.getfixturevalue(request.param)
    host = f"127.0.0.1:{place.server.port}"
    is_mysql = request.param == "mariadb"
    conn = (
        f"jdbc:mysql:loadbalance://{host}/test?useSSL=false&useServerPrepStmts=true&useConfigs=x"
        if is_mysql
        else f"jdbc:postgresql://{host}/test?sslmode=disable&binaryTransfer=true&currentSchema=test,public"
    )
    if not is_mysql:
        # The name that MariaDB's database has.
        place.query("CREATE SCHEMA test")
    folder = tmp_path_factory.mktemp(request.param)
    path = write(
        folder,
        f"db={'mysql' if is_mysql else 'postgres'}",
        f"conn={conn}",
        f"user={place.user}" if is_mysql else "-user",
        f"password={place.password}",
        *("warehouses=1", "terminals=4", "runMins=0", f"runTxnsPerTerminal={TRANSACTIONS}"),
    )
    built = must("benchmarksql", "build", path)
    assert "Loading ITEM and 1 Warehouse done\n" in built.output
    assert "has no effect" in built.errors
    yield path
    assert place.query("SELECT COUNT(*) FROM test.bmsql_warehouse") == [("1",)]
    must("benchmarksql", "destroy", path)
    with pytest.raises(RuntimeError, match="bmsql_warehouse"):
        place.query("SELECT COUNT(*) FROM test.bmsql_warehouse")


@pytest.mark.live
def test_a_run_has_benchmarksqls_form_and_its_directory_and_no_password(
    properties: Path, tmp_path: Path
) -> None:
    ended = must("benchmarksql", "run", properties, cwd=tmp_path)
    log = read_run_log(ended.output)
    assert log.measured["count"] == str(4 * TRANSACTIONS)
    assert float(log.measured["tpmTOTAL"]) > float(log.measured["tpmC (NewOrders)"]) > 0
    assert 65 <= abs(log.c_run - log.c_load) <= 119
    (directory,) = tmp_path.glob("my_result_*")
    with (directory / "data" / "tx_summary.csv").open() as file:
        summary = {row["tx_name"]: row for row in csv.DictReader(file)}
    new_orders = int(summary["NEW_ORDER"]["tx_count"])
    kinds = ("NEW_ORDER", "PAYMENT", "ORDER_STATUS", "STOCK_LEVEL", "DELIVERY")
    assert sum(int(summary[kind]["tx_count"]) for kind in kinds) == 4 * TRANSACTIONS
    with (directory / "data" / "result.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["error"] == "0"]
    assert Counter(row["ttype"] for row in rows) == {
        kind: int(summary[kind]["tx_count"]) for kind in kinds if summary[kind]["tx_count"] != "0"
    }
    (trial,) = read_result(directory / "dbdyno").trials
    stored = trial.intervals.filter(transaction="new_order")
    assert sum(stored["committed"]) + sum(stored["rolled_back"]) == new_orders
    assert (tmp_path / ".jTPCC_run_seq.dat").read_text() == "1\n"
    assert not list(directory.rglob("transactions.csv"))
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert b"se&cret" not in b"".join(written) + (ended.output + ended.errors).encode()


def counts_of(directory: Path) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Return for each kind how many did their work and how many failed: in rows, in the summary."""
    with (directory / "data" / "result.csv").open() as file:
        rows = Counter((row["ttype"], row["error"]) for row in csv.DictReader(file))
    summary: Counter[tuple[str, str]] = Counter()
    with (directory / "data" / "tx_summary.csv").open() as file:
        for row in csv.DictReader(file):
            if not row["tx_name"].startswith("tpm"):
                summary[row["tx_name"], "0"] += int(row["tx_count"])
                summary[row["tx_name"], "1"] += int(row["tx_error"])
    return rows, summary


def run_shortly(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Path:
    """Run for seconds in place of minutes; return the result directory."""

    def short(*asked: Any) -> TpccRequest:
        return replace(run_request(*asked), warmup_s=1.0, duration_s=3.0, **changes)

    monkeypatch.setattr(command, "run_request", short)
    monkeypatch.chdir(folder)
    command.run(path, lambda _: None, lambda _: None, AS_IS_BEST)
    (directory,) = folder.glob("my_result_*")
    return directory


@pytest.mark.live
def test_rows_and_summary_are_of_the_same_transactions(
    properties: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that end before the window, or after it, are in neither."""

    directory = run_shortly(properties, tmp_path, monkeypatch, clients=8, transactions=None)
    (trial,) = read_result(directory / "dbdyno").trials
    for phase in ("warmup", "drain"):
        assert sum(trial.intervals.filter(phase=phase)["committed"]) > 0
    rows, summary = counts_of(directory)
    assert rows == +summary
    stored = trial.intervals.filter(phase="window", transaction="payment")
    assert rows["PAYMENT", "0"] == sum(stored["committed"]) > 0
    # Little's law; at each end a client's transaction counts as a whole, or not at all.
    with (directory / "data" / "result.csv").open() as file:
        latencies_s = [float(row["latency"]) / 1e3 for row in csv.DictReader(file)]
    assert sum(latencies_s) / 3.0 == pytest.approx(8, rel=0.03 + max(latencies_s) / 3.0)


@pytest.mark.live
@pytest.mark.parametrize(("multiplier", "connections"), [(0.02, 10), (0, 3)])
def test_a_file_of_version_6_runs_as_it_says(
    properties: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    multiplier: float,
    connections: int,
) -> None:
    """The address is that of the file of version 5, the rest is what version 6 ships."""
    place = parse_properties(properties.read_text())
    names = ("db", "driver", "conn", "user", "password")
    path = write(
        tmp_path,
        *(f"{name}={place[name]}" for name in names if name in place),
        *(f"-{name}" for name in names if name not in place),
        *("warehouses=1", "sutThreads=3", "restartSUTThreadProbability=10"),
        *(f"{name}Multiplier={multiplier}" for name in ("keyingTime", "thinkTime")),
        *("paymentWeight=30", "orderStatusWeight=10", "deliveryWeight=30"),
        text=VERSION_6,
    )
    directory = run_shortly(path, tmp_path, monkeypatch)
    rows, summary = counts_of(directory)
    assert rows == +summary
    assert rows["DELIVERY", "0"] > 0
    assert rows["DELIVERY_BG", "0"] > 0
    (trial,) = read_result(directory / "dbdyno").trials
    assert set(trial.generator["live_clients"]) == {connections}
    assert sum(trial.generator["renewals"]) > 0
    done = trial.intervals["committed"] + trial.intervals["rolled_back"]
    # Keying and thinking take 14.3 s on average by these weights; without, a few milliseconds.
    assert 4 * connections / sum(done) > 0.5 * 14.3 * multiplier


@pytest.mark.live
def test_the_constant_of_the_load_is_that_of_the_tables(
    properties: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    name = request.node.callspec.params["properties"]
    place: Place = request.getfixturevalue(name)
    change = "UPDATE test.bmsql_config SET cfg_value = '{}' WHERE cfg_name = 'nURandCLast'"
    place.query(change.format(200))
    log = read_run_log(must("benchmarksql", "run", properties, cwd=tmp_path).output)
    place.query(change.format(157))
    assert log.c_load == 200
    assert 65 <= abs(log.c_run - 200) <= 119


@pytest.mark.live
def test_minutes_end_early_with_ctrl_c(properties: Path, tmp_path: Path) -> None:
    text = properties.read_text().replace("runMins=0", "runMins=1")
    path = tmp_path / "props"
    path.write_text(text.replace(f"runTxnsPerTerminal={TRANSACTIONS}", "runTxnsPerTerminal=0"))
    words = [*DBDYNO, "benchmarksql", "run", str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=tmp_path) as run:
        assert run.stdout is not None
        said = b""
        while said.count(b"Running Average") < 2:
            news = os.read(run.stdout.fileno(), 4096)
            assert news, said
            said += news
        run.send_signal(signal.SIGINT)
        said += run.stdout.read()
        assert run.wait(LIMIT_S) == 1
    log = read_run_log(said.decode())
    assert int(log.measured["count"]) > 0
    assert len(list(tmp_path.glob("my_result_*/data/tx_summary.csv"))) == 1


@pytest.mark.live
def test_more_warehouses_than_there_are_are_refused(properties: Path, tmp_path: Path) -> None:
    path = tmp_path / "props"
    path.write_text(properties.read_text().replace("warehouses=1", "warehouses=2"))
    ended = dbdyno("benchmarksql", "run", path, cwd=tmp_path)
    assert ended.status == 1
    assert "2 warehouses are asked for" in ended.errors
    assert list(tmp_path.iterdir()) == [path]
