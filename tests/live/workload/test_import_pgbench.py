"""What the real pgbench prints and logs, imported: its report and its logs tell the same run."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.importer.read import read_logs
from dbdyno.trial_evidence import MeasuredFrom, TrialEvidence
from tests.live.workload.test_pgbench_command import Programs, programs

__all__ = ["programs"]

pytestmark = pytest.mark.live


def imported(programs: Programs, folder: Path, *words: str) -> tuple[TrialEvidence, TrialEvidence]:
    """Run pgbench with a log, and return its report and its log as trials."""
    prefix = folder / "tx"
    done = programs.theirs("-n", "-c", "4", "-l", "--log-prefix", str(prefix), *words)
    assert done.returncode == 0, done.stderr
    (folder / "report.txt").write_text(done.stdout + done.stderr)
    (report,) = read_logs([folder / "report.txt"])
    (log,) = read_logs(sorted(folder.glob("tx.*")))
    return report, log


def test_the_log_of_threads_is_what_the_report_sums_up(programs: Programs, tmp_path: Path) -> None:
    report, log = imported(programs, tmp_path, "-j", "2", "-T", "3", "-P", "1")
    assert len(list(tmp_path.glob("tx.*"))) == 2
    assert report.times is not None
    assert log.times is not None
    assert (report.clients, report.times.count) == (log.clients, log.times.count)
    assert log.times.mean_ms == pytest.approx(report.times.mean_ms, abs=0.002)
    assert log.throughput_per_s == pytest.approx(report.throughput_per_s, rel=0.05)
    assert len(log.intervals) == pytest.approx(3, abs=1)
    assert log.times.measured_from is report.times.measured_from is MeasuredFrom.START


def test_a_rate_is_seen_in_both(programs: Programs, tmp_path: Path) -> None:
    report, log = imported(programs, tmp_path, "-R", "200", "-T", "2", "-P", "1", "--max-tries=2")
    assert report.times is not None
    assert log.times is not None
    assert report.times.measured_from is log.times.measured_from is MeasuredFrom.SCHEDULED
    assert log.times.mean_ms == pytest.approx(report.times.mean_ms, abs=0.002)
    assert (report.retries, log.retries) == (0, 0)


def test_aggregates_are_the_same_run(programs: Programs, tmp_path: Path) -> None:
    report, log = imported(programs, tmp_path, "-T", "4", "-P", "1", "--aggregate-interval=1")
    assert log.measured_s == pytest.approx(3, abs=1)
    assert log.throughput_per_s == pytest.approx(report.throughput_per_s, rel=0.5)
