"""The tables as the servers have them, in each of the five schemas, and a run on each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dbdyno.experiment.workload.tpcc import Tpcc
from dbdyno.target.base import Server
from tests.live.target.queries import query
from tests.live.tpcc.workload.books import KEYS, check, name_of, sums, tpcc, wrong_rows
from tests.live.tpcc.workload.conftest import loaded
from tests.live.workload.test_tpcc_check import assert_that_conditions_are_looked_at
from tests.live.workload.trials import drop, run_trial, verify

pytestmark = pytest.mark.live

BY_NAME = "c_w_id, c_d_id, c_last, c_first"
BY_CUSTOMER = "o_w_id, o_d_id, o_c_id, o_id"

INDEXES = {
    "spec": {
        ("customer", "customer_by_name", BY_NAME, False),
        ("orders", "orders_by_customer", BY_CUSTOMER, False),
    },
    "benchmarksql": {
        ("bmsql_customer", "bmsql_customer_idx1", BY_NAME, False),
        ("bmsql_oorder", "bmsql_oorder_idx1", "o_w_id, o_d_id, o_carrier_id, o_id", True),
    },
    "tpcc_mysql": {
        ("customer", "idx_customer", BY_NAME, False),
        ("orders", "idx_orders", BY_CUSTOMER, False),
        ("stock", "fkey_stock_2", "s_i_id", False),
        ("order_line", "fkey_order_line_2", "ol_supply_w_id, ol_i_id", False),
    },
    "go_tpc": {
        ("customer", "idx_customer", BY_NAME, False),
        ("orders", "idx_order", BY_CUSTOMER, False),
        ("history", "idx_h_w_id", "h_w_id", False),
        ("history", "idx_h_c_w_id", "h_c_w_id", False),
    },
    "sysbench_tpcc": {
        ("customer1", "idx_customer1", BY_NAME, False),
        ("orders1", "idx_orders1", BY_CUSTOMER, False),
        ("stock1", "fkey_stock_21", "s_i_id", False),
        ("order_line1", "fkey_order_line_21", "ol_supply_w_id, ol_i_id", False),
        ("history1", "fkey_history_11", "h_c_w_id, h_c_d_id, h_c_id", False),
        ("history1", "fkey_history_21", "h_w_id, h_d_id", False),
    },
}

FOREIGN_KEYS = {
    ("district", "d_w_id", "warehouse"),
    ("customer", "c_w_id, c_d_id", "district"),
    ("history", "h_c_w_id, h_c_d_id, h_c_id", "customer"),
    ("history", "h_w_id, h_d_id", "district"),
    ("new_order", "no_w_id, no_d_id, no_o_id", "orders"),
    ("orders", "o_w_id, o_d_id, o_c_id", "customer"),
    ("order_line", "ol_w_id, ol_d_id, ol_o_id", "orders"),
    ("order_line", "ol_supply_w_id, ol_i_id", "stock"),
    ("stock", "s_w_id", "warehouse"),
    ("stock", "s_i_id", "item"),
}

# Table, index, columns in order, whether it is unique, whether it is the primary key.
MYSQL_INDEXES = """
    SELECT table_name, index_name, GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR ', '),
           1 - MIN(non_unique), index_name = 'PRIMARY'
    FROM information_schema.statistics WHERE table_schema = DATABASE()
    GROUP BY table_name, index_name
"""
POSTGRES_INDEXES = """
    SELECT t.relname, i.relname, STRING_AGG(a.attname, ', ' ORDER BY k.place),
           x.indisunique::int, x.indisprimary::int
    FROM pg_index x
    JOIN pg_class i ON i.oid = x.indexrelid
    JOIN pg_class t ON t.oid = x.indrelid
    CROSS JOIN LATERAL UNNEST(x.indkey) WITH ORDINALITY AS k (attnum, place)
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
    WHERE t.relnamespace = 'public'::regnamespace AND NOT t.relispartition
    GROUP BY t.relname, i.relname, x.indisunique, x.indisprimary
"""
# Table, columns in order, the table that they refer to.
MYSQL_FOREIGN_KEYS = """
    SELECT table_name, GROUP_CONCAT(column_name ORDER BY ordinal_position SEPARATOR ', '),
           referenced_table_name
    FROM information_schema.key_column_usage
    WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL
    GROUP BY constraint_name, table_name, referenced_table_name
"""
POSTGRES_FOREIGN_KEYS = """
    SELECT c.conrelid::regclass, STRING_AGG(a.attname, ', ' ORDER BY k.place),
           c.confrelid::regclass
    FROM pg_constraint c
    CROSS JOIN LATERAL UNNEST(c.conkey) WITH ORDINALITY AS k (attnum, place)
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum
    WHERE c.contype = 'f' AND c.conparentid = 0
    GROUP BY c.oid, c.conrelid, c.confrelid
"""


@pytest.fixture(params=list(INDEXES))
def workload(request: pytest.FixtureRequest, empty_server: Server) -> Iterator[Tpcc]:
    """Return each schema in turn with foreign keys, loaded on the server."""
    options = {}
    if request.param == "go_tpc" and empty_server.name == "postgresql":
        # PostgreSQL can have both.
        options = {"partitions": 2, "table_options": "WITH (fillfactor = 90)"}
    data = tpcc(warehouses=1, schema=request.param, foreign_keys=True, **options)
    loaded(empty_server, data)
    yield data
    assert drop(empty_server, data)[-1]["event"] == "dataset"
    assert tables(empty_server) == set()


def tables(server: Server) -> set[str]:
    space = "DATABASE()" if server.name == "mysql" else "'public'"
    sql = f"SELECT table_name FROM information_schema.tables WHERE table_schema = {space}"
    return {str(name) for (name,) in query(server, sql)}


def test_a_schema_is_its_tools_and_runs(empty_server: Server, workload: Tpcc) -> None:
    server, schema = empty_server, workload.schema_name
    mysql = server.name == "mysql"
    partitioned = workload.partitions > 0
    expected = {name_of(schema, table) for table in [*KEYS, "history"]}
    if schema == "benchmarksql":
        expected.add("bmsql_config")
    parts = {f"{name}_p{part}" for name in expected - {"item"} for part in (0, 1)}
    assert tables(server) == expected | (parts if partitioned else set())

    rows = query(server, MYSQL_INDEXES if mysql else POSTGRES_INDEXES)
    primary = {(table, columns) for table, _, columns, _, is_primary in rows if is_primary == "1"}
    keys = {(name_of(schema, table), columns) for table, columns in KEYS.items()}
    if schema == "benchmarksql":
        keys |= {("bmsql_config", "cfg_name"), ("bmsql_history", "hist_id")}
    assert primary == keys
    others = {
        (table, name, columns, is_unique == "1")
        for table, name, columns, is_unique, is_primary in rows
        # MariaDB makes indexes for foreign keys that find none.
        if is_primary == "0" and not str(name).endswith("_fkey")
    }
    assert others == INDEXES[schema]

    found = set(query(server, MYSQL_FOREIGN_KEYS if mysql else POSTGRES_FOREIGN_KEYS))
    assert found == {
        (name_of(schema, child), columns, name_of(schema, parent))
        for child, columns, parent in FOREIGN_KEYS
    }
    if mysql:
        # Rows that refer to nothing are refused again.
        assert query(server, "SELECT @@GLOBAL.foreign_key_checks") == [("1",)]
    if partitioned:
        options = query(server, "SELECT reloptions FROM pg_class WHERE relname = 'stock_p1'")
        assert options == [("{fillfactor=90}",)]

    assert {"event": "verified", "complete": True} in verify(server, workload)
    before = sums(server, schema)
    trial = run_trial(server, workload, clients=3, transactions=200, duration_s=30.0)
    assert trial.end["status"] == "completed", trial.end
    check(before, sums(server, schema), trial)
    assert {
        question: count for question, count in wrong_rows(server, schema).items() if count
    } == {}
    if schema == "benchmarksql":
        # Its names are the least like the specification's.
        assert_that_conditions_are_looked_at(server, workload)
