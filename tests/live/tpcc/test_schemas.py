"""The tables are found under whatever names a tool gave them, and some of the warehouses alone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from dbdyno.database.session import open_session
from dbdyno.errors import InputError
from dbdyno.tpcc import check
from dbdyno.tpcc.check import check_consistency
from dbdyno.tpcc.condition import Condition
from dbdyno.tpcc.naming import known_namings
from dbdyno.tpcc.schema import find_schema, find_warehouses
from dbdyno.tpcc.tables import Run
from tests.live.tpcc.conftest import Database, Loaded
from tests.live.tpcc.test_conditions import MUTATIONS, named

pytestmark = pytest.mark.live

SCHEMAS = ("spec", "go_tpc", "tpcc_mysql", "benchmarksql", "benchbase", "sysbench_tpcc_7")

SOME_OF_EACH_TABLE = (
    "a cent from one district to the other",
    "no w_ytd",
    "a new order is no order",
    "an order is gone and its lines are not",
    "a payment is another customer's",
)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_schema_is_found_and_checked(database: Database, schema: str) -> None:
    with database.loaded(schema) as loaded:
        with open_session(database.url, None) as session:
            found = find_schema(session, database.kind)
            assert find_warehouses(session, found) == [1, 2]
        assert found.name == schema
        assert found.names == loaded.names
        assert found.is_history_indexed == (schema == "go_tpc")
        assert named(loaded) == {}
        for name in SOME_OF_EACH_TABLE:
            loaded.change(*MUTATIONS[name].statements)
            assert named(loaded) == MUTATIONS[name].violated
            loaded.restore()


def test_tables_that_no_catalogue_lists_are_found(tmp_path: Path) -> None:
    """A layer that knows tables by other names than its nodes lists those of the nodes."""
    with open_session(f"sqlite:///{tmp_path}/layer.db", None) as session:
        for number, names in enumerate(("tpcc_mysql", "sysbench_tpcc_1"), 1):
            for table in asdict(known_namings({"warehouse1"})[names]).values():
                session.query(f"CREATE TEMP TABLE IF NOT EXISTS {table} (w_id INT)")
            wanted = names if number > 1 else None
            assert find_schema(session, "sqlite", wanted).name == names


def test_one_of_several_schemas_is_chosen(database: Database) -> None:
    with (
        database.loaded("benchmarksql"),
        database.loaded("go_tpc"),
        open_session(database.url, None) as session,
    ):
        with pytest.raises(InputError, match="tables of go_tpc and benchmarksql; say which"):
            find_schema(session, database.kind)
        for wanted, found in (("benchmarksql",) * 2, ("go_tpc",) * 2, ("spec", "go_tpc")):
            assert find_schema(session, database.kind, wanted).name == found
        with pytest.raises(InputError, match="no schema tpcc_mysql; there is go_tpc and bench"):
            find_schema(session, database.kind, "tpcc_mysql")


def test_what_is_missing_is_told(database: Database) -> None:
    with open_session(database.url, None) as session:
        with pytest.raises(InputError, match="there are no TPC-C tables; looked for") as refused:
            find_schema(session, database.kind)
        assert "bmsql_" in str(refused.value)
        assert "missing" not in str(refused.value)
    with database.loaded("tpcc_mysql") as loaded:
        loaded.change("ALTER TABLE {stock} RENAME TO stock_before")
        with (
            open_session(database.url, None) as session,
            pytest.raises(InputError, match="of tpcc_mysql's tables stock is missing"),
        ):
            find_schema(session, database.kind)
        loaded.change("ALTER TABLE stock_before RENAME TO {stock}")


def test_empty_tables_are_refused(database: Database) -> None:
    with database.loaded("spec") as loaded, open_session(database.url, None) as session:
        schema = find_schema(session, database.kind)
        loaded.change("DELETE FROM {warehouse}")
        with pytest.raises(InputError, match="the table warehouse is empty; load"):
            find_warehouses(session, schema)


def test_only_the_warehouses_that_are_asked_for_are_checked(database: Database) -> None:
    with database.loaded("spec") as loaded:
        loaded.change(
            "UPDATE {warehouse} SET w_ytd = 0 WHERE w_id = 2",
            "DELETE FROM {new_order} WHERE no_w_id = 2",
            "DELETE FROM {order_line} WHERE ol_w_id = 2",
            "UPDATE {customer} SET c_balance = 0 WHERE c_w_id = 2",
        )
        assert _violated(database, [1]) == []
        assert _violated(database, [2]) == [1, 4, 5, 6, 8, 10, 11, 12]


def test_payments_of_many_warehouses_are_read_at_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "WAREHOUSES_WITHOUT_INDEX", 1)
    with database.loaded("spec") as loaded:
        assert _runs_of_condition_10(database) == [(1, 2)]
        loaded.change(*MUTATIONS["a payment is another customer's"].statements)
        assert named(loaded) == {10: [(2, 2, 5), (2, 2, 6)]}
    with database.loaded("go_tpc"):
        assert _runs_of_condition_10(database) == [(1, 1), (2, 2)]


def _runs_of_condition_10(database: Database) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    with open_session(database.url, None) as session:
        schema = find_schema(session, database.kind)
    check_consistency(
        lambda: open_session(database.url, None),
        schema,
        [1, 2],
        [10],
        lambda _, run: runs.append((run.first, run.last)),
    )
    return runs


def test_everything_is_read_as_of_one_instant(database: Database) -> None:
    if database.kind == "sqlite":
        # Readers and writers wait for each other in every other mode.
        database.query("PRAGMA journal_mode = wal")
    with database.loaded("spec") as loaded:

        def write(condition: Condition, run: Run) -> None:
            if (condition.number, run.first) == (12, 1):
                loaded.change("UPDATE {customer} SET c_ytd_payment = 0")

        with open_session(database.url, None) as session:
            schema = find_schema(session, database.kind)
        results = check_consistency(
            lambda: open_session(database.url, None), schema, [1, 2], [1, 12], write
        )
        assert [result.violations for result in results] == [0, 0]
        assert loaded.check(12)[12].violations == 48


def _violated(database: Database, warehouses: list[int]) -> list[int | None]:
    with open_session(database.url, None) as session:
        schema = find_schema(session, database.kind)
    results = check_consistency(lambda: open_session(database.url, None), schema, warehouses)
    return [result.number for result in results if not result.holds]


INITIAL_ORDERS = """
    INSERT INTO {{orders}} SELECT 1, 1, n, n, CASE WHEN n < 2101 THEN 1 END, 5 FROM ({numbers}) x
"""
NUMBERS = " CROSS JOIN ".join(
    f"(SELECT 0 AS d{i} {' '.join(f'UNION ALL SELECT {n}' for n in range(1, 10))}) t{i}"
    for i in range(4)
)
ONE_TO_3000 = f"""
    SELECT 1 + d0 + 10 * d1 + 100 * d2 + 1000 * d3 AS n FROM {NUMBERS}
    WHERE d0 + 10 * d1 + 100 * d2 + 1000 * d3 < 3000
"""


def _load_a_district(loaded: Loaded) -> None:
    """Put the orders of the load into a district."""
    place = "o_w_id = 1 AND o_d_id = 1"
    loaded.change(
        f"DELETE FROM {{orders}} WHERE {place}",
        "DELETE FROM {new_order} WHERE no_w_id = 1 AND no_d_id = 1",
        INITIAL_ORDERS.format(numbers=ONE_TO_3000),
        f"INSERT INTO {{new_order}} SELECT 1, 1, o_id FROM {{orders}} WHERE {place} "
        "AND o_carrier_id IS NULL",
        "UPDATE {district} SET d_next_o_id = 3001 WHERE d_w_id = 1 AND d_id = 1",
    )


def test_after_loading_2100_orders_are_no_new_orders(database: Database) -> None:
    gone = "DELETE FROM {orders} WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 7"
    with database.loaded("spec") as loaded:
        _load_a_district(loaded)
        assert not any(result.violations for result in loaded.check(2, 3, 5, 11).values())
        loaded.change(gone)
        assert loaded.check(11)[11].rows == (("1", "1", "2099", "2100"),)
        # After a delivery nobody can tell how many there must be.
        loaded.change(
            "DELETE FROM {new_order} WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 2101",
            "UPDATE {orders} SET o_carrier_id = 1 WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 2101",
        )
        assert loaded.check(11)[11].holds
