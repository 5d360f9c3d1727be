"""The experiments that are shipped, each whole, at its smoke size, as a user runs them."""

import subprocess
import sys
from pathlib import Path

import pytest

from dbdyno.store.model import TrialStatus
from dbdyno.store.reader import read_result

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
DBDYNO = Path(sys.executable).with_name("dbdyno")
LIMIT_S = 300


@pytest.mark.live
@pytest.mark.parametrize(
    "file", [pytest.param(file, id=file.stem) for file in sorted(EXPERIMENTS.glob("*.yaml"))]
)
def test_experiment_runs_from_file_to_report(file: Path, tmp_path: Path) -> None:
    directory = tmp_path / "result"
    done = subprocess.run(
        [DBDYNO, "run", file, "--smoke", "--out", directory],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = read_result(directory)
    assert result.missing == ()
    assert {trial.status for trial in result.trials} == {TrialStatus.COMPLETED}
    assert all(trial.intervals["committed"].sum() > 0 for trial in result.trials)
    report = (directory / "report.html").read_text(encoding="utf-8")
    assert report.rstrip().endswith("</html>")
    is_tpcc = all("tpcc" in trial.generator_plan["workload"] for trial in result.trials)
    assert ('<section id="conformance">' in report) is is_tpcc
    assert ("TPC-C conformance" in done.stdout) is is_tpcc
