"""Clusters as they are written, and what is wrong with some."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.design.varied_target import data_name, target_of
from dbdyno.experiment.file.cluster import ClusterTarget
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.plan import ServerLimits

HEAD = """\
experiment: e
question: Which?
workload: {sysbench: {}}
"""
CLUSTER = """\
target:
  cluster:
    members:
      storage: {mysql: {set: {max_connections: 90}}, count: 2}
      compute: {mysql: {}, after: storage}
      balancer: {haproxy: {to: compute}}
    setup: {compute: shards.sql.j2}
    variables: {shards: 4}
    url: mysql://{user}@{balancer}/{database}
"""


def read(text: str, tmp_path: Path) -> Path:
    (tmp_path / "shards.sql.j2").write_text(
        "{% import 'names.j2' as x %}SET @shards = {{ shards }};"
    )
    (tmp_path / "names.j2").write_text("{{ imported }}")
    path = tmp_path / "experiment.yaml"
    path.write_text(HEAD + text)
    return path


def test_settings_limits_and_counts_are_by_role(tmp_path: Path) -> None:
    factors = (
        "factors:\n"
        "  nodes: {sets: members.storage.count, levels: [2, 3]}\n"
        "  memory: {sets: members.storage.limits.memory, levels: [1G]}\n"
        "  io: {sets: server.compute.innodb_io_capacity, levels: [300]}\n"
        "  shards: {sets: target.variables.shards, levels: [4]}\n"
        "  route: {sets: target.url, levels: ['mysql://{user}@{compute*}/{database}']}\n"
    )
    experiment = read_experiment(read(CLUSTER + factors, tmp_path))
    plan = make_plan(experiment)
    assert [factor.sets for factor in plan.factors] == [
        "members.storage.count",
        "members.storage.limits.memory",
        "server.compute.innodb_io_capacity",
        "target.variables.shards",
        "target.url",
    ]
    trial = plan.trials[0]
    setup = trial.setup
    assert setup.roles["storage"].settings == {"max_connections": "90"}
    assert setup.roles["storage"].limits == ServerLimits(1 << 30)
    assert setup.roles["compute"].settings == {"innodb_io_capacity": "300"}
    counts = set()
    for each in plan.trials:
        target = target_of(experiment, each)
        assert isinstance(target, ClusterTarget)
        counts.add(target.members["storage"].count)
        assert target.url == "mysql://{user}@{compute*}/{database}"
    assert counts == {2, 3}


def test_data_are_apart_where_they_differ() -> None:
    assert data_name({"cpus": "0", "transport": "tls", "url": "x"}) == ""
    names = {
        data_name({path: 2})
        for path in ("members.storage.count", "variables.shards", "basedir", "members.db.basedir")
    }
    assert len(names) == 4
    assert "" not in names


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "storage: {mysql: {set: {max_connections: 90}}, count: 2}",
            "storage: {count: 2}",
            "target.cluster.members.storage: has no servers: it must be exactly one of mysql, "
            "postgresql, haproxy and command, as in {mysql: {}}",
        ),
        (
            "after: storage",
            "after: store",
            "target.cluster.members.compute.after: there is no role 'store'; did you mean "
            "'storage'?",
        ),
        (
            "{haproxy: {to: compute}}",
            "{haproxy: {to: computers}}",
            "target.cluster.members.balancer.haproxy.to: there is no role 'computers'; did you "
            "mean 'compute'?",
        ),
        (
            "{mysql: {}, after: storage}",
            "{mysql: {}, after: storage, hosts: [127.0.0.9]}\n      more: {mysql: {}, hosts: "
            "[127.0.0.9]}",
            "target.cluster.members.more.hosts[0]: 127.0.0.9 is the address of a server of compute "
            "already; each server has one of its own",
        ),
        (
            "count: 2",
            "count: 2, hosts: [127.0.0.9]",
            "target.cluster.members.storage.hosts: has 1 addresses for 2 servers; name one for "
            "each",
        ),
        (
            "variables: {shards: 4}",
            "load_url: mysql://{user}@{stores}/{database}",
            "target.cluster.load_url: names {stores}, which is no role; did you mean 'storage'?",
        ),
        (
            "{haproxy: {to: compute}}",
            "{command: {start: 'proxy {host} {storages}', ready: tcp 1}, after: storage}",
            "target.cluster.members.balancer.command.start: names {storages}, which is no variable "
            "and, when it runs, no role whose servers are up; did you mean 'storage'?",
        ),
        (
            "{haproxy: {to: compute}}",
            "{command: {start: proxy, stop: 'end {storage}', ready: tcp 1}, after: storage}",
            "target.cluster.members.balancer.command.stop: names {storage}, which is no variable ",
        ),
        (
            "{haproxy: {to: compute}}",
            "{command: {start: proxy, describe: 'proxy -v {hots}', ready: tcp 1}, after: storage}",
            "target.cluster.members.balancer.command.describe: names {hots}, which is no variable "
            "and, when it runs, no role whose servers are up; did you mean 'host'?",
        ),
        (
            "{haproxy: {to: compute}}",
            "{command: {start: proxy, ready: tcp 3306}, count: 2}",
            "target.cluster.members.balancer.count: a command's servers listen on one port; give "
            "each an address: hosts: [...], or cluster: {network: own, ...}",
        ),
        (
            "{haproxy: {to: compute}}",
            "{command: {start: proxy, ready: tcp 3306, ssh: db1}, hosts: [db1]}",
            "target.cluster.members.balancer.command.ssh: hosts names the machines, which commands "
            "know as {host}; remove ssh, or hosts",
        ),
        (
            "members:\n      storage: {",
            "network: own\n    members:\n      storage: {hosts: [127.0.0.8, 127.0.0.9], ",
            "target.cluster.members.storage.hosts: network: own gives each server an address of "
            "its own on this machine; remove hosts, or network",
        ),
        (
            "members:\n",
            "network: own\n    members:\n      far: {command: {start: proxy, ready: tcp 1, ssh: "
            "db1}}\n",
            "target.cluster.members.far.command.ssh: network: own gives each server an address of "
            "its own on this machine; remove ssh, or network",
        ),
        (
            "count: 2",
            "count: 2, limits: {memory: 1G}",
            "target.cluster.members.storage.limits: belongs to the kind of server; write mysql: "
            "{limits: ...}",
        ),
        (
            "count: 2",
            "count: 2, after: compute",
            "target.cluster.members: wait for each other: ",
        ),
        (
            "{balancer}",
            "{balancers}",
            "target.cluster.url: names {balancers}, which is no role; did you mean 'balancer'?",
        ),
        (
            "{balancer}",
            "localhost",
            "target.cluster.url: names no role that clients connect to; write one of {storage}, "
            "{compute}, {balancer}",
        ),
    ],
)
def test_clusters_that_cannot_be(old: str, new: str, message: str, tmp_path: Path) -> None:
    text = CLUSTER.replace(old, new)
    assert text != CLUSTER
    with pytest.raises(ExperimentError) as refused:
        read_experiment(read(text, tmp_path))
    _, _, told = str(refused.value).partition("experiment.yaml:")
    assert told.partition(": ")[2].startswith(message)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("server.max_connections", "name the role of the servers, as in server.storage.max_conn"),
        ("members.store.count", "has no such field to vary; did you mean"),
        ("members.balancer.cpus", "has no such field to vary; "),
        ("target.variables.colour", "has no variable 'colour'; declare it"),
        ("limits.memory", "name the role of the servers, as in members.storage.limits.memory"),
        ("target.numa", "has no such field to vary"),
    ],
)
def test_factors_that_set_nothing(path: str, message: str, tmp_path: Path) -> None:
    text = f"{CLUSTER}factors: {{x: {{sets: {path}, levels: [1]}}}}\n"
    with pytest.raises(ExperimentError) as refused:
        read_experiment(read(text, tmp_path))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "is_refused"),
    [
        ("setup: {compute: shards.sql.j2}", "setup: {}", True),
        ("{compute: shards.sql.j2}", "{compute: importing.sql.j2}", False),
        ("{compute: shards.sql.j2}", "{compute: wrong.sql.j2}", False),
        ("{compute: shards.sql.j2}", "{compute: other.sql.j2}", True),
        (
            "{mysql: {}, after: storage}",
            "{mysql: {}, after: storage}\n"
            "      proxy: {command: {start: 'p {shards}', ready: tcp 1}}",
            False,
        ),
    ],
)
def test_a_variable_that_nothing_names_is_no_factor(
    old: str, new: str, *, is_refused: bool, tmp_path: Path
) -> None:
    """Its levels would be alike. One that an imported template names is used."""
    for name, text in (
        ("importing.sql.j2", "{% import 'shards.sql.j2' as x %}"),
        ("wrong.sql.j2", "{% if"),
        ("other.sql.j2", "{{ colour }}{% set shards = 1 %}{{ shards }}"),
    ):
        (tmp_path / name).write_text(text)
    text = CLUSTER.replace(old, new)
    assert text != CLUSTER
    if "proxy" in new:
        text = text.replace("setup: {compute: shards.sql.j2}", "setup: {}")
    text += "factors: {x: {sets: target.variables.shards, levels: [1, 2]}}\n"
    path = read(text, tmp_path)
    if not is_refused:
        read_experiment(path)
        return
    with pytest.raises(
        ExperimentError, match=r"factors\.x: varies the variable 'shards', which no"
    ):
        read_experiment(path)


NAMED = (
    "factors:\n  route:\n    sets: target.url\n    levels:\n"
    "      proxy: mysql://{user}@{balancer}/{database}\n"
    "      client: mysql://{user}@{compute*}/{database}\n"
)


def test_levels_have_names_and_set_their_values(tmp_path: Path) -> None:
    experiment = read_experiment(read(CLUSTER + NAMED, tmp_path))
    made = make_plan(experiment)
    assert [factor.levels for factor in made.factors] == [("proxy", "client")]
    urls = {trial.cell.level("route"): trial.target_changes["url"] for trial in made.trials}
    assert urls == {
        "proxy": "mysql://{user}@{balancer}/{database}",
        "client": "mysql://{user}@{compute*}/{database}",
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{compute*}", "{computed*}", "route.levels.client: names {computed}, which is no role"),
        ("{compute*}", "{balancer}", "route.levels.client: the level mysql://{user}@{balancer}/"),
        ("target.url", "load.clients", "route.levels: have names, which only those of target."),
    ],
)
def test_wrong_levels_with_names(old: str, new: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as refused:
        make_plan(read_experiment(read(CLUSTER + NAMED.replace(old, new), tmp_path)))
    assert message in str(refused.value)


def test_a_level_may_be_of_one_target_where_cells_leave_it_out_of_the_others(
    tmp_path: Path,
) -> None:
    text = """\
experiment: e
question: Which?
workload: {sysbench: {}}
targets:
  behind:
    cluster: &all
      members: {storage: {mysql: {}}, balancer: {haproxy: {to: storage}, after: storage}}
      url: mysql://{user}@{balancer}/{database}
  bare: {cluster: {<<: *all, members: {storage: {mysql: {}}}, url: "mysql://{user}@{storage}/{database}"}}
factors:
  target: [behind, bare]
  way:
    sets: target.url
    levels:
      balancer: mysql://{user}@{balancer}/{database}
      direct: mysql://{user}@{storage}/{database}
"""
    cells = "cells: [{target: behind}, {target: bare, way: direct}]\n"
    path = tmp_path / "experiment.yaml"
    path.write_text(text + cells)
    plan = make_plan(read_experiment(path))
    assert len({trial.cell for trial in plan.trials}) == 3
    path.write_text(text)
    with pytest.raises(
        ExperimentError, match=r"names \{balancer\}, which is no role.*name the cells"
    ):
        read_experiment(path)
    path.write_text(text.replace("{balancer}/{database}\n      direct", "{other}/d\n      direct"))
    with pytest.raises(ExperimentError, match=r"factors.way.levels.balancer: names \{other\}"):
        read_experiment(path)
