"""What ``dbdyno plan`` says of servers, work and generators."""

from __future__ import annotations

from pathlib import Path

from dbdyno.cli.planned_parts import describe_generators, describe_servers, describe_work
from dbdyno.cli.planning import read_and_plan
from dbdyno.experiment.file.quantity import show_numbers

EXPERIMENT = """\
experiment: parts
question: What is told?
workload: {tpcc: {foreign_keys: true, home_warehouse: random}}
targets:
  old:
    mysql:
      basedir: sub/../nowhere
      option_file: own.cnf
      cpus: 0-2,5
      numa: 1
      transport: socket
      limits: {memory: 1G, cpus: 2}
      set: {thread_handling: pool-of-threads}
  up: {url: 'mysql://root@127.0.0.1:1/test'}
  both: {cluster: {members: {node: {mysql: {cpus: 3}, count: 2, hosts: [127.0.0.2, 127.0.0.3]}},
                   url: 'mysql://{user}@{node}/{database}'}}
factors: {target: [old, up, both]}
load: {clients: 16}
generators: [{cpus: 6-7, share: 1/4}, {host: load1, count: 2, share: 3/4}]
"""


def test_all_that_the_file_fixes_is_told(tmp_path: Path) -> None:
    file = tmp_path / "parts.yaml"
    file.write_text(EXPERIMENT)
    (tmp_path / "own.cnf").touch()
    experiment, plan = read_and_plan(file, smoke=False)
    assert list(describe_servers(experiment, plan)) == [
        f"old: a private server from {tmp_path}/nowhere; option file own.cnf; "
        "set thread_handling=pool-of-threads; over its Unix socket; CPUs 0-2,5; NUMA node 1; "
        "limits: 1,024 MiB memory, 2 CPUs",
        "up: nothing, mysql://root@127.0.0.1:1/test is already up",
        "both: a cluster; 2 node (mysql) on 127.0.0.2, 127.0.0.3, CPU 3",
    ]
    work = describe_work(plan)
    assert "home warehouse: random: another for each transaction; foreign keys: yes" in work
    assert describe_generators(experiment) == (
        "1 generator on CPUs 6-7 with 1/4 of the load and 2 generators on load1 with 3/4 of the "
        "load"
    )


def test_numbers_are_shown_as_a_file_has_them() -> None:
    assert show_numbers([5, 0, 1, 2, 9, 8, 8]) == "0-2,5,8-9"
    assert show_numbers([]) == ""
