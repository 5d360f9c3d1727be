"""The job for build servers that docs/ci has, as one would call it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytestmark = pytest.mark.live

SCRIPT = Path(__file__).parents[3] / "docs" / "ci" / "compare.sh"

EXPERIMENT = """\
experiment: nightly
question: How fast is this build?
workload: {sysbench: {script: oltp_read_only, tables: 1, table_size: 1000}}
target: {sqlite: {}}
load: {clients: 1}
procedure: {warmup: 0s, duration: 1s, rounds: 2}
"""


def job(folder: Path, result: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "RESULT": result,
        **variables,
    }
    return subprocess.run(
        [SCRIPT, "nightly.yaml", "kept/baseline"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_the_first_run_is_the_baseline_of_later_ones(tmp_path: Path) -> None:
    (tmp_path / "nightly.yaml").write_text(EXPERIMENT)
    first = job(tmp_path, "first")
    assert first.returncode == 0, first.stderr
    assert "this run is the baseline from now on" in first.stdout
    # Nothing that scatters is so much worse, whatever else the machine does meanwhile.
    second = job(tmp_path, "second", RULES="throughput worse by 999 %")
    assert second.returncode in (0, 1), second.stdout + second.stderr
    assert "throughput worse by 999 %" in second.stdout
    assert ET.parse(tmp_path / "second" / "rules.xml").getroot().get("tests") == "1"
    assert (tmp_path / "second" / "comparison" / "report.html").exists()
    # What is there already may be of an earlier build.
    assert job(tmp_path, "second").returncode == 2
    # Another experiment is refused.
    (tmp_path / "nightly.yaml").write_text(EXPERIMENT.replace("1000", "2000"))
    refused = job(tmp_path, "third")
    assert refused.returncode == 2
    assert "workload.sysbench.table_size: 1000 in baseline, 2000 in third" in refused.stderr
