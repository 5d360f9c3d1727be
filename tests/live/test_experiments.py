"""The experiments that are shipped, each whole, at its smoke size, as a user runs them.

Of most a copy runs that differs in its procedure alone: one round of shorter trials. That plans
have the rounds that are written is tested with the plans. One runs as it is shipped, by the command
that is installed, the others in this process.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from dbdyno.store.model import TrialStatus
from dbdyno.store.reader import read_result
from tests.live.run.launch import Ended, call

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
DBDYNO = Path(sys.executable).with_name("dbdyno")
LIMIT_S = 300

AS_SHIPPED = "first-experiment"

SHORTER = {"warmup": "0.1s", "duration": "0.4s", "interval": "0.1s", "rounds": "1"}


def shortened(file: Path, directory: Path) -> Path:
    """Return a copy of an experiment with fewer and shorter trials."""
    procedure = "procedure: {" + ", ".join(f"{key}: {value}" for key, value in SHORTER.items())
    text, count = re.subn(r"^procedure: \{[^}]*", procedure, file.read_text(), flags=re.MULTILINE)
    assert count == 1
    copy = directory / file.name
    copy.write_text(text)
    return copy


def run_by_a_shell(file: Path, directory: Path) -> Ended:
    done = subprocess.run(
        [DBDYNO, "run", file, "--smoke", "--out", directory],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.mark.live
@pytest.mark.parametrize(
    "file", [pytest.param(file, id=file.stem) for file in sorted(EXPERIMENTS.glob("*.yaml"))]
)
def test_experiment_runs_from_file_to_report(file: Path, tmp_path: Path) -> None:
    directory = tmp_path / "result"
    done = (
        run_by_a_shell(file, directory)
        if file.stem == AS_SHIPPED
        else call(["run", shortened(file, tmp_path), "--smoke", "--out", directory])
    )
    assert done.status == 0, done.output + done.errors
    result = read_result(directory)
    assert result.missing == ()
    assert {trial.status for trial in result.trials} == {TrialStatus.COMPLETED}
    assert all(trial.intervals["committed"].sum() > 0 for trial in result.trials)
    report = (directory / "report.html").read_text(encoding="utf-8")
    assert report.rstrip().endswith("</html>")
    is_tpcc = all("tpcc" in trial.generator_plan.workload for trial in result.trials)
    assert ('<section id="conformance">' in report) is is_tpcc
    assert ("TPC-C conformance" in done.output) is is_tpcc
