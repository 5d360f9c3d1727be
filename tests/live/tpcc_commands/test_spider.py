"""A sharding layer, really run: Spider, over two nodes that were loaded each by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live.engine.fixed_server import MariaDb
from tests.live.tpcc_commands.conftest import dbdyno, must
from tests.live.tpcc_commands.test_layers import MOMENT, TABLES

SHARDED_BY = {
    "warehouse": "w_id",
    "district": "d_w_id",
    "customer": "c_w_id",
    "history": "h_w_id",
    "new_order": "no_w_id",
    "orders": "o_w_id",
    "order_line": "ol_w_id",
    "stock": "s_w_id",
}


STATEMENT_LIMIT_S = 120
"""What a statement may take at the layer; one for each row of a large table takes longer."""


def spider_table(table: str, made: str) -> str:
    """Return the statement that makes a table at the layer, from the one of a node."""
    columns = re.sub(r",\n  CONSTRAINT .*?(?=\n\)|,\n)", "", made[: made.rindex("\n)") + 2])
    spider = f'{columns} ENGINE=SPIDER COMMENT=\'wrapper "mysql", table "{table}"'
    if table not in SHARDED_BY:
        return f'{spider}, srv "s0"\''
    shards = ", ".join(
        f"PARTITION p{shard} VALUES IN ({shard}) COMMENT='srv \"s{shard}\"'" for shard in (0, 1)
    )
    return f"{spider}' PARTITION BY LIST (MOD({SHARDED_BY[table]}, 2)) ({shards})"


@dataclass(frozen=True)
class Sharded:
    """A layer over the node of warehouse 2 and the node of warehouse 1."""

    layer: MariaDb
    even: MariaDb
    odd: MariaDb


@pytest.fixture(scope="module")
def sharded(spider_plugins: Path) -> Iterator[Sharded]:
    """Two nodes, loaded each by itself, and Spider over them."""
    options = (
        *(f"--plugin-dir={spider_plugins}", "--plugin-load-add=ha_spider"),
        f"--max-statement-time={STATEMENT_LIMIT_S}",
    )
    with MariaDb() as even, MariaDb() as odd, MariaDb(*options) as layer:
        must("tpcc", "load", odd.url(), "-w", "1-1")
        must("tpcc", "load", even.url(), "-w", "2-2")
        for number, node in enumerate((even, odd)):
            layer.query(
                f"CREATE SERVER s{number} FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1', "
                f"PORT {node.port}, USER 'root', DATABASE 'test')"
            )
        for table in TABLES:
            ((_, made),) = even.query(f"SHOW CREATE TABLE {table}")
            assert made is not None
            layer.query(spider_table(table, made))
        yield Sharded(layer, even, odd)


@pytest.mark.live
def test_what_spider_acknowledges_is_found_at_its_nodes(sharded: Sharded) -> None:
    """Asked for the smallest order of each district, Spider answers for one node's alone."""
    for protocol in ("prepared", "text"):
        sent = ("--protocol", protocol)
        said = must("tpcc", "run", sharded.layer.url(), *MOMENT, *sent).output
        assert "Held against what is stored: all that was acknowledged is stored" in said


PLANTED = {
    "even": (
        "DELETE FROM order_line"
        " WHERE ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 7 AND ol_number = 1",
        "UPDATE order_line SET ol_delivery_d = NULL"
        " WHERE ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 8 AND ol_number = 2",
    ),
    "odd": (
        "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 2, 7)",
        "UPDATE customer SET c_balance = c_balance + 0.01"
        " WHERE c_w_id = 1 AND c_d_id = 4 AND c_id = 9",
    ),
}
FOUND = {
    4: [["2", "3"]],
    5: [["1", "2", "7"]],
    6: [["2", "3", "7"]],
    7: [["2", "3", "8", "2"]],
    10: [["1", "4", "9"]],
    12: [["1", "4", "9"]],
}
"""What the conditions name that are about single orders and customers."""


@pytest.mark.live
def test_conditions_are_checked_through_spider_and_name_what_is_wrong(sharded: Sharded) -> None:
    """Where tables are joined, Spider asks a node for each row: that takes minutes."""
    assert must("check", sharded.layer.url()).output.endswith("All hold.\n")
    for statement in PLANTED["even"]:
        sharded.even.query(statement)
    for statement in PLANTED["odd"]:
        sharded.odd.query(statement)
    checked = dbdyno("check", sharded.layer.url(), "--conditions", "4-7,10,12", "--json")
    assert checked.status == 1, checked.errors
    results = json.loads(checked.output)["results"]
    assert {
        result["number"]: [row[: len(FOUND[result["number"]][0])] for row in result["rows"]]
        for result in results
    } == FOUND
