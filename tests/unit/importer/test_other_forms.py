"""Forms of pgbench's and mysqlslap's output."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.importer.read import read_logs
from dbdyno.trial_evidence import MeasuredFrom

from .logs import DATA, notes_of, read_text

TWO_SCRIPTS = """\
pgbench (17.2)
transaction type: multiple scripts
scaling factor: 1
query mode: simple
number of clients: 2
number of threads: 1
maximum number of tries: 3
duration: 2 s
number of transactions actually processed: 300
number of failed transactions: 4 (1.316%)
number of serialization failures: 4 (1.316%)
total number of retries: 9
number of transactions skipped: 5 (1.0%)
latency average = 6.000 ms (including failures)
latency stddev = 1.000 ms
tps = 150.000000 (without initial connection time)
SQL script 1: a.sql
 - weight: 1 (targets 50.0% of total)
 - 100 transactions (33.3% of total, tps = 50.000000)
 - number of failed transactions: 1 (0.990%)
 - latency average = 7.500 ms
 - latency stddev = 1.000 ms
SQL script 2: b.sql
 - weight: 2 (targets 50.0% of total)
 - 200 transactions (66.7% of total, tps = 100.000000)
 - number of failed transactions: 3 (1.0%)
 - latency average = 5.250 ms
"""


def test_pgbench_with_two_scripts(tmp_path: Path) -> None:
    (trial,) = read_text(TWO_SCRIPTS, tmp_path)
    assert (trial.throughput_per_s, trial.failed, trial.retries) == (150, 4, 9)
    assert trial.times is not None
    assert trial.times.mean_ms == 6
    assert {n: (k.committed, k.failed, k.rate_per_s) for n, k in trial.kinds.items()} == {
        "a.sql": (100, 1, 50),
        "b.sql": (200, 3, 100),
    }
    assert notes_of(trial)["skipped"] == {"skipped": 5}


def test_pgbench_in_a_loop_with_commands(tmp_path: Path) -> None:
    text = "+ pgbench -c 2 -R 100 -P 1 postgresql://me:s3cret@host/db\n" + TWO_SCRIPTS
    trials = read_text(text + text.replace("-R 100", "-R 200"), tmp_path)
    assert [each.options["rate"] for each in trials] == ["100", "200"]
    assert all(each.times and each.times.measured_from is MeasuredFrom.SCHEDULED for each in trials)
    assert "s3cret" not in str(trials)


def test_pgbench_whose_progress_comes_behind_its_report(tmp_path: Path) -> None:
    progress = "progress: 1.0 s, 140.0 tps, lat 6.000 ms stddev 1.000, 4 failed\n"
    progress += "progress: 2.0 s, 160.0 tps, lat 6.000 ms stddev 1.000, 0 failed\n"
    one, two = read_text((TWO_SCRIPTS + progress) * 2, tmp_path)
    for trial in (one, two):
        assert trial.throughput_per_s == 150
        assert [each.throughput_per_s for each in trial.intervals] == [140, 160]
        assert [each.failed_per_s for each in trial.intervals] == [4, 0]


def test_progress_of_pgbench_behind_a_message_that_has_not_ended_its_line(tmp_path: Path) -> None:
    progress = "progress: {0}.0 s, 100.0 tps, lat 1.000 ms stddev 0.1, 0 failed\n"
    text = "pgbench: error: client 0 aborted in command 4" + progress.format(1) + progress.format(2)
    (trial,) = read_text(text, tmp_path)
    assert trial.failure == "client 0 aborted in command 4"
    assert len(trial.intervals) == 2


def test_older_pgbench(tmp_path: Path) -> None:
    text = """\
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 1
number of clients: 1
number of transactions actually processed: 100/100
latency average = 2.000 ms
latency stddev = 0.500 ms
tps = 90.000000 (including connections establishing)
tps = 100.000000 (excluding connections establishing)
"""
    (trial,) = read_text(text, tmp_path)
    assert (trial.throughput_per_s, trial.measured_s) == (100, 1)
    assert trial.failed is None


def test_pgbench_that_was_aborted(tmp_path: Path) -> None:
    text = "pgbench (15.1)\npgbench: error: client 0 script 0 aborted in command 4: ERROR: x\n"
    text += "progress: 1.0 s, 100.0 tps, lat 1.000 ms stddev 0.1, 0 failed\n"
    text += "Run was aborted; the above results are incomplete.\n"
    (trial,) = read_text(text, tmp_path)
    assert trial.failure is not None
    assert trial.failure.startswith("client 0 script 0 aborted in command 4")
    assert (trial.throughput_per_s, trial.measured_s) == (100, 1)


def transactions(*rows: str, count: int = 200) -> str:
    """Return lines of a log; ``{n}`` in a row is its number, and an instant a millisecond on."""
    return "".join(
        f"0 {n} {rows[n % len(rows)].format(us=f'{n * 1000:06d}')}\n" for n in range(1, count + 1)
    )


LOGS = {
    "plain": ("900 0 1700000000 {us}", MeasuredFrom.START, None, None),
    "lag": ("900 0 1700000000 {us} 85", MeasuredFrom.SCHEDULED, None, 1),
    "retries": ("900 0 1700000000 {us} 1", MeasuredFrom.START, 200, 0),
    "lag and retries": ("900 0 1700000000 {us} 85 2", MeasuredFrom.SCHEDULED, 400, None),
}


@pytest.mark.parametrize("name", LOGS)
def test_columns_of_pgbench_s_log(name: str, tmp_path: Path) -> None:
    row, measured_from, retries, is_lag = LOGS[name]
    (trial,) = read_text(transactions(row), tmp_path)
    assert trial.times is not None
    assert (trial.times.measured_from, trial.retries) == (measured_from, retries)
    assert trial.times.quantiles_ms[0.95] == 0.9
    told = notes_of(trial).get("seventh_column")
    assert told == (None if is_lag is None else {"is_lag": is_lag})


def test_failed_and_skipped_transactions(tmp_path: Path) -> None:
    rows = (
        "900 0 1700000000 {us} 85",
        "skipped 0 1700000000 {us} 9000",
        "failed 0 1700000000 {us} 9",
    )
    (trial,) = read_text(transactions(*rows, "deadlock 1 1700000000 {us} 9"), tmp_path)
    assert trial.times is not None
    assert (trial.times.count, trial.failed) == (50, 100)
    assert notes_of(trial)["skipped"] == {"skipped": 50}
    assert {name: kind.committed for name, kind in trial.kinds.items()} == {
        "script 0": 50,
        "script 1": 0,
    }


def test_a_sample_tells_no_throughput(tmp_path: Path) -> None:
    lines = transactions("900 0 1700000000 {us}").splitlines()[::10]
    (trial,) = read_text("\n".join(lines), tmp_path)
    assert (trial.throughput_per_s, trial.intervals, trial.failed) == (None, (), None)
    assert trial.times is not None
    assert trial.times.count == 20
    assert notes_of(trial)["sampled"]["share"] == pytest.approx(20 / 191)


def test_logs_of_threads_are_one_run(tmp_path: Path) -> None:
    first, second = tmp_path / "pgbench_log.123", tmp_path / "pgbench_log.123.1"
    text = transactions("900 0 1700000000 {us}")
    first.write_text(text)
    second.write_text(text.replace("0 ", "1 ", 1).replace("\n0 ", "\n1 "))
    (trial,) = read_logs([second, first])
    assert trial.times is not None
    assert (trial.clients, trial.times.count) == (2, 400)
    assert notes_of(trial)["thread_logs_joined"] == {"files": 2}


def test_seconds_without_a_transaction_are_told(tmp_path: Path) -> None:
    rows = [f"0 {n} 500 0 {1700000000 + second} 600000" for n, second in enumerate((0, 0, 3, 4))]
    (trial,) = read_text("\n".join(rows), tmp_path)
    assert [each.throughput_per_s for each in trial.intervals] == [2, 0, 0, 1]


def test_damaged_lines_of_a_log(tmp_path: Path) -> None:
    lines = transactions("900 0 1700000000 {us}") + "0 5\nx\n0 5 900 0 99 0\n"
    (trial,) = read_text(lines, tmp_path)
    assert notes_of(trial)["damaged_lines"] == {"lines": 3}
    assert trial.measured_s is not None
    assert trial.measured_s < 1


def test_hostile_numbers_of_a_log_are_absent(tmp_path: Path) -> None:
    rows = ("900 0 1700000000 {us} inf nan", "900 0 1700000000 {us} 85 1e400")
    (trial,) = read_text(
        transactions("900 0 1700000000 {us} 85 2", count=30) + transactions(*rows), tmp_path
    )
    assert trial.retries == 60
    assert trial.times is not None
    assert trial.times.measured_from is MeasuredFrom.SCHEDULED


def test_an_older_aggregate_counts_the_skipped_too(tmp_path: Path) -> None:
    rows = [f"{1700000000 + n} 110 100000 5 500 2000 9 9 1 5 10" for n in range(5)]
    (trial,) = read_text("\n".join(rows), tmp_path)
    assert (trial.throughput_per_s, trial.failed) == (100, None)
    assert notes_of(trial)["skipped"] == {"skipped": 30}


def test_an_aggregate_of_two_intervals_tells_no_throughput(tmp_path: Path) -> None:
    rows = [f"{1700000000 + n} 110 100000 5 500 2000" for n in range(2)]
    (trial,) = read_text("\n".join(rows), tmp_path)
    assert (trial.throughput_per_s, trial.measured_s) == (None, None)
    assert trial.times is not None
    assert trial.times.mean_ms == pytest.approx(200000 / 220 / 1000)


def test_mysqlslap_makes_a_run_of_each_number_of_clients() -> None:
    trials = read_logs([DATA / "mysqlslap.log"])
    assert [each.clients for each in trials] == [300, 400]
    assert trials[0].throughput_per_s == pytest.approx(300 * 100 / 5.559)
    assert trials[0].options["engine"] == "innodb"
    assert {"from_average_seconds", "counts_queries"} <= notes_of(trials[0]).keys()


def test_one_file_with_output_of_two_tools(tmp_path: Path) -> None:
    sysbench = (DATA / "sysbench-1.0.20-read_write.log").read_text()
    trials = read_text(sysbench + TWO_SCRIPTS, tmp_path)
    assert [each.source.tool for each in trials] == ["sysbench", "pgbench"]
    assert [each.throughput_per_s for each in trials] == [1548.92, 150]
