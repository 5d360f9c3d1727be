"""Facts of host and server in the result of a run and in its report, with the probe and without."""

from __future__ import annotations

import json
import sys

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


HERE = """sh -c 'exec sh -c "$1"'"""
"""A command that leads to this machine, whatever the host is called."""


def test_facts_of_watched_hosts_are_in_the_result_and_in_the_report(stage: Stage) -> None:
    stage.write(rounds=1, factors="clients: [1]")
    watch = {"hosts": ["db1"], "ssh": HERE, "python": sys.executable, "probe": "off"}
    stage.file.write_text(stage.file.read_text() + f"watch: {json.dumps(watch)}\n")
    ended = stage.run()
    assert ended.status == 0, ended
    here = json.loads((stage.result / "host.json").read_text())
    host = json.loads((stage.result / "hosts.json").read_text())["db1"]
    assert (host["use"], host["reason"]) == ("watched", None)
    assert host["facts"]["boot_id"] == here["boot_id"]
    assert "Host db1 (it was watched)" in (stage.result / "report.html").read_text()


def test_a_host_that_cannot_be_reached_is_a_warning(stage: Stage) -> None:
    stage.write(rounds=1, factors="clients: [1]")
    watch = {"hosts": ["db1"], "ssh": "sh -c 'echo no entry for you >&2; exit 255'"}
    stage.file.write_text(stage.file.read_text() + f"watch: {json.dumps(watch)}\n")
    ended = stage.run()
    assert ended.status == 0, ended
    assert "the facts of host db1 are not known: " in ended.output + ended.errors
    host = json.loads((stage.result / "hosts.json").read_text())["db1"]
    assert host["facts"] is None
    assert "no entry for you" in host["reason"]
    assert "its facts are not known" in (stage.result / "report.html").read_text()


@pytest.mark.parametrize("how", ["smoke", "file"])
def test_the_probe_can_be_left_out(stage: Stage, how: str) -> None:
    if how == "file":
        stage.file.write_text(stage.file.read_text() + "watch: {probe: off}\n")
    ended = stage.run(*(["--smoke"] if how == "smoke" else []))
    assert ended.status == 0, ended
    host = json.loads((stage.result / "host.json").read_text())
    assert host["probe_fsync_count"] is None
    assert host["cpu_count"] > 0
