"""A plan against machines that a file describes: what they lack, and each command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.cli.planning import read_and_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.run.described_hosts import problems_of_hosts, read_hosts
from dbdyno.run.dry_run import Start, starts_of
from dbdyno.run.needs import needs_of

EXPERIMENT = """\
experiment: machines
question: What does a second storage node bring?
workload: {sysbench: {script: oltp_point_select, tables: 1, table_size: 1000}}
target:
  cluster:
    members:
      storage:
        mysql: {basedir: /opt/mysql, set: {innodb_buffer_pool_size: 20G}}
        count: 2
        hosts: [{host: db1, numa: 0}, {host: db2, numa: 1}]
      compute:
        command:
          start: ./node.sh start {host} {storage} {heap}
          stop: ./node.sh stop {host}
          ready: tcp 3323
        hosts: [app1]
        after: storage
      balancer: {haproxy: {to: compute}}
    setup: {storage: storage.sql.j2}
    variables: {heap: 16g}
    url: mysql://{user}@{compute}/{database}
factors:
  nodes: {sets: members.storage.count, levels: [1, 2]}
  heap: {sets: target.variables.heap, levels: [8g, 16g]}
  clients: [1, 4]
procedure: {warmup: 1s, duration: 5s, rounds: 2, start: continue}
generators: [{host: client, cpus: 0-3}]
"""

HOSTS = """\
hosts:
  db1: {address: 10.0.0.1, numa_nodes: 2, memory: 64G}
  db2: {numa_nodes: 2, memory: 64G}
  app1: {address: 10.0.0.3}
  client: {cpus: 8}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "machines.yaml"
    file.write_text(EXPERIMENT)
    (tmp_path / "storage.sql.j2").write_text("SELECT 1")
    return file


def planned(file: Path, hosts: str) -> tuple[list[str], list[Start]]:
    described = file.parent / "hosts.yaml"
    described.write_text(hosts)
    experiment, plan = read_and_plan(file, smoke=False)
    known = read_hosts(described)
    needs = needs_of(experiment, plan.trials)
    problems = problems_of_hosts(experiment, plan.trials, needs, known)
    return [each.message for each in problems], starts_of(experiment, plan.trials, known)


def of_servers(starts: list[Start]) -> Iterator[Start]:
    return (start for start in starts if start.steps[0].name != "generator")


def test_each_start_has_its_commands_once_in_the_order_of_the_run(file: Path) -> None:
    problems, starts = planned(file, HOSTS)
    assert problems == []
    by_levels = {start.cell.levels: start.steps for start in of_servers(starts)}
    assert {dict(levels)["nodes"] + dict(levels)["heap"] for levels in by_levels} == {
        "18g", "116g", "28g", "216g"
    }  # fmt: skip
    steps = by_levels[("nodes", "2"), ("heap", "8g")]
    assert [(step.name, step.place) for step in steps] == [
        ("storage-1", "db1, NUMA node 0"),
        ("storage-2", "db2, NUMA node 1"),
        ("compute-1", ""),
        ("balancer-1", ""),
        ("each storage", ""),
        ("compute-1", ""),
    ]
    assert steps[0].command == steps[1].command
    assert "mysqld or mariadbd of /opt/mysql, innodb_buffer_pool_size=20G" in steps[0].command
    # Clients and other servers reach a machine at its address, and commands have its name.
    assert steps[2].command == "./node.sh start app1 10.0.0.1:PORT,db2:PORT 8g"
    assert steps[3].command == "haproxy -db -f haproxy.cfg, to 10.0.0.3:3323"
    assert steps[4].command == "the statements of storage.sql.j2"
    assert steps[5].command == "./node.sh stop app1"


def test_generators_stand_apart_with_what_they_are_bound_to(file: Path) -> None:
    _, starts = planned(file, HOSTS)
    (generators,) = (start for start in starts if start not in list(of_servers(starts)))
    (step,) = generators.steps
    assert step.place == "CPUs 0-3"
    assert step.command == "ssh -T -o BatchMode=yes client python3 -m dbdyno.agent"


@pytest.mark.parametrize(
    ("is_so", "is_not", "told"),
    [
        ("  db2: {numa_nodes: 2, memory: 64G}\n", "", "host db2: it is not described"),
        (
            "client: {cpus: 8}",
            "client: {cpus: 2}",
            "host client: a generator is to have CPU 3, and the last one there is 1",
        ),
        (
            "db2: {numa_nodes: 2",
            "db2: {numa_nodes: 1",
            "host db2: a server of storage is to have NUMA node 1, and the last one there is 0",
        ),
        (
            "numa_nodes: 2, memory: 64G}\n  db2",
            "numa_nodes: 2, memory: 16G}\n  db2",
            "host db1: settings give the servers there 20.00 GiB of memory, and it has 16.00 GiB",
        ),
    ],
)
def test_what_machines_lack_is_told(is_so: str, is_not: str, told: str, file: Path) -> None:
    problems, _ = planned(file, HOSTS.replace(is_so, is_not))
    assert problems == [told]


def test_what_is_wrong_with_the_description_has_its_line(file: Path) -> None:
    with pytest.raises(ExperimentError) as error:
        planned(file, HOSTS.replace("numa_nodes: 2, memory: 64G}\n  app1", "numa: 2}\n  app1"))
    assert "hosts.yaml" in str(error.value)
    assert ":3" in str(error.value) or "line 3" in str(error.value)


PUBLISHED = Path(__file__).parents[3] / "experiments" / "published"


def test_the_published_machines_are_described_and_one_claim_of_memory_is_refuted() -> None:
    """A report's 27 data nodes take more than its machines have."""
    for name, folder, expected in (
        ("tidb-versions-sysbench", "tidb", []),
        ("hotdb-topologies-tpcc", "hotdb", ["server202", "server203", "server204"]),
    ):
        experiment, plan = read_and_plan(PUBLISHED / f"{name}.yaml", smoke=False)
        known = read_hosts(PUBLISHED / folder / "hosts.yaml")
        needs = needs_of(experiment, plan.trials)
        problems = problems_of_hosts(experiment, plan.trials, needs, known)
        assert [each.message.split(":")[0] for each in problems] == [
            f"host {host}" for host in expected
        ]
        steps = [step for each in starts_of(experiment, plan.trials, known) for step in each.steps]
        assert steps
        assert not any("{" in step.command.replace("{host}", "") for step in steps)
