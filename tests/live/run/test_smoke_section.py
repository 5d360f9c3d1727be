"""A run of a file's section smoke, with the report, and what may follow it in its directory."""

from pathlib import Path

import pytest

from dbdyno.report.words.setup import STAND_IN_RUN
from dbdyno.store.reader import read_result
from tests.live.run.launch import call

FILE = """\
experiment: large
question: Is the large server fast?
workload: {sysbench: {script: oltp_point_select, tables: 64, table_size: 12500000}}
target: {mysql: {basedir: /opt/large}}
factors: {clients: [8, 128]}
smoke:
  target: {mysql: null, sqlite: {}}
  workload: {sysbench: {tables: 1, table_size: 100}}
  factors: {clients: [1, 2]}
  procedure: {warmup: 0s, duration: 200ms, interval: 100ms, rounds: 2}
"""


@pytest.mark.live
def test_the_section_is_run_and_its_result_goes_on_as_such_alone(tmp_path: Path) -> None:
    file, out = tmp_path / "large.yaml", tmp_path / "result"
    file.write_text(FILE)
    run = call(["run", file, "--smoke", "--out", out])
    assert run.status == 0, run.errors
    assert read_result(out).plan.is_stand_in
    for words in (run.output, (out / "report.html").read_text(encoding="utf-8")):
        assert str(STAND_IN_RUN) in " ".join(words.split())
    full = call(["run", file, "--out", out])
    assert full.status == 2
    assert "target.sqlite: {} in the result, nothing in the file" in full.errors
    # What the file says of its full size may change meanwhile.
    file.write_text(FILE.replace("[8, 128]", "[8, 256]"))
    assert call(["run", file, "--smoke", "--out", out]).status == 0
