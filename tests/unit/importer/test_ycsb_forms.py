"""Forms of YCSB's output: which operations failed, status lines alone, and its oldest version."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.trial_evidence import MeasuredFrom

from .logs import notes_of, read_text


def test_ycsb_from_when_an_operation_was_due(tmp_path: Path) -> None:
    text = "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 100.0\n"
    text += "[READ], Operations, 100\n[READ], AverageLatency(us), 1000.0\n"
    text += "[READ], 99thPercentileLatency(us), 2000\n"
    (closed,) = read_text(text, tmp_path)
    assert closed.times is not None
    assert closed.times.measured_from is MeasuredFrom.START
    assert closed.times.quantiles_ms == {0.99: 2}
    text += "[Intended-READ], Operations, 100\n[Intended-READ], 99thPercentileLatency(us), 9000\n"
    (paced,) = read_text(text, tmp_path)
    assert paced.times is not None
    assert paced.times.measured_from is MeasuredFrom.SCHEDULED
    assert paced.times.quantiles_ms == {0.99: 9}


def test_older_ycsb_in_milliseconds(tmp_path: Path) -> None:
    text = "[OVERALL], RunTime(ms), 1000.0\n[OVERALL], Throughput(ops/sec), 100.0\n"
    text += "[UPDATE], Operations, 100\n[UPDATE], AverageLatency(ms), 3.5\n"
    text += "[UPDATE], 95thPercentileLatency(ms), 5\n[UPDATE], 0, 90\n[UPDATE], 1, 10\n"
    (trial,) = read_text(text, tmp_path)
    assert trial.times is not None
    assert (trial.times.mean_ms, trial.times.quantiles_ms) == (3.5, {0.95: 5})


YCSB_OVERALL = "[OVERALL], RunTime(ms), 10000\n[OVERALL], Throughput(ops/sec), 100.0\n"
YCSB_FAILED = {
    "apart": "[READ], Operations, 700\n[READ], Return=OK, 700\n[READ], Return=NOT_FOUND, 300\n"
    "[READ-FAILED], Operations, 300\n",
    "apart without returns": "[READ], Operations, 700\n[READ-FAILED], Operations, 300\n",
    "among the others": "[READ], Operations, 1000\n[READ], Return=OK, 700\n"
    "[READ], Return=ERROR, 300\n",
    "old numbers": "[READ], Operations, 1000\n[READ], Return=0, 700\n[READ], Return=-1, 300\n",
    "several old numbers": "[READ], Operations, 1000\n[READ], Return=0, 700\n"
    "[READ], Return=-1, 200\n[READ], Return=1, 100\n",
    "two kinds": "[READ], Operations, 400\n[READ], Return=OK, 400\n[UPDATE], Operations, 600\n"
    "[UPDATE], Return=BATCHED_OK, 300\n[UPDATE], Return=ERROR, 300\n",
    # Half of the reads and all updates are those of 300 operations that do both.
    "both in one": "[READ], Operations, 700\n[READ-FAILED], Operations, 300\n"
    "[UPDATE], Operations, 0\n[READ-MODIFY-WRITE], Operations, 0\n",
}


@pytest.mark.parametrize("form", YCSB_FAILED)
def test_operations_of_ycsb_that_failed_are_no_throughput(form: str, tmp_path: Path) -> None:
    (trial,) = read_text(YCSB_OVERALL + YCSB_FAILED[form], tmp_path)
    assert trial.throughput_per_s == pytest.approx(70)
    assert (trial.failed, trial.failure) == (300, None)
    assert notes_of(trial)["failed_not_counted"] == {"failed": 300, "printed_per_s": 100}


def test_ycsb_of_which_nothing_succeeded_has_failed(tmp_path: Path) -> None:
    text = "[READ], Operations, 0.0\n[READ], AverageLatency(us), NaN\n[READ], Return=ERROR, 1000\n"
    (trial,) = read_text(YCSB_OVERALL + text, tmp_path)
    assert (trial.throughput_per_s, trial.failure) == (0, "[READ], Return=ERROR, 1000")
    assert trial.kinds["read"].times is None


def test_reads_and_updates_of_one_operation_are_not_counted_twice(tmp_path: Path) -> None:
    text = "[READ], Operations, 1000\n[UPDATE], Operations, 500\n"
    (trial,) = read_text(YCSB_OVERALL + text + "[READ-MODIFY-WRITE], Operations, 500\n", tmp_path)
    assert trial.throughput_per_s == 100
    (refuted,) = read_text(YCSB_OVERALL + text, tmp_path)
    assert refuted.throughput_per_s is None


YCSB_STATUS = "2020-01-10 16:21:40:213 {0} sec: {1} operations; {2} current ops/sec; {3}\n"


def test_status_of_ycsb_without_a_summary_has_no_failed_operations(tmp_path: Path) -> None:
    failed = "[READ: Count=800, Max=1, Avg=1] [READ-FAILED: Count=200, Max=1, Avg=1]"
    lines = [YCSB_STATUS.format(10 * n, 1000 * n, "100.0", failed) for n in (1, 1, 2)]
    (trial,) = read_text("".join(lines), tmp_path)
    assert (trial.throughput_per_s, trial.measured_s) == (80, 20)
    assert [each.failed_per_s for each in trial.intervals] == [20, 20]
    assert notes_of(trial)["failed_not_counted"] == {"failed": 400, "printed_per_s": 100}


def test_status_of_older_ycsb_tells_that_some_failed_and_counts_all(tmp_path: Path) -> None:
    failed = "[READ AverageLatency(us)=10945.5] [READ-FAILED AverageLatency(us)=4593.01]"
    lines = [YCSB_STATUS.format(n, 98 * n, f"{90 + n}.0", failed) for n in (100, 110, 120)]
    (trial,) = read_text("".join(lines), tmp_path)
    # The beginning is not in the log: the operations since then are.
    assert (trial.throughput_per_s, trial.measured_s) == (98, 120)
    assert "failed_counted" in notes_of(trial)


def test_ycsb_that_begins_again_is_another_run(tmp_path: Path) -> None:
    lines = [
        YCSB_STATUS.format(10 * n, rate * 10 * n, rate, "") for rate in (100, 50) for n in (1, 2)
    ]
    assert [each.throughput_per_s for each in read_text("".join(lines), tmp_path)] == [100, 50]


def test_the_oldest_ycsb(tmp_path: Path) -> None:
    text = "YCSB Client 0.1\n[OVERALL],RunTime(ms), 10000\n[OVERALL],Throughput(ops/sec), 100.0\n"
    text += "[UPDATE], Operations, 1000\n[UPDATE], AverageLatency(ms), 0.05\n"
    text += "[UPDATE], MinLatency(ms), 0\n[UPDATE], 95thPercentileLatency(ms), 1\n"
    text += "[UPDATE], Return=0, 1000\n[UPDATE], 0, 950\n[UPDATE], >1000, 0\n"
    (trial,) = read_text(text, tmp_path)
    assert (trial.throughput_per_s, trial.failed, trial.measured_s) == (100, 0, 10)
    assert trial.times is not None
    assert (trial.times.mean_ms, trial.times.quantiles_ms) == (0.05, {0.95: 1})
    assert notes_of(trial)["below_resolution"] == {"resolution_ms": 1}
    assert "microseconds_to_ms" not in notes_of(trial)
