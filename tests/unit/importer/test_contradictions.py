"""Figures that other figures of the same log refute: each is left out, and a note says why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbdyno.importer.contradictions import without_contradictions
from dbdyno.importer.intervals import idle_at_end
from dbdyno.trial_evidence import (
    IntervalEvidence,
    KindEvidence,
    MeasuredFrom,
    Source,
    Times,
    TrialEvidence,
)

from .logs import notes_of, read_text


def trial(times: Times, clients: int | None = 8, rate: float = 100.0) -> TrialEvidence:
    return TrialEvidence(
        source=Source(tool="sysbench", path="a"),
        clients=clients,
        measured_s=10.0,
        throughput_per_s=rate,
        times=times,
    )


IMPOSSIBLE = {
    "below the minimum": (Times(min_ms=241.47, quantiles_ms={0.95: 240.02}), (241.47, None)),
    "above the maximum": (Times(max_ms=5.0, quantiles_ms={0.95: 5.5}), (0.0, 5.0)),
    "below what the mean needs": (
        Times(min_ms=50, mean_ms=1000, max_ms=3000, quantiles_ms={0.95: 500.5}),
        (789.46, 3000),
    ),
    "above what the mean allows": (Times(mean_ms=1.0, quantiles_ms={0.95: 30.5}), (0.0, 22.2)),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_percentiles_that_cannot_be(name: str) -> None:
    times, (low, high) = IMPOSSIBLE[name]
    found = without_contradictions(trial(times, clients=None))
    assert found.times is not None
    assert found.times.quantiles_ms == {}
    assert found.times.mean_ms == times.mean_ms
    figures = notes_of(found)["percentile_refuted"]
    assert figures["name"] == "p95"
    assert figures["low_ms"] == pytest.approx(low, abs=0.01)
    assert figures["high_ms"] == (None if high is None else pytest.approx(high, abs=0.01))


def test_times_of_any_distribution_are_kept() -> None:
    """Of 300 samples of very different shapes nothing is refuted, with times rounded as printed."""
    random = np.random.default_rng(5)
    for shape in np.linspace(0.05, 3.0, 100):
        for sample in (
            random.lognormal(1.0, shape, 500),
            random.pareto(shape + 0.2, 500) + 0.5,
            random.choice([1.0, 2000.0], 500, p=[0.97, 0.03]) * random.uniform(0.9, 1.1, 500),
        ):
            shares = (0.5, 0.9, 0.95, 0.99)
            times = Times(
                quantiles_ms={s: round(float(np.quantile(sample, s)), 2) for s in shares},
                mean_ms=round(float(sample.mean()), 2),
                min_ms=round(float(sample.min()), 2),
                max_ms=round(float(sample.max()), 2),
            )
            found = without_contradictions(trial(times, clients=None))
            assert (found.times, found.notes) == (times, ())


def test_percentiles_that_are_not_in_order() -> None:
    found = without_contradictions(trial(Times(quantiles_ms={0.95: 9.5, 0.99: 2.5})))
    assert found.times == Times()
    assert "percentiles_not_in_order" in notes_of(found)


def test_a_mean_beside_its_ends() -> None:
    found = without_contradictions(trial(Times(min_ms=2.0, mean_ms=9.5, max_ms=5.0)))
    assert found.times == Times(min_ms=2.0, max_ms=5.0)
    assert notes_of(found)["mean_refuted"]["mean_ms"] == 9.5


def test_times_of_kinds_are_checked_and_said_once() -> None:
    times = Times(max_ms=5.0, quantiles_ms={0.95: 5.5})
    one = trial(times, clients=None)
    found = without_contradictions(
        TrialEvidence(
            source=one.source, times=times, kinds={"new_order": KindEvidence(times=times)}
        )
    )
    assert found.times == found.kinds["new_order"].times == Times(max_ms=5.0)
    assert [dict(note.figures)["name"] for note in found.notes] == ["p95 (new_order)"]


@pytest.mark.parametrize("count", [1000, None])
def test_more_transactions_at_once_than_clients(count: int | None) -> None:
    """100 a second of 200 ms each are 20 at once; only a count tells that 100 is right."""
    found = without_contradictions(trial(Times(mean_ms=200.0, count=count)))
    assert found.times is None
    assert found.throughput_per_s == (100.0 if count else None)
    code = "more_than_clients" if count else "more_than_clients_uncounted"
    assert notes_of(found)[code] == {"busy": 20.0, "clients": 8}


def test_as_many_at_once_as_clients_or_from_when_they_were_due() -> None:
    full = trial(Times(mean_ms=80.0, count=1000))
    assert without_contradictions(full) == full
    due = trial(Times(mean_ms=200.0, measured_from=MeasuredFrom.SCHEDULED))
    assert without_contradictions(due) == due
    unknown = trial(Times(mean_ms=200.0), clients=None)
    assert without_contradictions(unknown) == unknown


def intervals(*rates: float, clients: tuple[int, ...] = ()) -> list[IntervalEvidence]:
    return [
        IntervalEvidence(
            start_s=float(second),
            duration_s=1.0,
            throughput_per_s=rate,
            clients=clients[second] if clients else None,
        )
        for second, rate in enumerate(rates)
    ]


def test_the_end_of_a_load_is_where_nothing_happens_any_more() -> None:
    assert idle_at_end(intervals(100, 110, 0, 105, 90, 100, 100, 100, 100, 100, 100, 0, 0)) == 2
    fewer = (8, 8, 8, 3, 3)
    assert idle_at_end(intervals(100, 110, 105, 4, 0, clients=fewer)) == 2
    # Fewer clients that do their share are a load, and so are pauses that come all the time.
    assert idle_at_end(intervals(100, 110, 105, 60, 60, clients=fewer)) == 0
    assert idle_at_end(intervals(1, 0, 1, 0, 0, 1, 0)) == 0
    assert idle_at_end(intervals(0, 0, 0)) == 0


def test_intervals_with_percentiles_that_cannot_be() -> None:
    good, unordered, above = (
        IntervalEvidence(start_s=0.0, duration_s=1.0, quantiles_ms=told, max_ms=9.5)
        for told in ({0.95: 2.5, 0.99: 9.5}, {0.95: 3.5, 0.99: 2.5}, {0.95: 2.5, 0.99: 9.9})
    )
    one = replace(trial(Times()), intervals=(good, unordered, above))
    found = without_contradictions(one)
    assert [dict(each.quantiles_ms) for each in found.intervals] == [good.quantiles_ms, {}, {}]
    assert notes_of(found) == {"percentiles_of_intervals": {"intervals": 2}}


SYSBENCH = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
Running the test with following options:
Number of threads: 64
SQL statistics:
    transactions:                        6000   (100.00 per sec.)
General statistics:
    total time:                          60.0000s
    total number of events:              6000
Latency (ms):
         min:                                    1.90
         avg:                                  500.00
         max:                               150000.00
         95th percentile:                      601.29
         sum:                              3000000.00
"""
PGBENCH = """\
pgbench (15.1)
number of clients: 8
duration: 30 s
number of transactions actually processed: 30000
latency average = 7.900 ms
latency stddev = 1.000 ms
tps = 1000.000000 (without initial connection time)
"""
GO_TPC = (
    "[Summary] NEW_ORDER - Takes(s): 60.0, Count: 2700, TPM: 2700.0, Sum(ms): 48600.0, "
    "Avg(ms): 18.0, 50th(ms): 16.8, 95th(ms): 27.3, Max(ms): 88.1\n"
    "tpmC: 2700.0, tpmTotal: 6000.0, efficiency: 20.0%\n"
)
HAMMERDB = """\
Vuser 1:64 Active Virtual Users configured
Vuser 1:TEST RESULT : System achieved 60000 NOPM from 140000 MySQL TPM
>>>>> SUMMARY OF 64 ACTIVE VIRTUAL USERS : MEDIAN ELAPSED TIME : 420146ms
>>>>> PROC: NEWORD
CALLS: 1000	MIN: 1.640ms	AVG: 20.000ms	MAX: 155.893ms	TOTAL: 20000.000ms
P99: 90.0ms	P95: 60.0ms	P50: 18.0ms	SD: 78820.126	RATIO: 66.301%
"""
TPCC_MYSQL = """\
<Raw Results>
  [0] sc:600 lt:0  rt:0  fl:0
 in 60 sec.
<TpmC>
                 600.000 TpmC
"""
BENCHMARKSQL = """\
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Measured tpmC (NewOrders) = 1000.0
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Measured tpmTOTAL = 2200.0
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Session Start     = 2024-03-05 09:55:30
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Session End       = 2024-03-05 10:00:30
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Transaction Count = 10999
"""
BENCHBASE = """\
{"Latency Distribution": {"Average Latency (microseconds)": 1000}, "terminals": 16,
"Throughput (requests/second)": 1000.5, "Goodput (requests/second)": 990.5,
"Measured Requests": 60030, "Elapsed Time (nanoseconds)": 60000000000}
"""
YCSB = """\
Command line: -t -db x -threads 8
[OVERALL], RunTime(ms), 10000
[OVERALL], Throughput(ops/sec), 1000.0
[READ], Operations, 10000
[READ], AverageLatency(us), 500.5
[READ], Return=OK, 10000
"""
LOGS = {
    "sysbench": SYSBENCH,
    "pgbench": PGBENCH,
    "go-tpc": GO_TPC,
    "go-tpc early": GO_TPC.partition("tpmC")[0],
    "hammerdb": HAMMERDB,
    "tpcc-mysql": TPCC_MYSQL,
    "benchmarksql": BENCHMARKSQL,
    "benchbase": BENCHBASE,
    "ycsb": YCSB,
}
REFUTING = {
    "rate_refuted", "percentile_refuted", "mean_refuted", "more_than_all", "count_differs",
    "sum_refutes_times", "end_of_histogram", "more_than_clients", "more_than_clients_uncounted",
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_logs_that_agree_with_themselves(name: str, tmp_path: Path) -> None:
    (found,) = read_text(LOGS[name], tmp_path)
    assert found.throughput_per_s
    assert not REFUTING & notes_of(found).keys()


REFUTED = {
    # What is changed in a log, into what, which note says it; is the throughput gone, the times?
    "sysbench rate": ("sysbench", "(100.00 per", "(150.00 per", "rate_refuted", True, False),
    "sysbench end": ("sysbench", "601.29", "100000.00", "end_of_histogram", False, False),
    "sysbench sum": ("sysbench", "3000000.00", "1200000.00", "sum_refutes_times", False, True),
    "sysbench threads": ("sysbench", "threads: 64", "threads: 8", "more_than_clients", False, True),
    "pgbench rate": ("pgbench", "1000.000000", "1500.000000", "rate_refuted", True, False),
    "pgbench clients": ("pgbench", "clients: 8", "clients: 2", "more_than_clients", False, True),
    "go-tpc rate": ("go-tpc", "tpmC: 2700.0", "tpmC: 5400.0", "rate_refuted", True, False),
    "go-tpc TPM": ("go-tpc early", "TPM: 2700.0", "TPM: 5400.0", "rate_refuted", True, False),
    "go-tpc sum": ("go-tpc", "Sum(ms): 48600", "Sum(ms): 99600", "sum_refutes_times", False, True),
    "hammerdb all": ("hammerdb", "140000 MySQL", "40000 MySQL", "more_than_all", True, False),
    "hammerdb sum": ("hammerdb", "TOTAL: 20000", "TOTAL: 60000", "sum_refutes_times", False, True),
    "hammerdb users": (
        *("hammerdb", "Vuser 1:64", "Vuser 1:8", "more_than_clients_uncounted", True, True),
    ),
    "tpcc-mysql rate": ("tpcc-mysql", "600.000 T", "900.000 T", "rate_refuted", True, True),
    "benchmarksql all": ("benchmarksql", "= 2200.0", "= 800.0", "more_than_all", True, True),
    "benchmarksql count": ("benchmarksql", "10999", "1099", "count_differs", False, True),
    "benchbase rate": ("benchbase", "60030", "90030", "rate_refuted", True, False),
    "benchbase good": ("benchbase", "990.5", "1990.5", "more_than_all", True, False),
    "benchbase terminals": (
        *("benchbase", '(microseconds)": 1000', '(microseconds)": 99000', "more_than_clients"),
        *(False, True),
    ),
    "ycsb count": ("ycsb", "OK, 10000", "OK, 30000", "rate_refuted", True, False),
    "ycsb threads": ("ycsb", "(us), 500.5", "(us), 90500.5", "more_than_clients", False, True),
}


@pytest.mark.parametrize("name", REFUTED)
def test_logs_that_refute_themselves(name: str, tmp_path: Path) -> None:
    log, before, after, code, has_no_rate, has_no_times = REFUTED[name]
    assert before in LOGS[log]
    (found,) = read_text(LOGS[log].replace(before, after), tmp_path)
    assert REFUTING & notes_of(found).keys() == {code}
    assert (found.throughput_per_s is None, found.times is None) == (has_no_rate, has_no_times)


def test_an_average_that_pgbench_has_computed_refutes_the_number_of_clients(tmp_path: Path) -> None:
    text = PGBENCH.replace("latency stddev = 1.000 ms\n", "").replace("clients: 8", "clients: 2")
    (found,) = read_text(text, tmp_path)
    assert "more_than_clients" in notes_of(found)
    assert found.times is None


def test_the_histogram_of_go_tpc_ends_at_16_s(tmp_path: Path) -> None:
    text = GO_TPC.replace("Sum(ms): 48600.0", "Sum(ms): 486000.0")
    text = text.replace("95th(ms): 27.3", "95th(ms): 16106.1").replace("88.1", "16106.1")
    (found,) = read_text(text, tmp_path)
    assert found.times == Times(mean_ms=180.0, quantiles_ms={0.5: 16.8}, count=2700)
    assert notes_of(found)["end_of_histogram"]["percentiles"] == "p95"


TAILS = {
    "sysbench": (
        "[ {end}s ] thds: {clients} tps: {rate} qps: 9.00 (r/w/o: 1.00/2.00/3.00) "
        "lat (ms,95%): 7.00 err/s: 0.00 reconn/s: 0.00\n"
    ),
    "pgbench": "progress: {end}.0 s, {rate} tps, lat 1.000 ms stddev 0.500\n",
    "benchmarksql": "progress: {end}.0, tpmTOTAL: 600.0, tpmC: {average}\n",
    "ycsb": "2020-01-10 16:21:40:213 {end} sec: {done} operations; {rate} current ops/sec;\n",
}


@pytest.mark.parametrize("tool", TAILS)
def test_seconds_after_the_end_are_in_no_throughput(tool: str, tmp_path: Path) -> None:
    text, done = "", 0
    for end in range(1, 21):
        rate = 100 if end <= 12 else 0
        done += rate
        text += TAILS[tool].format(
            end=end, rate=f"{rate}.00", clients=8 if rate else 3, done=done, average=done * 60 / end
        )
    (found,) = read_text(text, tmp_path)
    assert found.throughput_per_s == pytest.approx(100)
    assert found.measured_s == pytest.approx(12)
    assert notes_of(found)["idle_end_left_out"] == {"intervals": 8, "from_s": 12.0}


@pytest.mark.parametrize("rate", [100, 300])
def test_intervals_of_another_run_than_the_summary(rate: int, tmp_path: Path) -> None:
    lines = "".join(
        TAILS["sysbench"].format(end=end, rate=f"{rate}.00", clients=64) for end in range(1, 61)
    )
    (found,) = read_text(SYSBENCH.replace("SQL statistics", lines + "SQL statistics"), tmp_path)
    assert found.throughput_per_s == 100
    assert (len(found.intervals), "intervals_differ" in notes_of(found)) == (
        (60, False) if rate == 100 else (0, True)
    )


def test_a_throughput_of_all_that_hammerdb_has_not_counted_refutes_nothing(tmp_path: Path) -> None:
    (found,) = read_text(HAMMERDB.replace("140000 MySQL", "0 Oracle"), tmp_path)
    assert found.throughput_per_s == 1000


def test_seconds_after_the_end_that_a_summary_has_counted_are_said(tmp_path: Path) -> None:
    lines = "".join(
        TAILS["sysbench"].format(end=end, rate="100.00" if end <= 50 else "0.00", clients=64)
        for end in range(1, 61)
    )
    (found,) = read_text(SYSBENCH.replace("SQL statistics", lines + "SQL statistics"), tmp_path)
    assert found.throughput_per_s == 100
    assert notes_of(found)["idle_end_counted"] == {"intervals": 10, "from_s": 50.0}
