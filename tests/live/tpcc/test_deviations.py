"""Habits of other tools are told beside the violation, with the rows that they do not explain."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dbdyno.database.session import open_session
from dbdyno.tpcc.check import check_cardinality
from dbdyno.tpcc.schema import find_schema
from tests.live.tpcc.conftest import Database, Loaded

pytestmark = pytest.mark.live

NO_INITIAL_HISTORY = (
    "UPDATE {warehouse} SET w_ytd = w_ytd + 300000",
    "UPDATE {district} SET d_ytd = d_ytd + 30000",
    "UPDATE {customer} SET c_balance = c_balance - 10, c_ytd_payment = c_ytd_payment + 10",
)
"""What the population is as if it had been loaded without history, but for condition 1."""

HABITS = {
    "Terark": (("UPDATE {warehouse} SET w_ytd = w_ytd + 2700000",), {1: "Terark", 8: "Terark"}),
    "stroppy": (NO_INITIAL_HISTORY, {8: "stroppy", 9: "stroppy", 10: "stroppy"}),
    "tpcc-mysql": (("UPDATE {customer} SET c_ytd_payment = 10",), {12: "tpcc-mysql"}),
}

SOMETHING_BESIDES = (
    "UPDATE {warehouse} SET w_ytd = w_ytd + 0.02 WHERE w_id = 2",
    "UPDATE {district} SET d_ytd = d_ytd + 0.01 WHERE d_w_id = 2 AND d_id = 2",
    "UPDATE {customer} SET c_balance = c_balance + 0.01, c_ytd_payment = c_ytd_payment + 0.01"
    " WHERE c_w_id = 2 AND c_d_id = 2 AND c_id = 12",
)


ONE_ROW_A_WAREHOUSE = (1, 8)
"""Conditions that two warehouses violate with two rows."""


@pytest.fixture(scope="module")
def loaded(database: Database) -> Iterator[Loaded]:
    with database.loaded("spec") as loaded:
        yield loaded


@pytest.mark.parametrize("tool", HABITS)
def test_a_habit_is_told_where_it_explains_everything(loaded: Loaded, tool: str) -> None:
    statements, explained = HABITS[tool]
    try:
        loaded.change(*statements)
        results = loaded.check(*explained)
        for number, name in explained.items():
            assert name in (results[number].explanation or "")
        loaded.change(*SOMETHING_BESIDES)
        besides = loaded.check(*explained)
    finally:
        loaded.restore()
    for number, name in explained.items():
        violations, words = besides[number].violations, besides[number].explanation
        if number in ONE_ROW_A_WAREHOUSE:
            # What explains half of the rows may explain none.
            assert words is None
        else:
            assert (words or "").startswith(f"{violations - 1} of {violations} rows: ")
            assert name in (words or "")


def test_any_other_violation_is_not_explained(loaded: Loaded) -> None:
    try:
        loaded.change(*SOMETHING_BESIDES)
        results = [result for result in loaded.check().values() if not result.holds]
    finally:
        loaded.restore()
    assert [result.number for result in results] == [1, 8, 9, 10, 12]
    assert [result.explanation for result in results] == [None] * 5


def test_sizes_are_compared_with_those_of_the_load(loaded: Loaded) -> None:
    database = loaded.database
    with open_session(database.url, None) as session:
        schema = find_schema(session, database.kind)
    try:
        loaded.change("DELETE FROM {stock} WHERE s_w_id = 2")
        results = check_cardinality(lambda: open_session(database.url, None), schema, [1, 2])
    finally:
        loaded.restore()
    found = {result.title.split()[0]: result.rows for result in results}
    assert all(result.number is None for result in results)
    assert found["stock"] == (("1", "5", "100,000"), ("2", "0", "100,000"))
    assert found["customer"] == (("1", "24", "30,000"), ("2", "24", "30,000"))
    assert found["item"] == (("5", "100000"),)
    assert [row[2] for row in found["order_line"]] == ["297,000 to 303,000"] * 2
    assert found.keys() == set(vars(schema.names)) - {"warehouse"}
