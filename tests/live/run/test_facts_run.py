"""Facts of host and server in the result of a run and in its report, with the probe and without."""

from __future__ import annotations

import json

import pytest

from tests.live.run.stage import Stage

pytestmark = pytest.mark.live


def test_facts_are_in_the_result_and_in_the_report(stage: Stage) -> None:
    ended = stage.write(rounds=1, factors="clients: [1]").run()
    assert ended.status == 0, ended
    host = json.loads((stage.result / "host.json").read_text())
    assert host["probe_fsync_count"] > 0
    server = stage.trial(1)["server"]
    assert server["data_file_system"]["type"] == host["work_file_system"]
    report = (stage.result / "report.html").read_text()
    for words in ("probe: sequential write", "Kernel settings of the host", server["build"]):
        assert words in report
    # SQLite tells none.
    assert "version comment" not in report


@pytest.mark.parametrize("how", ["smoke", "file"])
def test_the_probe_can_be_left_out(stage: Stage, how: str) -> None:
    if how == "file":
        stage.file.write_text(stage.file.read_text() + "watch: {probe: off}\n")
    ended = stage.run(*(["--smoke"] if how == "smoke" else []))
    assert ended.status == 0, ended
    host = json.loads((stage.result / "host.json").read_text())
    assert host["probe_fsync_count"] is None
    assert host["cpu_count"] > 0
