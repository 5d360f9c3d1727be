"""Servers of a cluster on other hosts: loaded, driven, restored, lost, and nothing left there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from signal import Signals

import pytest

from dbdyno import __version__
from dbdyno.experiment.design.resolved_cell import own_setup
from dbdyno.experiment.file.read import read_experiment
from dbdyno.target.capabilities import killed_for_memory, lost_member
from dbdyno.target.opening import open_target
from dbdyno.target.remote import connection
from tests.live.cluster.elsewhere import WAY, Hosts, member, stored, wait_until_nothing_runs, write
from tests.live.limits import require_limits
from tests.live.remote.namespaces import Namespace
from tests.live.run.stage import LASTING, PACED, Running, Stage

pytestmark = pytest.mark.live


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    with Namespace() as first, Namespace() as second:
        yield first, second


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return where servers on the hosts keep their files: the hosts share this machine's disk."""
    folder = tmp_path / "there"
    folder.mkdir()
    return folder


def test_two_hosts_are_loaded_driven_restored_and_nothing_is_left(
    stage: Stage, hosts: Hosts, place: Path
) -> None:
    (stage.directory / "my.cnf").write_text("[mysqld]\ninnodb_io_capacity=321\n")
    server = "mysql: {set: {max_connections: 90}, option_file: my.cnf, cpus: 0}"
    write(stage, f"storage: {member(hosts, place, server)}", factors="clients: [2]")
    ended = stage.run()
    assert ended.status == 0, ended
    happened = [event["event"] for event in ended.events]
    assert (happened.count("dataset_loaded"), happened.count("snapshot_restored")) == (1, 2)
    assert stage.statuses() == {1: "completed", 2: "completed"}
    described = stage.trial(2)["server"]
    assert described["settings"]["innodb_io_capacity"] == "321"
    assert described["settings"]["max_connections"] == "90"
    assert described["cpus"] == [0]
    addresses = [each["host"].partition(":")[0] for each in described["hosts"]]
    assert addresses == [each.address for each in hosts]
    assert described["host_differences"] == {}
    assert stage.trial(2)["dataset"]["disk"]["after"]["directory_bytes"] > 0
    assert all(each.processes("") == [] for each in hosts)
    assert stored(place) == []
    assert not (stage.result / "work").exists()


def launched(stage: Stage, hosts: Hosts, place: Path, rounds: int = 2) -> Running:
    """Start a run of some trials on two hosts, and wait for the load of the first."""
    write(
        stage,
        f"storage: {member(hosts, place)}",
        factors="clients: [2]",
        duration=LASTING,
        rounds=rounds,
        load=PACED,
    )
    running = stage.launch()
    running.wait_for_load(1)
    return running


def test_a_lost_server_and_a_lost_agent_cost_one_trial_each_and_are_told_by_host(
    stage: Stage, hosts: Hosts, place: Path
) -> None:
    running = launched(stage, hosts, place, rounds=3)
    (victim,) = hosts[1].processes("my.cnf")
    victim.kill()
    running.wait_for_load(2)
    for agent in hosts[1].processes("dbdyno.target.remote"):
        agent.kill()
    ended = running.end()
    assert ended.status == 1
    assert stage.statuses() == {1: "failed", 2: "failed", 3: "completed"}
    reason = stage.trial(1)["reason"]
    assert reason.startswith(f"host {hosts[1].name}: server storage-2 was killed"), reason
    reason = stage.trial(2)["reason"]
    assert reason.startswith(f"host {hosts[1].name}: its agent is gone"), reason
    assert reason.endswith("; server storage-2 is lost with it")
    assert all(each.processes("") == [] for each in hosts)
    assert stored(place) == []


def killed(running: Running, hosts: Hosts) -> list[str]:
    """Kill a runner under load; return what had happened, when nothing runs on the hosts."""
    assert all(each.processes("my.cnf") for each in hosts)
    running.signal(Signals.SIGKILL)
    ended = running.end(leaves=True)
    wait_until_nothing_runs(hosts)
    return [str(event["event"]) for event in ended.events]


def test_a_killed_runner_leaves_no_process_there_and_its_snapshot_is_used_again(
    stage: Stage, hosts: Hosts, place: Path
) -> None:
    """Where somebody has removed a part of it, the tables are loaded again."""
    happened = killed(launched(stage, hosts, place), hosts)
    assert "dataset_loaded" in happened
    assert len(list(place.rglob("snapshot-*"))) == 2
    happened = killed(launched(stage, hosts, place), hosts)
    assert "snapshot_restored" in happened
    assert "dataset_loaded" not in happened
    snapshots = list(place.rglob("snapshot-*"))
    assert len(snapshots) == 2
    shutil.rmtree(snapshots[0])
    again = stage.run()
    assert again.status == 0, again
    assert "dataset_loaded" in [event["event"] for event in again.events]
    assert stage.statuses() == {1: "completed", 2: "completed"}
    assert stored(place) == []


def test_postgresql_lets_clients_in_from_here(stage: Stage, hosts: Hosts, place: Path) -> None:
    write(
        stage,
        f"storage: {member(hosts[:1], place, 'postgresql: {}')}",
        scheme="postgresql",
        factors="io: {sets: server.storage.work_mem, levels: [1MB, 2MB], apply: online}",
        rounds=1,
    )
    ended = stage.run()
    assert ended.status == 0, ended
    assert stage.statuses() == {1: "completed", 2: "completed"}
    for trial in map(stage.trial, (1, 2)):
        assert trial["server"]["settings"]["work_mem"] == trial["cell"]["io"]
    assert hosts[0].processes("") == []
    assert stored(place) == []


def test_a_limit_of_memory_holds_there(stage: Stage, hosts: Hosts, place: Path) -> None:
    """The memory that a query takes there is more than the limit of its server."""
    require_limits(2 << 30)
    # A namespace of ip's has no control groups.
    way = "nsenter --net=/run/netns/{host}"
    write(
        stage,
        f"storage: {member(hosts[:1], place, 'mysql: {set: {max_allowed_packet: 1G}}', way)}",
        factors="memory: {sets: members.storage.limits.memory, levels: [2G, 300M]}",
        # On a busy machine one such query takes seconds.
        duration="6s",
        rounds=1,
        load="{clients: 1}",
        procedure="check: none",
    )
    lines = stage.file.read_text().splitlines()
    eats = "SELECT LENGTH(@much := REPEAT('x', 120000000))"
    lines[2] = f'workload: {{sql: {{transactions: {{eat: {{statements: ["{eats}"]}}}}}}}}'
    stage.file.write_text("\n".join(lines) + "\n")
    ended = stage.run()
    assert ended.status == 1
    by_level = {stage.trial(number)["cell"]["memory"]: number for number in (1, 2)}
    killed = by_level["300M"]
    assert stage.statuses() == {by_level["2G"]: "completed", killed: "failed"}
    assert stage.trial(killed)["reason"].startswith(
        f"host {hosts[0].name}: the kernel killed server storage-1 for lack of memory"
    )
    assert stored(place) == []


@pytest.mark.parametrize(
    ("asked", "status", "message"),
    [
        (
            {"way": "sh -c 'echo no route to {host} >&2; exit 255' --"},
            1,
            "there is no agent: no route to ",
        ),
        (
            {"way": "sh -c 'echo dbdyno 0.0.9; exec sleep 60' --"},
            2,
            f"has dbdyno 0.0.9, and this machine {__version__}; install {__version__} there, or "
            "name the Python that has it, with python: in the role",
        ),
        (
            {"python": "/usr/bin/python3"},
            1,
            "there is no agent: /usr/bin/python3: Error while finding module",
        ),
        ({"server": "mysql: {basedir: /nowhere}"}, 2, "no mariadbd or mysqld in /nowhere"),
        ({"server": "mysql: {cpus: 4000}"}, 2, "cpus: this machine lets dbdyno use the CPUs 0"),
    ],
)
def test_a_host_that_cannot_serve_is_told_before_anything_is_loaded(
    stage: Stage, hosts: Hosts, place: Path, asked: dict[str, str], status: int, message: str
) -> None:
    write(stage, f"storage: {member(hosts[:1], place, **asked)}")
    ended = stage.run()
    told = " ".join((ended.errors + ended.output).split())
    words = told.partition(f"storage-1: host {hosts[0].name}")[2].removeprefix(":").strip()
    assert words.startswith(message), told
    assert ended.status == status
    assert not (stage.result / "trials").exists()
    assert hosts[0].processes("") == []
    assert stored(place) == []


def test_an_address_of_another_machine_is_refused(stage: Stage, hosts: Hosts, place: Path) -> None:
    written = member(hosts[:1], place).replace(hosts[0].address, hosts[1].address)
    write(stage, f"storage: {written}")
    ended = stage.run()
    assert ended.status == 2
    told = " ".join(ended.errors.split())
    assert f"host {hosts[0].name}: {hosts[1].address} is no address of that machine" in told


def test_an_agent_that_says_nothing_any_more_is_given_up(
    stage: Stage, hosts: Hosts, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is where a host vanishes without a word: nothing tells its runner."""
    write(stage, f"storage: {member(hosts, place)}")
    model = read_experiment(stage.file).targets["cluster"]
    with open_target(model, "cluster", stage.directory / "servers", "this-run") as cluster:
        cluster.begin(own_setup(model))
        assert lost_member(cluster) is None
        monkeypatch.setattr(connection, "SILENCE_LIMIT_S", 1.0)
        for process in hosts[0].processes(""):
            process.suspend()
        assert killed_for_memory(cluster) is None
        reason = lost_member(cluster)
        assert reason == (
            f"host {hosts[0].name} does not answer any more (1 s); server storage-1 is lost with it"
        )
        monkeypatch.undo()
        # The kernel ends the server when its agent has ended, and frees its memory first.
        wait_until_nothing_runs(hosts[:1])
        cluster.begin(own_setup(model))
        assert lost_member(cluster) is None
    assert all(each.processes("") == [] for each in hosts)


def test_two_nodes_of_galera_on_one_host(
    stage: Stage, hosts: Hosts, place: Path, galera: Path
) -> None:
    # The state transfer asks for the names of addresses, and a namespace has nobody to ask.
    nobody = "mount --bind /dev/null /etc/resolv.conf"
    way = f"{WAY} sh -c '{nobody}; exec \"$@\"' sh"
    server = f"mysql: {{}}, galera: {galera / 'libgalera_smm.so'}"
    nodes = member([hosts[0]] * 2, place, server, way)
    write(stage, f"storage: {nodes}", factors="clients: [2]", rounds=1)
    path = f"{galera / 'bin'}:{os.environ['PATH']}"
    ended = stage.run(environment={"PATH": path})
    assert ended.status == 0, ended
    assert stage.statuses() == {1: "completed"}
    assert len(stage.trial(1)["server"]["hosts"]) == 2
    assert hosts[0].processes("") == []
    assert stored(place) == []
