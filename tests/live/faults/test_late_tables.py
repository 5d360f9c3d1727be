"""A load over connections to nodes of a cluster, of which one has a table later than another."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from dbdyno._native import Session
from tests.live.engine.fixed_server import FixedServer
from tests.live.engine.test_hosts import carry_out
from tests.live.faults.proxy import CuttingProxy

pytestmark = pytest.mark.live

MADE, LATE = "made", "late"
"""Databases of one server that stand for two nodes; their names are equally long."""
LATER_S = 1.0
ROWS = 100


class Nodes:
    """Leads connections to the late node as soon as a table has been made at the other one."""

    def __init__(self) -> None:
        self.statement = ""
        self.is_made = threading.Event()

    def __call__(self, _connection: int, words: bytes) -> bytes:
        """Return what the server is told."""
        if (start := words.find(b"CREATE TABLE")) >= 0:
            self.statement = words[start:].rstrip(b"\0").decode()
            self.is_made.set()
        if self.is_made.is_set():
            return words.replace(MADE.encode() + b"\0", LATE.encode() + b"\0")
        return words


@pytest.fixture
def databases(server: FixedServer) -> Iterator[None]:
    """Have both nodes, empty."""
    ask(server.url(), *(f"CREATE DATABASE {name}" for name in (MADE, LATE)))
    yield
    ask(server.url(), *(f"DROP DATABASE {name}" for name in (MADE, LATE)))


def ask(url: str, *statements: str) -> list[tuple[str | None, ...]]:
    """Carry out statements and return the rows of the last one."""
    session = Session.connect(url, None)
    try:
        return [session.query(statement) for statement in statements][-1]
    finally:
        session.close()


@pytest.mark.usefixtures("databases")
def test_rows_wait_for_a_table_that_another_node_has_first(server: FixedServer) -> None:
    nodes = Nodes()
    late = server.url().replace("/test", f"/{LATE}")

    def make_it_late() -> None:
        assert nodes.is_made.wait(30)
        time.sleep(LATER_S)
        ask(late, nodes.statement)

    with CuttingProxy(server, change_words=nodes) as proxy:
        other_node = threading.Thread(target=make_it_late)
        other_node.start()
        plan = {
            "url": proxy.url.replace("/test", f"/{MADE}"),
            "action": "load",
            "workload": {"sysbench": {"script": "oltp_point_select", "table_size": ROWS}},
            "connections": 2,
            "connect_s": 30.0,
        }
        events = carry_out(plan)
        other_node.join()
    assert events[-1]["event"] == "dataset", events
    assert ask(late, "SELECT COUNT(*) FROM sbtest1") == [(str(ROWS),)]
    assert ask(late.replace(LATE, MADE), "SELECT COUNT(*) FROM sbtest1") == [("0",)]
