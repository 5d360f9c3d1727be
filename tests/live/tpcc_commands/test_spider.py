"""A sharding layer, really run: Spider, over two nodes that were loaded each by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.live.engine.fixed_server import MariaDb
from tests.live.tpcc_commands.conftest import must
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


@pytest.mark.live
def test_what_spider_acknowledges_is_found_at_its_nodes(spider_plugins: Path) -> None:
    """Asked for the smallest order of each district, Spider answers for one node's alone."""
    options = (f"--plugin-dir={spider_plugins}", "--plugin-load-add=ha_spider")
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
        for protocol in ("prepared", "text"):
            sent = ("--protocol", protocol)
            said = must("tpcc", "run", layer.url(), *MOMENT, *sent).output
            assert "Held against what is stored: all that was acknowledged is stored" in said
