"""What is printed and written has BenchmarkSQL's form: one reader for its own output and ours."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.benchmarksql import text
from dbdyno.peers.benchmarksql.command import Speaker, _Log
from dbdyno.peers.benchmarksql.properties import parse_properties
from dbdyno.peers.benchmarksql.result import RunDirectory, next_number
from dbdyno.peers.benchmarksql.run_settings import read_run
from dbdyno.peers.benchmarksql.settings import read_settings
from tests.tpcc_output import RunLog, read_run_log
from tests.unit.benchmarksql.samples import write
from tests.unit.tpcc_command.events import CONNECTED, counted, interval, outcome

REAL = Path(__file__).parents[2] / "data" / "peers" / "benchmarksql-5.0.txt"


def log_of(folder: Path) -> tuple[str, RunLog]:
    said: list[str] = []
    log = _Log(said.append)
    log.lines(text.run_header(read_settings(write(folder))))
    log.lines(["C value for C_LAST during load: 157"])
    speaker = Speaker(said.append, log, None)
    speaker.connected(CONNECTED)
    seconds = [interval(0), interval(1, payment=counted(430, failed=7))]
    for second in seconds:
        speaker.interval(second)
    speaker.ended(outcome(*seconds))
    whole = "".join(said)
    return whole, read_run_log(whole)


def test_benchmarksqls_own_log_is_read() -> None:
    log = read_run_log(REAL.read_text())
    assert log.measured["tpmC (NewOrders)"] == "36763.87"
    assert (log.c_load, log.c_run) == (157, 227)
    assert log.header["terminals"] == "4"
    assert len(log.statuses) > 1


def test_ours_is_read_by_the_same_reader_and_its_figures_are_right(tmp_path: Path) -> None:
    said, log = log_of(tmp_path)
    assert log.header["warehouses"] == "4"
    assert log.statuses[-1][:2] == ("60000.00", "60000")
    assert log.measured["tpmC (NewOrders)"] == "27000.0"
    # A transaction that failed is none, and none is counted that was not there.
    assert (log.measured["tpmTOTAL"], log.measured["count"]) == ("60000.0", "2000")
    assert (log.c_load, log.c_run) == (157, 67)
    assert "secret" not in said


def test_figures_are_cut_as_there() -> None:
    log = text.closing(
        outcome(interval(0, new_order=counted(100)), interval(1, new_order=counted(101))),
        datetime.now(),
        datetime.now(),
    )
    assert log[2] == "Measured tpmC (NewOrders) = 6030.0"


def test_the_loader_repeats_what_it_reads_without_the_password(tmp_path: Path) -> None:
    conn = "conn=jdbc:mysql://db/d?useSSL=false&password=hidden"
    lines = text.loader_header(read_settings(write(tmp_path, "-loadWorkers", conn))).splitlines()
    assert lines[0] == "Starting BenchmarkSQL LoadData"
    assert "password=***********" in lines
    assert "conn=jdbc:mysql://db/d?useSSL=false&password=***********" in lines
    assert "loadWorkers (not defined - using default '4')" in lines
    assert "fileLocation (not defined)" in lines


@pytest.fixture
def directory(tmp_path: Path) -> RunDirectory:
    return RunDirectory(tmp_path / "result", 12)


def rows(directory: RunDirectory, name: str) -> list[list[str]]:
    with (directory.path / "data" / name).open() as file:
        return list(csv.reader(file))


def test_the_directory_has_its_tables(tmp_path: Path, directory: RunDirectory) -> None:
    settings = read_settings(write(tmp_path))
    started = datetime(2026, 1, 2, 3, 4, 5, 678_000)
    directory.write_info(settings, read_run(settings), started, 9)
    head, row = rows(directory, "runInfo.csv")
    assert dict(zip(head, row, strict=True)) == {
        "run": "12",
        "driver": "dbdyno",
        "driverVersion": "0.1.0",
        "db": "mysql",
        "sessionStart": "2026-01-02 03:04:05.678",
        "runMins": "5",
        "loadWarehouses": "9",
        "runWarehouses": "4",
        "numSUTThreads": "8",
        "limitTxnsPerMin": "0",
        "thinkTimeMultiplier": "0.0",
        "keyingTimeMultiplier": "0.0",
    }
    directory.write_summary(outcome(), skipped=3)
    summary = {row[0]: row[1:] for row in rows(directory, "tx_summary.csv")}
    assert summary["NEW_ORDER"][:2] == ["900", "45.000%"]
    assert summary["NEW_ORDER"][2:5] == ["0.004s", "0.004s", "5.0"]
    assert (summary["DELIVERY"][-1], summary["DELIVERY_BG"][-1]) == ("3", "N/A")
    assert summary["tpmC"][0] == "27000.00"
    assert summary["tpmTotal"][0] == "60000.00"


LOG = """\
client,transaction,scheduled_s,start_s,end_s,handled_s,ending,phase,retries,note
1,delivery,0.1,0.2,0.35,0.35,committed,window,0,w_id=1 carrier=3 o_ids=2/0/3/4/5/6/7/0/20/10
2,payment,-0.2,-0.2,-0.1,-0.1,committed,warmup,0,
0,new_order,0.1,0.1,0.1123,0.1124,rolled_back,window,1,w_id=1 d_id=2 o_id=3001
,payment,0.3,,0.4,0.4,dropped,drain,0,
0,stock_level,0.3,0.3,0.31,0.31,failed,window,10,deadlock
1,delivery,0.36,0.36,0.4,0.4,committed,drain,0,w_id=1 carrier=3 o_ids=0/0/0/0/0/0/0/0/0/0
"""


def test_each_transaction_that_counts_has_its_row(directory: RunDirectory) -> None:
    directory.log.write_text(LOG)
    assert directory.write_single(outcome().request) == 2
    assert rows(directory, "result.csv") == [
        ["run", "elapsed", "latency", "dblatency", "ttype", "rbk", "dskipped", "error"],
        ["12", "112", "12", "12", "NEW_ORDER", "1", "0", "0"],
        ["12", "310", "10", "10", "STOCK_LEVEL", "0", "0", "1"],
        ["12", "350", "250", "150", "DELIVERY", "0", "2", "0"],
    ]
    assert not directory.log.exists()


def test_the_copy_of_the_properties_has_no_password(
    tmp_path: Path, directory: RunDirectory
) -> None:
    path = write(
        tmp_path,
        "password=sec\\\n  ret",
        "conn=jdbc:mysql://you:hidden@db/d?password=\\\n  hidden",
        "osCollectorSSHPassword=hidden",
        "#password=hidden",
        "  //password=hidden",
        "! it was hidden",
    )
    settings = read_settings(path)
    assert (settings.password, settings.jdbc.password) == ("secret", "hidden")
    directory.write_properties(settings)
    copied = (directory.path / "run.properties").read_text()
    assert not any(part in copied for part in ("sec\\", "ret", "hidden"))
    assert parse_properties(copied) == settings.properties
    assert "password=***********\n" in copied
    assert "warehouses=4\n" in copied


def test_a_directory_is_never_written_twice(directory: RunDirectory) -> None:
    with pytest.raises(InputError, match="is there already"):
        RunDirectory(directory.path, 13)


def test_runs_are_numbered_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [next_number(), next_number()] == [1, 2]
