"""Generators on two hosts, each sent to a server of its own, of a cluster that commands start."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.live.engine.fixed_server import MariaDb
from tests.live.remote.namespaces import Namespace
from tests.live.run.launch import call

pytestmark = pytest.mark.live

EXPERIMENT = """\
experiment: own-servers
question: Do servers do more when each has a host of its own that loads it?
workload: {{sql: {{transactions: {{read: SELECT v FROM t WHERE id = 1}}}}}}
target:
  cluster:
    members:
      left: {{command: {left}}}
      right: {{command: {right}}}
    url: mysql://{{user}}@{{left}},{{right}}/{{database}}
load: {{clients: 8}}
generators: [{{share: 1/4, to: [left], {first}}}, {{share: 3/4, to: [right-1], {second}}}]
procedure: {{warmup: 0.2s, duration: 0.6s, interval: 0.2s, rounds: 1, check: none}}
"""
WITH_TABLE = """\
CREATE DATABASE IF NOT EXISTS {{ database }};
CREATE OR REPLACE USER '{{ user }}'@'%' IDENTIFIED BY '{{ password }}';
GRANT ALL ON *.* TO '{{ user }}'@'%';
CREATE TABLE IF NOT EXISTS {{ database }}.t (id INT PRIMARY KEY, v INT);
INSERT IGNORE INTO {{ database }}.t VALUES (1, 7);
"""


def member(server: MariaDb, address: str) -> str:
    """Return a server as commands of a cluster start it at an address."""
    start = " ".join([*map(str, server.command()), "--init-file={folder}/init.sql"])
    files = "{init.sql: init.sql.j2}"
    return f"{{start: '{start}', ready: tcp {server.port}, host: {address}, files: {files}}}"


def test_hosts_load_the_servers_that_they_are_sent_to(tmp_path: Path) -> None:
    (tmp_path / "init.sql.j2").write_text(WITH_TABLE)
    anywhere = "--bind-address=0.0.0.0"
    servers = MariaDb(anywhere), MariaDb(anywhere)
    file, result = tmp_path / "experiment.yaml", tmp_path / "result"
    with Namespace() as first, Namespace() as second:
        places = [
            f"host: {each.address}, command: {each.command}, python: {sys.executable}"
            for each in (first, second)
        ]
        members = [
            member(server, each.near) for server, each in zip(servers, (first, second), strict=True)
        ]
        file.write_text(
            EXPERIMENT.format(left=members[0], right=members[1], first=places[0], second=places[1])
        )
        try:
            ended = call(["run", file, "--out", result])
        finally:
            for server in servers:
                server.__exit__()
        near = [first.near, second.near]
    assert ended.status == 0, ended.output + ended.errors
    trial = json.loads((result / "trials" / "0001" / "trial.json").read_text())
    hosts = {host["host"]: host["connections"] for host in trial["end"]["hosts"]}
    assert hosts == {
        f"{address}:{server.port}": connections
        for address, server, connections in zip(near, servers, (2, 6), strict=True)
    }
    asked = json.loads((result / "trials" / "0001" / "plan.json").read_text())
    assert [part["to"] for part in asked["generators"]] == [["left-1"], ["right-1"]]
