"""The figures of each tool's own output, read by hand from the files."""

from __future__ import annotations

import pytest

from dbdyno.trial_evidence import MeasuredFrom

from .logs import notes_of, read_one


def test_sysbench_with_intervals() -> None:
    trial = read_one("sysbench-1.0.20-read_write.log")
    assert (trial.source.tool, trial.source.tool_version) == ("sysbench", "1.0.20")
    assert (trial.clients, trial.measured_s, trial.throughput_per_s) == (8, 8.0062, 1548.92)
    assert (trial.failed, trial.reconnects, trial.warmup_s, trial.failure) == (0, 0, None, None)
    assert trial.options == {"threads": "8", "report-interval": "1", "rate": "0"}
    assert trial.times is not None
    assert trial.times.measured_from is MeasuredFrom.START
    assert trial.times.quantiles_ms == {0.95: 7.30}
    assert (trial.times.min_ms, trial.times.mean_ms, trial.times.max_ms) == (0.58, 5.16, 30.82)
    assert trial.times.count == 12402
    assert [each.start_s for each in trial.intervals] == [0, 1, 2, 3, 4, 5, 6, 7]
    first, last = trial.intervals[0], trial.intervals[-1]
    assert (first.throughput_per_s, first.quantiles_ms, first.clients) == (977.80, {0.95: 17.63}, 8)
    assert (last.throughput_per_s, last.quantiles_ms, last.failed_per_s) == (
        1615.9,
        {0.95: 6.55},
        0,
    )
    assert notes_of(trial) == {}


def test_sysbench_counts_ignored_errors() -> None:
    trial = read_one("sysbench-1.0.20-large-range.log")
    assert (trial.failed, trial.throughput_per_s, trial.measured_s) == (3, 1846.71, 3.0013)
    assert trial.intervals == ()


def test_sysbench_without_percentile() -> None:
    trial = read_one("sysbench-1.0.20-no-percentile.log")
    assert trial.times is not None
    assert trial.times.quantiles_ms == {}
    assert (trial.times.mean_ms, trial.times.max_ms, trial.throughput_per_s) == (
        0.08,
        7.04,
        51397.97,
    )
    assert notes_of(trial) == {"no_percentile": {}}


def test_sysbench_after_a_checkpoint_at_a_rate() -> None:
    trial = read_one("sysbench-1.0.20-rate-checkpoints.log")
    assert trial.times is not None
    assert trial.times.measured_from is MeasuredFrom.SCHEDULED
    # 19,891 transactions at 4,970.08 per second took 4.002 s, and not the 8.0022 s of the log.
    assert trial.measured_s == 4.0021
    assert trial.measured_s == pytest.approx(19891 / 4970.08, abs=1e-3)
    assert (trial.warmup_s, trial.throughput_per_s, trial.times.count) == (4.0001, 4970.08, 19891)
    assert [each.start_s for each in trial.intervals] == [-4.0001, -2.0001, -0.0001, 1.9999]
    assert notes_of(trial) == {"since_checkpoint": {"at_s": 4.0001, "printed_s": 8.0022}}


def test_sysbench_that_failed() -> None:
    trial = read_one("sysbench-1.0.20-fatal.log")
    assert trial.failure is not None
    assert "1146 \"Table 'sbtest.sbtest5' doesn't exist\"" in trial.failure
    assert (trial.throughput_per_s, trial.measured_s, trial.times, trial.failed) == (None,) * 4
    assert trial.clients == 2


def test_pgbench_with_progress_and_statements() -> None:
    trial = read_one("pgbench-15-progress.log")
    assert (trial.source.tool_version, trial.clients, trial.failed) == ("15.18", 8, 0)
    assert (trial.throughput_per_s, trial.retries) == (4596.885569, None)
    assert trial.measured_s == pytest.approx(36837 / 4596.885569)
    assert trial.options["script"] == "<builtin: TPC-B (sort of)>"
    assert (trial.options["scale"], trial.options["protocol"]) == ("2", "prepared")
    assert trial.times is not None
    assert (trial.times.mean_ms, trial.times.count) == (1.730, 36837)
    assert trial.times.measured_from is MeasuredFrom.START
    assert [each.throughput_per_s for each in trial.intervals] == [4318.9, 4728.9, 4653.6, 4713.2]
    assert [each.duration_s for each in trial.intervals] == [2, 2, 2, 2]
    assert trial.intervals[0].mean_ms == 1.834


def test_pgbench_at_a_rate() -> None:
    trial = read_one("pgbench-15-rate-failures.log")
    assert trial.times is not None
    assert trial.times.measured_from is MeasuredFrom.SCHEDULED
    assert (trial.failed, trial.retries, trial.times.mean_ms) == (0, 0, 0.752)
    assert trial.throughput_per_s == 502.483054


def test_pgbench_measures_no_times_unless_it_is_told_to() -> None:
    # Its "latency average = 3.059 ms" is 4 clients by 1307.78 per second; the transactions' own
    # log of this run has a mean of 2.554 ms.
    trial = read_one("pgbench-15-count.log")
    assert trial.times is None
    assert trial.throughput_per_s == 1307.779325
    assert "average_from_throughput" in notes_of(trial)


def test_pgbench_transactions() -> None:
    trial = read_one("pgbench-15-transactions.log")
    assert (trial.clients, trial.failed, trial.retries) == (4, 0, None)
    # From 1795214921.299409 − 5180 µs to 1795214921.446987.
    assert trial.began_unix_s == pytest.approx(1795214921.294181, abs=1e-5)
    assert trial.measured_s == pytest.approx(0.152806, abs=1e-6)
    assert trial.throughput_per_s == pytest.approx(200 / 0.152806, rel=1e-5)
    assert trial.times is not None
    assert (trial.times.count, trial.times.min_ms, trial.times.max_ms) == (200, 0.638, 66.091)
    # The 100th, 180th, 190th and 198th of 200.
    assert trial.times.quantiles_ms == {0.5: 1.302, 0.9: 2.495, 0.95: 4.781, 0.99: 65.781}


def test_pgbench_aggregates() -> None:
    trial = read_one("pgbench-15-aggregate.log")
    assert trial.measured_s == 3.0
    assert trial.throughput_per_s == pytest.approx((298 + 296 + 325) / 3)
    assert trial.times is not None
    assert trial.times.measured_from is MeasuredFrom.SCHEDULED
    assert trial.times.mean_ms == pytest.approx((288915 + 309365 + 333594) / 919 / 1000)
    assert (trial.times.min_ms, trial.times.max_ms) == (0.422, 7.753)
    assert [each.throughput_per_s for each in trial.intervals] == [298, 296, 325]
    assert notes_of(trial)["partial_buckets"] == {"interval_s": 1.0}


def test_tpcc_mysql() -> None:
    trial = read_one("tpcc-mysql.txt")
    assert (trial.clients, trial.warmup_s, trial.measured_s) == (8, 3, 12)
    assert trial.throughput_per_s == pytest.approx(24200 / 60)
    assert trial.throughput_per_s == pytest.approx((320 + 4520) / 12)
    assert trial.options["warehouses"] == "2"
    assert {kind: each.committed for kind, each in trial.kinds.items()} == {
        "new_order": 4840,
        "payment": 4840,
        "order_status": 485,
        "delivery": 484,
        "stock_level": 484,
    }
    # 8 connections: by its avg_rt of all kinds 10 would wait at once, which is 8 by 15 s to 12 s.
    assert trial.times is None
    assert [each.throughput_per_s for each in trial.intervals] == [
        366,
        1204 / 3,
        1271 / 3,
        1267 / 3,
    ]
    assert trial.intervals[0].quantiles_ms == {0.95: 23.426, 0.99: 35.546}
    assert trial.intervals[0].max_ms == 50.444
    assert {"password_dropped", "readme_says_seconds", "mean_has_rampup"} <= notes_of(trial).keys()


GO_TPC = {
    # TPM of New-Orders, their count, those that failed, p50, p95, p99.9, all that failed.
    "go-tpc-plain.txt": (44454.6, 8869, 1, 4.7, 13.1, 26.2, 6),
    "go-tpc-table.txt": (45350.8, 9054, 6, 4.7, 13.1, 27.3, 8),
    "go-tpc-json.txt": (45378.8, 9053, 5, 4.7, 12.6, 31.5, 8),
}


@pytest.mark.parametrize("name", GO_TPC)
def test_go_tpc(name: str) -> None:
    tpmc, count, failed, p50, p95, p999, all_failed = GO_TPC[name]
    trial = read_one(name)
    assert trial.throughput_per_s == pytest.approx(tpmc / 60)
    assert (trial.clients, trial.options["warehouses"], trial.failed) == (8, "2", all_failed)
    new_order = trial.kinds["new_order"]
    assert (new_order.committed, new_order.failed) == (count, failed)
    assert trial.times is not None
    shares = (0.5, 0.95, 0.999)
    assert [trial.times.quantiles_ms[share] for share in shares] == [p50, p95, p999]
    assert trial.measured_s == pytest.approx(12.0, abs=0.04)
    assert len(trial.intervals) == (4 if name == "go-tpc-plain.txt" else 3)
    assert all(each.duration_s == pytest.approx(3, abs=0.04) for each in trial.intervals)


def test_go_tpc_counts_rare_kinds_by_the_time_of_the_run() -> None:
    trial = read_one("go-tpc-plain.txt")
    # It prints 4,122.4 a minute of Deliveries, of which the first came late.
    assert trial.kinds["delivery"].rate_per_s == pytest.approx(821 / 11.971)
    assert trial.intervals[0].throughput_per_s == pytest.approx(2266 / 2.97, rel=1e-3)


def test_benchmarksql_log() -> None:
    trial = read_one("benchmarksql-5.0.log")
    assert (trial.source.tool_version, trial.clients) == ("5.0", 4)
    assert trial.throughput_per_s == pytest.approx(36763.87 / 60)
    # From 22:47:26,292 to 22:48:26,302; tpmTOTAL is of 81,819 transactions and one more.
    assert trial.measured_s == pytest.approx(60.01, abs=1e-3)
    assert trial.kinds["new_order"].committed == 36770
    assert trial.times is not None
    assert trial.times.mean_ms == pytest.approx(146346 / 36770, abs=1e-3)
    assert notes_of(trial)["total_one_too_many"] == {"printed": 81806.36, "corrected": 81805.36}
    assert trial.options["warehouses"] == "2"
    assert "user" not in trial.options


def test_benchmarksql_result() -> None:
    trial = read_one("benchmarksql-result")
    # The file holds the first 3,999 transactions of a run of a minute.
    assert trial.measured_s == 5.398
    assert sum(
        (kind.committed or 0) + (kind.rolled_back or 0) for kind in trial.kinds.values()
    ) == (3999)
    new_order = trial.kinds["new_order"]
    assert (new_order.committed, new_order.rolled_back, new_order.failed) == (1689, 21, 0)
    assert trial.throughput_per_s == pytest.approx(1710 / 5.398)
    assert trial.times is not None
    assert trial.times.quantiles_ms[0.95] == 15
    assert notes_of(trial)["incomplete_table"] == {"until_s": 5.398, "run_s": 60}
    assert (trial.kinds["delivery_deferred"].committed, trial.clients) == (150, 4)


def test_hammerdb() -> None:
    trial = read_one("hammerdb.log")
    assert trial.throughput_per_s == pytest.approx(31405 / 60)
    assert (trial.clients, trial.warmup_s, trial.measured_s) == (64, 120, 300)
    assert trial.times is not None
    assert trial.times.quantiles_ms == {0.5: 23.915, 0.95: 160.868, 0.99: 413.374}
    assert (trial.times.count, trial.times.max_ms) == (648063, 1255.893)
    assert trial.options["warehouses"] == "10"
    assert "counter_not_read" in notes_of(trial)


def test_ycsb() -> None:
    trial = read_one("ycsb.log")
    assert (trial.measured_s, trial.clients) == (20.11, 8)
    assert trial.throughput_per_s == pytest.approx(1691.29 * 34002 / 34012)
    assert notes_of(trial)["failed_not_counted"] == {"failed": 10, "printed_per_s": 1691.29}
    read = trial.kinds["read"]
    assert (read.committed, read.failed) == (16990, 10)
    assert read.times is not None
    assert read.times.quantiles_ms == {0.95: 3.001, 0.99: 7.915}
    assert (read.times.mean_ms, read.times.max_ms) == (2.21225, 305.663)
    # Percentiles of reads and of updates make none of both.
    assert trial.times is None
    assert [each.throughput_per_s for each in trial.intervals] == [1545.1, 1856.1]


def test_benchbase() -> None:
    trial = read_one("benchbase.summary.json")
    assert (trial.throughput_per_s, trial.clients, trial.measured_s) == (990.5, 16, None)
    assert trial.times is not None
    assert trial.times.quantiles_ms[0.5] == 0.9
    assert trial.times.quantiles_ms[0.99] == 7.5
    assert notes_of(trial)["counts_successes"] == {"all_per_s": 1000.5}


def test_mysqlslap_csv() -> None:
    trial = read_one("mysqlslap.csv")
    assert (trial.clients, trial.throughput_per_s, trial.times) == (50, 50 * 4 / 0.1, None)
