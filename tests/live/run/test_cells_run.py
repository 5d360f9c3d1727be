"""A run of which not every combination of levels is a cell: what is stored and what is told."""

from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.store.reader import read_result
from tests.live.run.launch import call

FILE = """\
experiment: partial
question: Does a larger cache help?
workload: {sysbench: {tables: 1, table_size: 100}}
target: {sqlite: {}}
factors:
  cache: {sets: server.cache_size, levels: [10, 2000]}
  script: {sets: workload.script, levels: [oltp_point_select, oltp_read_only]}
  clients: [1, 2]
cells:
  - {script: oltp_point_select, clients: 2}
  - {script: oltp_read_only, clients: 1}
procedure: {warmup: 0s, duration: 200ms, interval: 100ms, rounds: 2, check: none}
"""


@pytest.mark.live
def test_only_the_cells_run_and_the_report_names_what_cannot_be_told(tmp_path: Path) -> None:
    file, out = tmp_path / "partial.yaml", tmp_path / "result"
    file.write_text(FILE)
    run = call(["run", file, "--out", out])
    assert run.status == 0, run.errors
    findings = analyse(read_result(out))
    assert {each.cell.without("cache").label() for each in findings.cells} == {
        "script=oltp_point_select, clients=2",
        "script=oltp_read_only, clients=1",
    }
    assert (findings.trials_used, findings.trials_planned) == (8, 8)
    assert {each.factor for each in findings.comparisons} == {"cache"}
    told = " ".join(run.output.split())
    page = " ".join((out / "report.html").read_text(encoding="utf-8").split())
    words = (
        "No verdict about script: where script is oltp_read_only and not oltp_point_select, "
        "clients differs too"
    )
    assert words in told
    assert words in page
