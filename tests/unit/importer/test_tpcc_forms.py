"""Forms of the TPC-C tools' output that their versions and variants have."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.importer.read import read_logs

from .logs import DATA, notes_of, read_text

OLD_TPCC_MYSQL = """\
***************************************
*** ###easy### TPC-C Load Generator ***
***************************************
<Parameters>
     [server]: localhost
       [pass]: s3cret
  [warehouse]: 10
 [connection]: 4
     [rampup]: 10 (sec.)
    [measure]: 20 (sec.)

MEASURING START.

  10, 100(2):0.123|0.456, 101(0):0.100|0.300, 10(0):0.050|0.060, 10(0):0.200|0.300, 10(0):0.4|0.5,
  20, 120(2):0.123|0.456, 119(0):0.100|0.300, 12(0):0.050|0.060, 12(0):0.200|0.300, 12(0):0.4|0.5,

STOPPING THREADS....

<Raw Results>
  [0] sc:216  lt:4  rt:1  fl:2
  [1] sc:220  lt:0  rt:0  fl:0
  [2] sc:22  lt:0  rt:0  fl:0
  [3] sc:22  lt:0  rt:0  fl:0
  [4] sc:22  lt:0  rt:0  fl:0
 in 20 sec.

<TpmC>
                 660.000 TpmC
"""


def test_older_tpcc_mysql(tmp_path: Path) -> None:
    (trial,) = read_text(OLD_TPCC_MYSQL, tmp_path)
    assert trial.throughput_per_s == 11
    assert (trial.failed, trial.retries, trial.times) == (2, 1, None)
    assert [each.throughput_per_s for each in trial.intervals] == [10, 12]
    assert all(not each.quantiles_ms and each.max_ms is None for each in trial.intervals)
    assert "cpu_times_dropped" in notes_of(trial)
    assert "s3cret" not in str(trial)


def test_tpcc_mysql_that_was_cut(tmp_path: Path) -> None:
    (trial,) = read_text(OLD_TPCC_MYSQL.partition("STOPPING")[0], tmp_path)
    assert (trial.throughput_per_s, trial.measured_s, trial.kinds) == (None, None, {})
    assert len(trial.intervals) == 2
    assert notes_of(trial)["truncated"] == {"until_s": 20.0}


OLD_GO_TPC = """\
[Current] NEW_ORDER - Takes(s): 9.9, Count: 5231, TPM: 31597.2, Sum(ms): 94000.1, Avg(ms): 18.0, \
90th(ms): 25.2, 99th(ms): 37.7, 99.9th(ms): 71.3
Finished
[Summary] NEW_ORDER - Takes(s): 9.9, Count: 5231, TPM: 31597.2, Sum(ms): 94000.1, Avg(ms): 18.0, \
90th(ms): 25.2, 99th(ms): 37.7, 99.9th(ms): 71.3
[Summary] KEYINGTIME-NEW_ORDER - 18.0s
tpmC: 31597.2
"""


def test_older_go_tpc(tmp_path: Path) -> None:
    command = "$ ./bin/go-tpc tpcc run -T 64 --warehouses 10 -p s3cret --time 10s\n"
    (trial,) = read_text(command + OLD_GO_TPC, tmp_path)
    assert (trial.clients, trial.options["warehouses"]) == (64, "10")
    assert trial.times is not None
    assert trial.times.quantiles_ms == {0.9: 25.2, 0.99: 37.7, 0.999: 71.3}
    assert trial.times.max_ms is None
    assert trial.throughput_per_s == pytest.approx(31597.2 / 60)
    assert "terminals_think" in notes_of(trial)
    assert "s3cret" not in str(trial)


def test_go_tpc_in_a_loop(tmp_path: Path) -> None:
    assert len(read_text(OLD_GO_TPC * 3, tmp_path)) == 3


def test_go_tpc_that_failed(tmp_path: Path) -> None:
    text = OLD_GO_TPC.partition("Finished")[0]
    (trial,) = read_text(f"{text}[t] execute run failed, err dial tcp: refused\n", tmp_path)
    assert trial.failure == "execute run failed, err dial tcp: refused"
    (cut,) = read_text(text, tmp_path)
    assert cut.failure is None
    assert "truncated" in notes_of(cut)


VERSION_6 = """\
10:00:00,000 [main] INFO  jTPCC : main, warehouses=10
10:00:00,000 [main] INFO  jTPCC : main, runMins=1
10:00:00,000 [main] INFO  jTPCC : main, rampupMins=1
10:00:00,000 [main] INFO  jTPCC : main, reportIntervalSecs=30
10:00:00,000 [main] INFO  jTPCC : main, password=***
10:00:00,000 [main] INFO  jTPCC : main, keyingTimeMultiplier=1.0
23:59:30,000 [T-1] INFO  jTPCCScheduler : rampup done - measurement begins
00:00:00,000 [T-1] INFO  jTPCCScheduler : Current TPM=2000 NOPM=900
00:00:30,000 [T-1] INFO  jTPCCScheduler : Current TPM=2200 NOPM=960
10:02:00 [main] INFO  jTPCC : result, | NEW_ORDER    |           635 |  44.593 |   0.006 |   0.012 \
|   0.008 |   1.102 |             2 |
10:02:00 [main] INFO  jTPCC : result, | DELIVERY     |            51 |   3.581 |   0.000 |   0.001 \
|   0.001 |   0.000 |             0 |
10:02:00 [main] INFO  jTPCC : result, | STOCK_LEVEL  |             0 |   0.000 |     NaN |     NaN \
|     NaN |     NaN |           NaN |
10:02:00 [main] INFO  jTPCC : result, Overall NOPM:          635 (98.76% of the theoretical maximum)
10:02:00 [main] INFO  jTPCC : result, Overall TPM:         1,424
"""


def test_benchmarksql_6(tmp_path: Path) -> None:
    (trial,) = read_text(VERSION_6, tmp_path)
    assert trial.throughput_per_s == pytest.approx(635 / 60)
    assert (trial.warmup_s, trial.measured_s) == (60, 60)
    new_order = trial.kinds["new_order"]
    assert (new_order.committed, new_order.rolled_back, new_order.failed) == (628, 7, 2)
    assert trial.times is not None
    assert trial.times.quantiles_ms == {0.9: 8}
    assert (trial.times.mean_ms, trial.times.max_ms) == (6, 12)
    assert [each.throughput_per_s for each in trial.intervals] == [15, 16]
    assert [each.start_s for each in trial.intervals] == [0, 30]
    assert trial.kinds["stock_level"].times is None
    assert {"seconds_to_ms", "terminals_think"} <= notes_of(trial).keys()


def test_benchmarksql_with_progress(tmp_path: Path) -> None:
    begin = "10:00:00,000 [main] INFO  jTPCC : Term-00,      BenchmarkSQL v5.1\n"
    lines = (
        "progress: 1.0, tpmTOTAL: 1200.0, tpmC: 600.0\nprogress: 2.0, tpmTOTAL: 0.0, tpmC: 900.0\n"
    )
    (trial,) = read_text(begin + lines, tmp_path)
    # 10 New-Orders in the first second, and 30 after two.
    assert [each.throughput_per_s for each in trial.intervals] == [10, 20]
    assert (trial.throughput_per_s, trial.measured_s) == (15, 2)
    assert "truncated" in notes_of(trial)


def test_benchmarksql_every_five_seconds(tmp_path: Path) -> None:
    line = "[2026/01/01 {0}.500]\tAverage tpmC: 1.00\tCurrent tpmC: {1}.00\tMemory Usage: 1MB\n"
    text = "BenchmarkSQL jTPCC : BenchmarkSQL v5.0\n" + "".join(
        line.format(*each) for each in (("23:59:50", 600), ("23:59:55", 1200), ("00:00:00", 1800))
    )
    (trial,) = read_text(text, tmp_path)
    assert [each.throughput_per_s for each in trial.intervals] == [10, 20, 30]
    assert [each.start_s for each in trial.intervals] == [0, 5, 10]


def test_benchmarksql_that_only_shows_its_status(tmp_path: Path) -> None:
    status = (
        "Term-00, Running Average tpmTOTAL: 20000.00    Current tpmTOTAL: 12    Memory Usage: 1MB"
    )
    (trial,) = read_text((status + "\b" * 80) * 5, tmp_path)
    assert (trial.throughput_per_s, trial.intervals) == (None, ())
    assert "nothing_measured" in notes_of(trial)


@pytest.fixture
def result(tmp_path: Path) -> Path:
    folder = tmp_path / "result"
    shutil.copytree(DATA / "benchmarksql-result", folder)
    return folder


def test_a_directory_is_searched_for_logs_and_results(result: Path) -> None:
    shutil.copy(DATA / "benchmarksql-5.0.log", result.parent)
    (result.parent / "notes.txt").write_text("nothing of interest\n")
    trials = read_logs([result.parent])
    assert [Path(each.source.path).name for each in trials] == ["result", "benchmarksql-5.0.log"]


def test_a_result_of_version_6(result: Path) -> None:
    (result / "data" / "summary.csv").write_text(
        "ttype,count,percent,mean,max,rollbacks,errors\nNEW_ORDER,600,45.0,0.025,0.5,6,0\n"
    )
    (trial,) = read_logs([result])
    assert trial.throughput_per_s == 10
    assert trial.kinds["new_order"].rolled_back == 6
    assert trial.times is not None
    assert (trial.times.mean_ms, trial.times.max_ms, trial.times.quantiles_ms) == (25, 500, {})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no table"),
        (b"run,elapsed,latency\n7,1,1\n", "has no column ttype, rbk, error"),
        (
            b"run,elapsed,latency,dblatency,ttype,rbk,dskipped,error\n7,x,1,1,P,0,0,0\n",
            "no transac",
        ),
        (None, "has neither data/result.csv nor data/summary.csv"),
    ],
)
def test_a_damaged_result_is_refused(content: bytes | None, message: str, result: Path) -> None:
    path = result / "data" / "result.csv"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_logs([result])


def test_lines_of_a_result_that_are_damaged_are_left_out(result: Path) -> None:
    path = result / "data" / "result.csv"
    path.write_bytes(path.read_bytes() + b"7,99999999999999999999,1,1,PAYMENT,0,0,0\n7,5399\n")
    (trial,) = read_logs([result])
    assert notes_of(trial)["damaged_lines"] == {"lines": 2}


def test_the_port_of_tpcc_mysql_that_prints_totals(tmp_path: Path) -> None:
    text = """\
<Constraint Check> (all must be [OK])
        Payment: 43.482682% (>=43.0%) [OK]
 NewOrder Total: {0}
 Payment Total: 7269
 Order Stat Total: 727
 Delivery Total: 726
 Slev Total: 727

<TpmC>
{0}.215 TpmC
"""
    one, two = read_text(text.format(7200) + text.format(3600), tmp_path)
    assert [each.throughput_per_s for each in (one, two)] == pytest.approx([120, 60], rel=1e-3)
    assert {kind: each.committed for kind, each in one.kinds.items()} == {
        "new_order": 7200,
        "payment": 7269,
        "order_status": 727,
        "delivery": 726,
        "stock_level": 727,
    }


def test_the_fork_of_tpcc_mysql_that_prints_names(tmp_path: Path) -> None:
    text = """\
|New-Order| sc: 93000  lt: 60  fl: 977
|Payment| sc: 93036  lt: 0  fl: 0
in 720 sec.
<TpmC>
7755 Tpmc
"""
    (trial,) = read_text(text, tmp_path)
    assert (trial.throughput_per_s, trial.measured_s, trial.failed) == (7755 / 60, 720, 977)
    assert trial.kinds["new_order"].committed == 93060


def test_a_mean_of_tpcc_mysql_without_a_ramp_up_is_kept(tmp_path: Path) -> None:
    text = (DATA.parent / "peers" / "tpcc-mysql.txt").read_text()
    (without,) = read_text(text.replace("[rampup]: 3 ", "[rampup]: 0 "), tmp_path)
    assert without.kinds["delivery"].times is None  # 10 at once on 8 connections: it had one
    few = text.replace("[rampup]: 3 ", "[rampup]: 0 ").replace(
        "[connection]: 8", "[connection]: 10"
    )
    (kept,) = read_text(few, tmp_path)
    assert kept.times is not None
    assert kept.times.mean_ms == 11.8
