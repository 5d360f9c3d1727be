"""Servers of clusters on other machines as they are written, and what is wrong with some."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.design.varied_target import target_of
from dbdyno.experiment.file.cluster import ClusterTarget
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.model import Experiment

EXPERIMENT = """\
experiment: e
question: Which?
workload: {sysbench: {}}
target:
  cluster:
    members:
      storage:
        mysql: {cpus: 0-3, numa: 0}
        count: 2
        hosts: [me@db1, {host: db2, address: 10.0.0.5}]
      compute: {mysql: {}, after: storage}
    url: mysql://{user}@{compute}/{database}
"""


def read(text: str, tmp_path: Path) -> Experiment:
    path = tmp_path / "experiment.yaml"
    path.write_text(text)
    return read_experiment(path)


def test_what_is_no_loopback_address_is_another_machine(tmp_path: Path) -> None:
    text = EXPERIMENT.replace("hosts: [", "hosts: [127.0.0.9, ").replace("count: 2", "count: 3")
    target = read(text, tmp_path).targets["cluster"]
    assert isinstance(target, ClusterTarget)
    storage = target.members["storage"]
    assert [(host.host, host.address) for host in storage.elsewhere] == [
        ("me@db1", None),
        ("db2", "10.0.0.5"),
    ]
    assert not storage.is_all_elsewhere


def test_a_machine_may_have_several_servers(tmp_path: Path) -> None:
    text = EXPERIMENT.replace("{host: db2, address: 10.0.0.5}", "me@db1")
    target = read(text, tmp_path).targets["cluster"]
    assert isinstance(target, ClusterTarget)
    assert target.members["storage"].is_all_elsewhere


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1, ["me@db1"]), (2, ["me@db1", "db2"]), (5, ["me@db1", "db2", "me@db1", "db2", "me@db1"])],
)
def test_machines_take_turns(count: int, expected: list[str], tmp_path: Path) -> None:
    factor = f"factors: {{n: {{sets: members.storage.count, levels: [{count}]}}}}\n"
    experiment = read(EXPERIMENT + factor, tmp_path)
    (cell, *_) = make_plan(experiment).trials
    target = target_of(experiment, cell)
    assert isinstance(target, ClusterTarget)
    assert [each.host for each in target.members["storage"].places] == expected


@pytest.mark.parametrize("there", ["mysql: {}", "command: {start: a, stop: b, ready: tcp 3306}"])
def test_a_loopback_address_and_a_port_take_one_server_each(there: str, tmp_path: Path) -> None:
    host = "127.0.0.9" if "mysql" in there else "db1"
    text = EXPERIMENT.replace(
        "compute: {mysql: {}", f"compute: {{{there}, count: 2, hosts: [{host}]"
    )
    with pytest.raises(ExperimentError, match="has 1 addresses for 2 servers; name one for each"):
        read(text, tmp_path)


def test_a_level_is_no_more_than_the_addresses_that_a_role_has(tmp_path: Path) -> None:
    text = EXPERIMENT.replace("me@db1, {host: db2, address: 10.0.0.5}", "127.0.0.8, 127.0.0.9")
    factor = "factors: {n: {sets: members.storage.count, levels: [2, 3]}}\n"
    with pytest.raises(ExperimentError, match="is more than the 2 hosts of storage; name more"):
        read(text + factor, tmp_path)


def test_each_of_several_servers_of_a_machine_has_its_numa_nodes(tmp_path: Path) -> None:
    text = EXPERIMENT.replace("{host: db2, address: 10.0.0.5}", "{host: me@db1, numa: 1}")
    target = read(text, tmp_path).targets["cluster"]
    assert isinstance(target, ClusterTarget)
    storage = target.members["storage"]
    servers = [storage.sql_at(host) for host in storage.places]
    assert [server.numa for server in servers if server] == [(0,), (1,)]
    wrong = EXPERIMENT.replace(
        "compute: {mysql: {}",
        "compute: {command: {start: a, stop: b, ready: tcp 3306}, hosts: [{host: db1, numa: 0}]",
    )
    with pytest.raises(ExperimentError, match=r"hosts\[0\].numa: is for mysql and postgresql"):
        read(wrong, tmp_path)


def test_an_option_file_is_here_and_a_server_is_there(tmp_path: Path) -> None:
    (tmp_path / "my.cnf").write_text("")
    server = "{basedir: /opt/mysql, library_path: [/opt/lib], option_file: my.cnf}"
    text = EXPERIMENT.replace("{cpus: 0-3, numa: 0}", server)
    factors = "factors: {version: {sets: members.storage.basedir, levels: [/opt/a, /opt/b]}}\n"
    experiment = read(text + factors, tmp_path)
    folders = set()
    for trial in make_plan(experiment).trials:
        target = target_of(experiment, trial)
        assert isinstance(target, ClusterTarget)
        storage = target.members["storage"].mysql
        assert storage is not None
        assert storage.option_file == tmp_path / "my.cnf"
        assert storage.library_path == (Path("/opt/lib"),)
        folders.add(storage.basedir)
    assert folders == {Path("/opt/a"), Path("/opt/b")}


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (
            "compute: {mysql: {}, after: storage, ssh: 'ssh {host}'}",
            "compute.ssh: is for servers on other machines, and hosts has none; name them, as in "
            "hosts: [db1], or remove it",
        ),
        (
            "compute: {mysql: {}, after: storage, hosts: [127.0.0.9], directory: /data}",
            "compute.directory: is for servers on other machines, and hosts has none; name them, "
            "as in hosts: [db1], or remove it",
        ),
        (
            "compute: {mysql: {}, after: storage, hosts: [db3], ssh: 'ssh {hots}'}",
            "compute.ssh: names {hots}, which stands for nothing; did you mean 'host'?",
        ),
        (
            "compute: {mysql: {}, after: storage, hosts: [db3], directory: data}",
            "compute.directory: 'data' is a path on another machine; write it from / on",
        ),
        (
            "compute: {mysql: {}, after: storage, hosts: [-oProxyCommand=x]}",
            "compute.hosts[0]: '-oProxyCommand=x' is no host; write its name as ssh knows it, "
            "as in db1 or me@db1",
        ),
        (
            "compute: {mysql: {}, after: storage, hosts: [{host: 127.0.0.9, address: db3}]}",
            "compute.hosts[0].address: 127.0.0.9 is the address of a server on this machine "
            "already; remove address",
        ),
        (
            "compute: {mysql: {}, after: storage, hosts: [{address: 10.0.0.5}]}",
            "compute.hosts[0].host: is missing; add it, as in host: db1",
        ),
        (
            "compute: {mysql: {transport: socket}, after: storage, hosts: [db3]}",
            "compute.mysql.transport: a socket is reached on its own machine alone, and db3 is "
            "another; use tcp or tls",
        ),
        (
            "compute: {mysql: {basedir: mysql}, after: storage, hosts: [db3]}",
            "compute.mysql.basedir: is a path on db3, where the experiment file is not; write it "
            "from / on",
        ),
        (
            "compute: {mysql: {}, after: storage, galera: true, count: 2, hosts: [db3, 127.0.0.9]}",
            "compute.hosts: nodes of Galera reach each other, and no other machine reaches a "
            "loopback address; use other machines for all ({host: ...} may be this one, by its "
            "name)",
        ),
        (
            "layer: {mysql: {}}\n      compute: {mysql: {}, after: layer, hosts: [db3]}",
            "compute.after: layer has servers at loopback addresses, which db3 does not reach; use "
            "other machines for all ({host: ...} may be this one, by its name)",
        ),
        (
            "balancer: {haproxy: {to: compute}, hosts: [db1]}\n      compute: {mysql: {}}",
            "balancer.hosts[0]: 'db1' is no loopback address, as 127.0.0.2 is; haproxy runs on "
            "this machine; start another one as a command with ssh",
        ),
        (
            "layer: {command: {start: x, ready: tcp 1}, ssh: db1}\n      compute: {mysql: {}}",
            "layer.ssh: is for mysql and postgresql; write command: {ssh: ...}",
        ),
    ],
)
def test_servers_that_cannot_be_there(new: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as refused:
        read(EXPERIMENT.replace("compute: {mysql: {}, after: storage}", new), tmp_path)
    _, _, told = str(refused.value).partition("experiment.yaml:")
    line, _, told = told.partition(": ")
    assert int(line) >= 8
    assert told == f"target.cluster.members.{message}"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            "procedure: {caches: cold}",
            "procedure.caches: servers of storage are on other machines, whose page cache dbdyno "
            "does not drop; use warm or workload",
        ),
        (
            "factors: {way: {sets: members.storage.transport, levels: [tcp, socket]}}",
            "is no way to me@db1, another machine; use tcp or tls",
        ),
        (
            "factors: {version: {sets: members.storage.basedir, levels: [mysql]}}",
            "mysql is a path on me@db1; write it from / on",
        ),
    ],
)
def test_what_servers_elsewhere_cannot_do(more: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as refused:
        read(EXPERIMENT + more + "\n", tmp_path)
    assert message in str(refused.value)
