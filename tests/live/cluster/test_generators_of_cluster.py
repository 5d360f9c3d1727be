"""Generators that each load servers of their own, of a cluster whose addresses are known late."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.live.run.launch import call

pytestmark = pytest.mark.live

EXPERIMENT = """\
experiment: own-servers
question: Do servers do more when each has a generator of its own?
workload: {sql: {transactions: {read: SELECT v FROM t WHERE id = 1}}}
target:
  cluster:
    members: {db: {mysql: {}, count: 2}}
    setup: {db: t.sql.j2}
    url: mysql://{user}@{db*}/{database}
load: {clients: 8}
generators:
  all: [{share: 1/4}, {share: 3/4}]
  own: [{share: 1/4, to: [db-1]}, {share: 3/4, to: [db-2]}]
  role: [{to: [db]}]
factors: {generators: [all, own, role]}
procedure: {warmup: 0.2s, duration: 0.6s, interval: 0.2s, rounds: 1}
"""
TABLE = """\
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, v INT);
INSERT IGNORE INTO t VALUES (1, 7);
"""


def test_clients_go_where_their_generator_is_sent(tmp_path: Path) -> None:
    file = tmp_path / "experiment.yaml"
    file.write_text(EXPERIMENT)
    (tmp_path / "t.sql.j2").write_text(TABLE)
    result = tmp_path / "result"
    ended = call(["run", file, "--out", result])
    assert ended.status == 0, ended.output + ended.errors
    connections = {}
    for path in result.glob("trials/*/trial.json"):
        trial = json.loads(path.read_text())
        hosts = trial["end"]["hosts"]
        connections[trial["cell"]["generators"]] = [host["connections"] for host in hosts]
        # Ports are new ones at every start; they stand in the URL of the trial.
        url = json.loads((path.parent / "plan.json").read_text())["url"]
        assert all(host["host"] in url for host in hosts)
        by_host = pl.read_parquet(path.parent / "hosts.parquet")
        assert by_host.filter(pl.col("transactions") > 0)["host"].n_unique() == len(hosts)
    assert connections == {"all": [4, 4], "own": [2, 6], "role": [4, 4]}
