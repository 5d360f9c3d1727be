"""No condition joins tables of many rows, whatever a server that knows nothing of them would do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.tpcc.conditions import CONDITIONS
from dbdyno.tpcc.naming import TableNames
from dbdyno.tpcc.schema import find_schema
from dbdyno.tpcc.tables import Run, Tables
from tests.live.engine.fixed_server import PostgreSql
from tests.live.tpcc import population

pytestmark = pytest.mark.live

MANY_ROWS = {"customer", "history", "orders", "new_order", "order_line", "item", "stock"}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """Tables that nobody has analysed, as they are after loading."""
    with PostgreSql("autovacuum=off") as server, open_session(server.url(), None) as session:
        population.create(session, TableNames())
        population.fill(session, TableNames())
        assert session.query("SELECT COUNT(*) FROM pg_stats WHERE schemaname = 'public'") == [
            ("0",)
        ]
        yield session


@pytest.mark.parametrize("number", CONDITIONS)
def test_tables_of_many_rows_are_summed_up_before_they_are_joined(
    session: Session, number: int
) -> None:
    condition = CONDITIONS[number]
    tables = Tables(find_schema(session, "postgresql"), Run(1, 1))
    # What names the lines that violate a condition is asked for where there are any.
    query = (condition.suspects or condition.violations)(tables)
    lines = session.query(f"EXPLAIN (FORMAT JSON) {query}")
    (explained,) = json.loads("\n".join(str(line) for (line,) in lines))
    scanned = set(_scanned(explained["Plan"], is_joined=False))
    assert scanned
    assert {table for table, is_joined in scanned if is_joined} & MANY_ROWS == set()


def _scanned(node: dict[str, Any], *, is_joined: bool) -> Iterator[tuple[str, bool]]:
    """Yield the tables that a plan reads, and whether their rows are joined as they are."""
    kind = node["Node Type"]
    if "Relation Name" in node:
        yield node["Relation Name"], is_joined
    if kind == "Nested Loop" or kind.endswith("Join"):
        is_joined = True
    elif kind == "Aggregate":
        is_joined = False
    for child in node.get("Plans", []):
        yield from _scanned(child, is_joined=is_joined)
