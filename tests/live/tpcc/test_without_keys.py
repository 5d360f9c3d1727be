"""Tables without primary keys: rows that are there twice, and keys that nobody knows.

A NULL in a key is told as 0 here; it is the same as no other, a NULL included.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.tpcc.conftest import Database, Loaded
from tests.live.tpcc.test_conditions import (
    CUSTOMER_1_2_3,
    ORDER_2_1_8,
    Mutation,
    mutation,
    named,
)

pytestmark = pytest.mark.live

AGAIN = "INSERT INTO {{orders}} SELECT o_w_id, o_d_id, o_id, {} FROM {{orders}} WHERE "
ORDER_2_1_4 = "o_w_id = 2 AND o_d_id = 1 AND o_id = 4"

MUTATIONS: dict[str, Mutation] = {
    "an order is there twice": mutation(
        AGAIN.format("o_c_id, o_carrier_id, o_ol_cnt") + ORDER_2_1_8,
        violated={4: [(2, 1)], 10: [(2, 1, 1)], 12: [(2, 1, 1)]},
    ),
    "an order is there twice, and has another number of lines": mutation(
        AGAIN.format("o_c_id, o_carrier_id, o_ol_cnt - 1") + ORDER_2_1_8,
        violated={4: [(2, 1)], 6: [(2, 1, 8)], 10: [(2, 1, 1)], 12: [(2, 1, 1)]},
    ),
    "an order is there twice, and once its number of lines is not known": mutation(
        AGAIN.format("o_c_id, o_carrier_id, NULL") + ORDER_2_1_8,
        violated={6: [(2, 1, 8)], 10: [(2, 1, 1)], 12: [(2, 1, 1)]},
    ),
    "an order is there twice, and once without its carrier": mutation(
        AGAIN.format("o_c_id, NULL, o_ol_cnt") + ORDER_2_1_8,
        violated={
            4: [(2, 1)],
            5: [(2, 1, 8)],
            7: [(2, 1, 8, line) for line in range(1, 5)],
            10: [(2, 1, 1)],
            11: [(2, 1)],
            12: [(2, 1, 1)],
        },
    ),
    "a new order is there twice": mutation(
        "INSERT INTO {new_order} VALUES (2, 1, 9)", violated={3: [(2, 1)], 11: [(2, 1)]}
    ),
    "a delivered order is a new order twice": mutation(
        "INSERT INTO {new_order} VALUES (2, 1, 8), (2, 1, 8)",
        violated={3: [(2, 1)], 5: [(2, 1, 8)], 11: [(2, 1)]},
    ),
    "a line is there twice": mutation(
        "INSERT INTO {order_line} SELECT * FROM {order_line}"
        " WHERE ol_w_id = 2 AND ol_d_id = 1 AND ol_o_id = 8 AND ol_number = 1",
        violated={4: [(2, 1)], 6: [(2, 1, 8)], 10: [(2, 1, 1)], 12: [(2, 1, 1)]},
    ),
    "a customer is there twice": mutation(
        "INSERT INTO {customer} SELECT * FROM {customer} WHERE " + CUSTOMER_1_2_3, violated={}
    ),
    "a customer is there twice, and once poorer": mutation(
        "INSERT INTO {customer} SELECT c_w_id, c_d_id, c_id, c_balance - 1, c_ytd_payment"
        " FROM {customer} WHERE " + CUSTOMER_1_2_3,
        violated={10: [(1, 2, 3)], 12: [(1, 2, 3)]},
    ),
    "a customer is there twice, and once richer": mutation(
        "INSERT INTO {customer} SELECT c_w_id, c_d_id, c_id, c_balance + 1, c_ytd_payment"
        " FROM {customer} WHERE " + CUSTOMER_1_2_3,
        violated={10: [(1, 2, 3)], 12: [(1, 2, 3)]},
    ),
    "an order and its lines have no number": mutation(
        "UPDATE {orders} SET o_id = NULL WHERE " + ORDER_2_1_4,
        "UPDATE {order_line} SET ol_o_id = NULL WHERE ol_w_id = 2 AND ol_d_id = 1 AND ol_o_id = 4",
        violated={
            6: [(2, 1, 0)],
            7: [(2, 1, 0, 1), (2, 1, 0, 2), (2, 1, 0, 3)],
            10: [(2, 1, 7)],
            12: [(2, 1, 7)],
        },
    ),
    "an order and its lines are in no district": mutation(
        "UPDATE {orders} SET o_d_id = NULL WHERE " + ORDER_2_1_4,
        "UPDATE {order_line} SET ol_d_id = NULL WHERE ol_w_id = 2 AND ol_d_id = 1 AND ol_o_id = 4",
        violated={
            6: [(2, 0, 4)],
            7: [(2, 0, 4, 1), (2, 0, 4, 2), (2, 0, 4, 3)],
            10: [(2, 1, 7)],
            12: [(2, 1, 7)],
        },
    ),
    "an order that was not delivered and its new order have no number": mutation(
        "UPDATE {orders} SET o_id = NULL WHERE o_w_id = 2 AND o_d_id = 1 AND o_id = 10",
        "UPDATE {new_order} SET no_o_id = NULL WHERE no_w_id = 2 AND no_d_id = 1 AND no_o_id = 10",
        violated={5: [(2, 1, 0)], 6: [(2, 1, 0)], 7: [(2, 1, 10, line) for line in (1, 2, 3)]},
    ),
    "a customer, the orders and the payments have no number": mutation(
        "UPDATE {customer} SET c_id = NULL WHERE c_w_id = 2 AND c_d_id = 1 AND c_id = 7",
        "UPDATE {orders} SET o_c_id = NULL WHERE o_w_id = 2 AND o_d_id = 1 AND o_c_id = 7",
        "UPDATE {history} SET h_c_id = NULL WHERE h_c_w_id = 2 AND h_c_d_id = 1 AND h_c_id = 7",
        violated={10: [(2, 1, 0)], 12: [(2, 1, 0)]},
    ),
}


@pytest.fixture(scope="module")
def loaded(database: Database) -> Iterator[Loaded]:
    with database.loaded("spec", keyed=False) as loaded:
        yield loaded


@pytest.mark.parametrize("name", MUTATIONS)
def test_rows_are_found_whose_keys_are_none(loaded: Loaded, name: str) -> None:
    try:
        loaded.change(*MUTATIONS[name].statements)
        assert named(loaded) == MUTATIONS[name].violated
    finally:
        loaded.restore()


def test_of_two_rows_the_one_is_told_that_is_wrong(loaded: Loaded) -> None:
    key = ("2", "1", "8")
    try:
        loaded.change(
            *MUTATIONS["an order is there twice, and once without its carrier"].statements
        )
        results = loaded.check(5, 7)
        assert results[5].rows == ((*key, None, "yes", "no"),)
        assert {row[5:] for row in results[7].rows} == {(None, "yes")}
        loaded.restore()
        for count, told in (("NULL", None), ("1", "1"), ("5", "5")):
            loaded.change(AGAIN.format(f"o_c_id, o_carrier_id, {count}") + ORDER_2_1_8)
            assert loaded.check(6)[6].rows == ((*key, told, "4"),)
            loaded.restore()
    finally:
        loaded.restore()
