"""What the real sysbench prints on a real server, imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.importer.arrange import arrange
from dbdyno.importer.read import read_logs
from dbdyno.trial_evidence import MeasuredFrom
from tests.live.sysbench.programs import SYSBENCH, Database

pytestmark = pytest.mark.live


def test_a_sweep_with_intervals(mysql: Database, tmp_path: Path) -> None:
    words = ("oltp_read_only", "--tables=1", "--table-size=100")
    mysql.must(SYSBENCH, *words, "prepare")
    sweep = tmp_path / "sweep.log"
    with sweep.open("w") as log:
        for threads in (1, 2):
            options = (f"--threads={threads}", "--time=3", "--report-interval=1")
            log.write(mysql.must(SYSBENCH, *words, *options, "run").output)
    paced = tmp_path / "paced.log"
    paced.write_text(mysql.must(SYSBENCH, *words, "--time=2", "--rate=50", "run").output)
    mysql.must(SYSBENCH, *words, "cleanup")

    one, two = arrange(read_logs([sweep])).trials
    assert (one.levels, two.levels) == ((("threads", "1"),), (("threads", "2"),))
    for trial in (one, two):
        assert trial.measured_s == pytest.approx(3, abs=0.5)
        assert trial.times is not None
        assert trial.times.count is not None
        assert trial.throughput_per_s == pytest.approx(trial.times.count / 3, rel=0.1)
        # The time that is behind the last interval is a little of the whole.
        assert len(trial.intervals) >= 2
        assert trial.times.quantiles_ms.keys() == {0.95}
        assert trial.notes == ()
    (trial,) = read_logs([paced])
    assert trial.times is not None
    assert trial.times.measured_from is MeasuredFrom.SCHEDULED
