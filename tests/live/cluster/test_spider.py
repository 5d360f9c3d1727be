"""A sharded cluster as it is shipped: loaded, driven, checked, and nothing of it left."""

from __future__ import annotations

import getpass
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.database.session import open_session
from dbdyno.experiment.design.resolved_cell import own_setup
from dbdyno.experiment.file.read import read_experiment
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.capabilities import lost_member
from dbdyno.target.opening import open_target
from tests.live.cluster.conftest import Adapt, adapt
from tests.live.run.launch import Launched, read_journal
from tests.live.target.test_who_gets_in import gets_in

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def replaced(spider_plugins: Path, galera: Path) -> dict[str, str]:
    """Return what of the experiment is another here: two storage nodes, and where programs lie."""
    return {
        "plugin_load_add: ha_spider": f"plugin_load_add: ha_spider, plugin_dir: {spider_plugins}",
        "haproxy: {to: compute": f"haproxy: {{program: {galera / 'bin' / 'haproxy'}, to: compute",
        "levels: [1, 2]": "levels: [2]",
    }


@pytest.fixture(scope="module")
def file(replaced: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return adapt(tmp_path_factory.mktemp("spider"), "spider.yaml", **replaced)


@pytest.fixture(scope="module")
def cluster(file: Path) -> Iterator[SystemUnderTest]:
    """Return a cluster that each test starts. Its servers keep their files from test to test."""
    target = read_experiment(file).targets["cluster"]
    with open_target(target, "cluster", file.parent / "servers") as cluster:
        yield cluster


def test_warehouses_are_spread_and_items_copied(cluster: SystemUnderTest, file: Path) -> None:
    setup = own_setup(read_experiment(file).targets["cluster"])
    cluster.begin(setup)
    with open_session(cluster.url, cluster.password) as session:
        for number in (1, 2, 3):
            session.query(f"INSERT INTO warehouse (w_id) VALUES ({number})")
        session.query("INSERT INTO item (i_id) VALUES (7)")
    by_role = {member.name: member for member in cluster.members}
    stored = {}
    for name in ("storage-1", "storage-2"):
        node = by_role[name]
        assert node.url is not None
        with open_session(node.url, node.password) as session:
            rows = session.query("SELECT w_id FROM warehouse ORDER BY w_id")
            stored[name] = [row[0] for row in rows]
            assert session.query("SELECT i_id FROM item") == [("7",)]
    assert stored == {"storage-1": ["2"], "storage-2": ["1", "3"]}
    hosts = {member.host for member in cluster.members}
    assert len(hosts) == len(cluster.members) == 5
    # Its ports and its password are new ones: the templates tell Spider so.
    cluster.begin(setup)
    with open_session(cluster.url, cluster.password) as session:
        assert session.query("SELECT COUNT(*) FROM warehouse") == [("3",)]
    processes = cluster.process_ids()
    assert len(processes) == 5
    cluster.stop()
    assert not any(Path(f"/proc/{number}").exists() for number in processes)


def test_nobody_else_of_the_machine_gets_to_a_member(cluster: SystemUnderTest, file: Path) -> None:
    setup = own_setup(read_experiment(file).targets["cluster"])
    cluster.begin(setup)
    former = cluster.password
    cluster.begin(setup)
    assert former != cluster.password
    servers = [member for member in cluster.members if member.url is not None]
    assert len(servers) == 4
    for server in servers:
        assert server.url is not None
        # Without the password, or under another name, the server refuses every user.
        for user in (
            "root",
            "dbdyno",
            "dbdyno_admin",
            "spider",
            "repl",
            "mysql",
            getpass.getuser(),
        ):
            url = server.url.replace("//dbdyno@", f"//{user}@", 1)
            assert not any(gets_in(url, each) for each in (None, "", "wrong", former)), url
        with open_session(server.url, server.password) as session:
            assert session.query("SELECT CURRENT_USER()") == [("dbdyno@127.0.0.1",)]
    folders = [path for path in (file.parent / "servers").rglob("*") if path.is_dir()]
    own = [path for path in folders if list(path.glob("*.ib*")) or list(path.glob("*.aria*"))]
    assert own
    for path in own:
        # Spider's links hold the password of this start.
        assert any(each.stat().st_mode & 0o077 == 0 for each in (path, *path.parents[:2])), path


def test_a_member_that_is_killed_is_told_by_name(cluster: SystemUnderTest, file: Path) -> None:
    cluster.begin(own_setup(read_experiment(file).targets["cluster"]))
    assert lost_member(cluster) is None
    (victim,) = [member for member in cluster.members if member.name == "storage-2"]
    os.kill(victim.process_ids[0], signal.SIGKILL)
    os.waitid(os.P_PID, victim.process_ids[0], os.WEXITED | os.WNOWAIT)
    reason = lost_member(cluster)
    assert reason is not None
    assert reason.startswith("server storage-2 was killed")


def test_a_storage_node_killed_in_mid_run_costs_its_trial_alone(
    adapted: Adapt, replaced: dict[str, str], tmp_path: Path
) -> None:
    """The first trial loses a server; the second is loaded, driven, checked and complete."""
    file = adapted("spider.yaml", **replaced)
    text = file.read_text().replace("duration: 1s", "duration: 4s")
    file.write_text(text.replace("rounds: 1", "rounds: 2"))
    result = tmp_path / "result"
    environment = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    running = Launched(["run", file, "--out", result], tmp_path, environment=environment)
    events = result / "trials" / ".0001.unfinished" / "events.jsonl"
    running.wait_for(lambda: events.exists() and events.read_bytes().count(b'"interval"') >= 2)
    victim = running.wait_for(lambda: running.processes("storage-1/my.cnf"))[0]
    victim.kill()
    ended = running.end()
    assert ended.status == 1
    finished = [line for line in read_journal(result) if line["event"] == "trial_finished"]
    assert "server storage-1 was killed" in finished[0]["reason"]
    assert [line["status"] for line in finished] == ["failed", "completed"], ended
    trial = json.loads((result / "trials" / "0002" / "trial.json").read_text())
    check = trial["dataset"]["check"]
    assert check["passed"]
    assert set(check["conditions"].values()) == {0}
    assert len(check["conditions"]) == 12
    assert [host["product"] for host in trial["server"]["hosts"]] == ["MariaDB"] * 2
    assert trial["server"]["host_differences"] == {}
