"""Targets that commands deploy and destroy: what is loaded where, and how trials are ordered."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.live.run.launch import call
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

DATABASE = "it.db"
TARGETS = """\
targets:
  old: &it
    url: sqlite:///{directory}/it.db
    variables: {{version: old}}
    commands:
      restart: sh -c 'echo deploy $1 >> said; test ! -e it.db' sh {{version}}
      stop: sh -c 'echo destroy $1 >> said; rm it.db' sh {{version}}
  new: {{<<: *it, variables: {{version: new}}}}
"""


@pytest.fixture
def deployed(stage: Stage) -> Stage:
    """Return an experiment on two versions of a database that is destroyed between them."""
    stage.write(
        factors="target: [old, new], script: {sets: workload.script, "
        "levels: [oltp_point_select, oltp_update_index]}",
        procedure="order: abba, start: continue",
        # So few that the row by which tables are known is updated.
        table_size=20,
    )
    text = stage.file.read_text().replace("script: oltp_read_write, ", "")
    targets = TARGETS.format(directory=stage.directory)
    stage.file.write_text(text.replace("target: {sqlite: {}}\n", targets))
    return stage


def test_a_target_that_was_destroyed_is_loaded_anew(deployed: Stage) -> None:
    planned = call(["plan", deployed.file])
    assert "your commands take to start servers 3 times" in " ".join(planned.output.split())
    ended = deployed.run()
    assert ended.status == 0, ended.output + ended.errors
    assert set(deployed.statuses().values()) == {"completed"}
    # abba: old and new, new and old. A version stays as long as its cells follow each other.
    said = (deployed.directory / "said").read_text().splitlines()
    assert said == [
        *("deploy old", "destroy old", "deploy new", "destroy new", "deploy old", "destroy old"),
    ]
    loads = [line for line in ended.events if line["event"] == "dataset_loaded"]
    assert [line["target"] for line in loads] == ["old", "new", "old"]
    assert not (deployed.directory / DATABASE).exists()


def test_the_commands_of_a_dry_run_are_those_of_the_run(deployed: Stage) -> None:
    hosts = deployed.directory / "hosts.yaml"
    hosts.write_text("hosts: {}\n")
    planned = call(["plan", deployed.file, "--hosts-from", hosts, "--json"])
    assert planned.status == 0, planned.errors
    said, database = deployed.directory / "said", deployed.directory / DATABASE
    assert not said.exists()
    starts = json.loads(planned.output)["starts"]
    levels = [start["cell"]["levels"] for start in starts]
    assert levels == [[["target", "old"]], [["target", "new"]]]
    for step in (step for start in starts for step in start["steps"]):
        subprocess.run(step["command"], shell=True, cwd=deployed.directory, check=True)
        if step["name"] == "restart":
            database.touch()  # What loading would make.
    by_hand = said.read_text().splitlines()
    assert by_hand == ["deploy old", "destroy old", "deploy new", "destroy new"]
    said.unlink()
    assert deployed.run().status == 0
    assert said.read_text().splitlines()[: len(by_hand)] == by_hand


def test_clients_take_another_way_to_a_server_that_stays(deployed: Stage) -> None:
    directory = deployed.directory
    ways = [f"sqlite:///{directory}/it.db", f"sqlite:///{directory}/./it.db"]
    text = deployed.file.read_text()
    text = text.replace("target: [old, new]", f"route: {{sets: target.url, levels: {ways}}}")
    deployed.file.write_text(text.replace("  new: {<<: *it, variables: {version: new}}\n", ""))
    planned = call(["plan", deployed.file])
    assert "the time that your commands take to start servers once" in " ".join(
        planned.output.split()
    )
    ended = deployed.run()
    assert ended.status == 0, ended.output + ended.errors
    assert set(deployed.statuses().values()) == {"completed"}
    assert (directory / "said").read_text().splitlines() == ["deploy old", "destroy old"]
    for number in range(1, 9):
        plan = json.loads((deployed.result / f"trials/{number:04d}/plan.json").read_text())
        assert plan["url"] == deployed.trial(number)["cell"]["route"]


def test_reads_after_updates_are_checked_as_updated_tables(deployed: Stage) -> None:
    """Rows that one script has changed are no fault of the one that comes after it."""
    ended = deployed.run()
    assert ended.status == 0, ended.output + ended.errors
    trials = [deployed.trial(number) for number in range(1, 9)]
    order = [trial["cell"]["script"] for trial in trials]
    assert "oltp_point_select" in order[order.index("oltp_update_index") :]
    assert all(trial["dataset"]["check"] == {"done": True, "passed": True} for trial in trials)
