"""Nodes behind a layer count the tables that are ours, and tell what they know of them."""

from __future__ import annotations

from functools import partial

import pytest

from dbdyno.database.session import open_session
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.run.tables import analyse_nodes, statistics_facts
from dbdyno.schema import read_statistics
from dbdyno.target.url.server import ExternalServer
from tests.live.target.kinds import Kind
from tests.live.target.queries import MakeServer, query

pytestmark = pytest.mark.live

LEFT_ALONE = {"mysql": "STATS_AUTO_RECALC=0", "postgresql": "WITH (autovacuum_enabled = off)"}
"""What keeps a server from counting a table by itself."""


def test_each_node_analyses_its_parts_of_our_tables(make_server: MakeServer, kind: Kind) -> None:
    nodes = [make_server("one"), make_server("two")]
    for node in nodes:
        node.start({})
    places = [(node.url, node.password) for node in nodes]
    layer = ExternalServer("theirs", *places[0], nodes=places)
    for name in ("sbtest1_0", "others"):
        query(nodes[1], f"CREATE TABLE {name} (id INT PRIMARY KEY) {LEFT_ALONE[kind.name]}")
        query(nodes[1], f"INSERT INTO {name} VALUES (1), (2)")
    workload: WorkloadPlan = {"sysbench": {"tables": 1}}
    assert statistics_facts(layer, workload).missing == ("sbtest1_0",)
    assert analyse_nodes(layer, workload) == []
    assert statistics_facts(layer, workload).missing == ()
    second = partial(open_session, *places[1])
    assert read_statistics(second, kind.name, None).missing == ("others",)
    nodes[1].stop()
    (reason,) = analyse_nodes(layer, workload)
    assert "cannot connect to" in reason
    assert "cannot connect to" in (statistics_facts(layer, workload).reason or "")
