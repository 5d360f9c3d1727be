"""Percentiles from what the peers really print."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from bench.response_times import P95, QUANTILES, response_times_ms

DATA = Path(__file__).parents[2] / "data"
SYSBENCH = DATA / "sysbench" / "histogram.txt"
PGBENCH = DATA / "imports" / "pgbench-15-transactions.log"


def test_those_of_sysbench_are_its_own(tmp_path: Path) -> None:
    said = SYSBENCH.read_bytes()
    printed = re.search(rb"95th percentile: +([0-9.]+)", said)
    assert printed
    times_ms = response_times_ms(said, (), tmp_path)
    assert times_ms is not None
    # It prints three digits of a bucket, and two of the percentile.
    assert times_ms[P95] == pytest.approx(float(printed[1]), abs=0.01)
    assert sorted(times_ms) == list(times_ms)


def test_those_of_pgbench_are_of_its_log(tmp_path: Path) -> None:
    for thread in ("pgbench_log.17", "pgbench_log.17.1"):
        shutil.copy(PGBENCH, tmp_path / thread)
    times_us = sorted(int(line.split()[2]) for line in PGBENCH.read_text().splitlines())
    times_ms = response_times_ms(b"tps = 1000", (), tmp_path)
    assert times_ms is not None
    for quantile, time_ms in zip(QUANTILES, times_ms, strict=True):
        at_most = sum(time_us <= 1000 * time_ms for time_us in times_us)
        below = sum(time_us < 1000 * time_ms for time_us in times_us)
        assert below < quantile * len(times_us) <= at_most


def test_a_program_that_tells_none_has_none(tmp_path: Path) -> None:
    assert response_times_ms(b"tps = 1000", (), tmp_path) is None
