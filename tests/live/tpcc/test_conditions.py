"""Each condition can fail: a change to a row makes exactly those fail that are about it.

A mutation says which conditions it violates, and the keys of the rows that they name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.live.tpcc.conftest import Database, Loaded

pytestmark = pytest.mark.live

Keys = list[tuple[int, ...]]


@dataclass(frozen=True)
class Mutation:
    statements: tuple[str, ...]
    violated: dict[int, Keys]


def mutation(*statements: str, violated: dict[int, Keys]) -> Mutation:
    return Mutation(statements, violated)


ORDER_2_1_8 = "o_w_id = 2 AND o_d_id = 1 AND o_id = 8"
CUSTOMER_1_2_3 = "c_w_id = 1 AND c_d_id = 2 AND c_id = 3"
REMOTE_PAYMENT = "h_w_id = 1 AND h_c_w_id = 2 AND h_c_d_id = 2 AND h_c_id = 5"
LINE = "ol_w_id = 2 AND ol_d_id = 2 AND ol_o_id = {} AND ol_number = 2"

MUTATIONS = {
    "a cent more in w_ytd": mutation(
        "UPDATE {warehouse} SET w_ytd = w_ytd + 0.01 WHERE w_id = 2",
        violated={1: [(2,)], 8: [(2,)]},
    ),
    "no w_ytd": mutation(
        "UPDATE {warehouse} SET w_ytd = NULL WHERE w_id = 2", violated={1: [(2,)], 8: [(2,)]}
    ),
    "a cent more in d_ytd": mutation(
        "UPDATE {district} SET d_ytd = d_ytd + 0.01 WHERE d_w_id = 2 AND d_id = 1",
        violated={1: [(2,)], 9: [(2, 1)]},
    ),
    "a cent from one district to the other": mutation(
        "UPDATE {district} SET d_ytd = d_ytd + 0.01 * (2 * d_id - 3) WHERE d_w_id = 1",
        violated={9: [(1, 1), (1, 2)]},
    ),
    "the next order is later": mutation(
        "UPDATE {district} SET d_next_o_id = 14 WHERE d_w_id = 1 AND d_id = 2",
        violated={2: [(1, 2)]},
    ),
    "the next order is not known": mutation(
        "UPDATE {district} SET d_next_o_id = NULL WHERE d_w_id = 1 AND d_id = 2",
        violated={2: [(1, 2)]},
    ),
    "the newest new order is gone": mutation(
        "DELETE FROM {new_order} WHERE no_w_id = 1 AND no_d_id = 2 AND no_o_id = 12",
        violated={2: [(1, 2)], 5: [(1, 2, 12)], 11: [(1, 2)]},
    ),
    "a new order between others is gone": mutation(
        "DELETE FROM {new_order} WHERE no_w_id = 1 AND no_d_id = 2 AND no_o_id = 10",
        violated={3: [(1, 2)], 5: [(1, 2, 10)], 11: [(1, 2)]},
    ),
    "an order was delivered before older ones": mutation(
        "DELETE FROM {new_order} WHERE no_w_id = 1 AND no_d_id = 2 AND no_o_id = 10",
        "UPDATE {orders} SET o_carrier_id = 1 WHERE o_w_id = 1 AND o_d_id = 2 AND o_id = 10",
        "UPDATE {order_line} SET ol_delivery_d = '2026-01-01 00:00:00', ol_amount = 0"
        " WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 10",
        violated={3: [(1, 2)]},
    ),
    "all new orders of a district were delivered, all is well": mutation(
        "DELETE FROM {new_order} WHERE no_w_id = 1 AND no_d_id = 2",
        "UPDATE {orders} SET o_carrier_id = 1 WHERE o_w_id = 1 AND o_d_id = 2",
        "UPDATE {order_line} SET ol_delivery_d = '2026-01-01 00:00:00', ol_amount = 0"
        " WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id > 8",
        violated={},
    ),
    "o_ol_cnt is one more": mutation(
        "UPDATE {orders} SET o_ol_cnt = o_ol_cnt + 1 WHERE " + ORDER_2_1_8,
        violated={4: [(2, 1)], 6: [(2, 1, 8)]},
    ),
    "o_ol_cnt is not known": mutation(
        "UPDATE {orders} SET o_ol_cnt = NULL WHERE " + ORDER_2_1_8,
        violated={4: [(2, 1)], 6: [(2, 1, 8)]},
    ),
    "o_ol_cnt is one more here and one less there": mutation(
        "UPDATE {orders} SET o_ol_cnt = o_ol_cnt + 2 * o_id - 15"
        " WHERE o_w_id = 2 AND o_d_id = 1 AND o_id IN (7, 8)",
        violated={6: [(2, 1, 7), (2, 1, 8)]},
    ),
    "a line that is not delivered is gone": mutation(
        "DELETE FROM {order_line} WHERE " + LINE.format(9),
        violated={4: [(2, 2)], 6: [(2, 2, 9)]},
    ),
    "all lines of an order are gone": mutation(
        "DELETE FROM {order_line} WHERE ol_w_id = 2 AND ol_d_id = 2 AND ol_o_id = 9",
        violated={4: [(2, 2)], 6: [(2, 2, 9)]},
    ),
    "a delivered line is gone": mutation(
        "DELETE FROM {order_line} WHERE " + LINE.format(4),
        violated={4: [(2, 2)], 6: [(2, 2, 4)], 10: [(2, 2, 7)], 12: [(2, 2, 7)]},
    ),
    "a delivered order is a new order": mutation(
        "INSERT INTO {new_order} VALUES (2, 1, 8)", violated={5: [(2, 1, 8)], 11: [(2, 1)]}
    ),
    "a new order is no order": mutation(
        "INSERT INTO {new_order} VALUES (2, 1, 13)",
        violated={2: [(2, 1)], 5: [(2, 1, 13)], 11: [(2, 1)]},
    ),
    "a delivered order has no carrier": mutation(
        "UPDATE {orders} SET o_carrier_id = NULL WHERE " + ORDER_2_1_8,
        violated={
            5: [(2, 1, 8)],
            7: [(2, 1, 8, 1), (2, 1, 8, 2), (2, 1, 8, 3), (2, 1, 8, 4)],
            11: [(2, 1)],
        },
    ),
    "a new order has a carrier": mutation(
        "UPDATE {orders} SET o_carrier_id = 3 WHERE o_w_id = 2 AND o_d_id = 1 AND o_id = 9",
        violated={5: [(2, 1, 9)], 7: [(2, 1, 9, 1), (2, 1, 9, 2)], 11: [(2, 1)]},
    ),
    "a line of an order with a carrier has no date": mutation(
        "UPDATE {order_line} SET ol_delivery_d = NULL WHERE " + LINE.format(1),
        violated={7: [(2, 2, 1, 2)]},
    ),
    "a line of an order without a carrier has a date": mutation(
        "UPDATE {order_line} SET ol_delivery_d = '2026-01-01 00:00:00' WHERE " + LINE.format(9),
        violated={7: [(2, 2, 9, 2)], 10: [(2, 2, 6)], 12: [(2, 2, 6)]},
    ),
    "a line has no order": mutation(
        "INSERT INTO {order_line} VALUES (2, 2, 99, 1, NULL, 5)",
        violated={4: [(2, 2)], 7: [(2, 2, 99, 1)]},
    ),
    "an order is gone and its lines are not": mutation(
        "DELETE FROM {orders} WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 3",
        violated={
            4: [(1, 1)],
            7: [(1, 1, 3, 1), (1, 1, 3, 2)],
            10: [(1, 1, 2)],
            12: [(1, 1, 2)],
        },
    ),
    "a cent more in a payment elsewhere": mutation(
        "UPDATE {history} SET h_amount = h_amount + 0.01 WHERE " + REMOTE_PAYMENT,
        violated={8: [(1,)], 9: [(1, 1)], 10: [(2, 2, 5)]},
    ),
    "a payment without an amount": mutation(
        "UPDATE {history} SET h_amount = NULL WHERE " + REMOTE_PAYMENT,
        violated={8: [(1,)], 9: [(1, 1)], 10: [(2, 2, 5)]},
    ),
    "a payment is in another district": mutation(
        "UPDATE {history} SET h_d_id = 2 WHERE " + REMOTE_PAYMENT,
        violated={9: [(1, 1), (1, 2)]},
    ),
    "a payment is another customer's": mutation(
        "UPDATE {history} SET h_c_id = 6 WHERE " + REMOTE_PAYMENT,
        violated={10: [(2, 2, 5), (2, 2, 6)]},
    ),
    "all payments of a customer are gone": mutation(
        "DELETE FROM {history} WHERE h_c_w_id = 1 AND h_c_d_id = 2 AND h_c_id = 3",
        violated={8: [(1,)], 9: [(1, 2)], 10: [(1, 2, 3)]},
    ),
    "there is no history": mutation(
        "DELETE FROM {history}",
        violated={
            8: [(1,), (2,)],
            9: [(1, 1), (1, 2), (2, 1), (2, 2)],
            10: [(1, 1, customer) for customer in range(1, 6)],
        },
    ),
    "a cent more in c_balance": mutation(
        "UPDATE {customer} SET c_balance = c_balance + 0.01 WHERE " + CUSTOMER_1_2_3,
        violated={10: [(1, 2, 3)], 12: [(1, 2, 3)]},
    ),
    "no c_balance": mutation(
        "UPDATE {customer} SET c_balance = NULL WHERE " + CUSTOMER_1_2_3,
        violated={10: [(1, 2, 3)], 12: [(1, 2, 3)]},
    ),
    "a cent more in c_ytd_payment": mutation(
        "UPDATE {customer} SET c_ytd_payment = c_ytd_payment + 0.01 WHERE " + CUSTOMER_1_2_3,
        violated={12: [(1, 2, 3)]},
    ),
    "a cent more in a delivered line": mutation(
        "UPDATE {order_line} SET ol_amount = ol_amount + 0.01 WHERE " + LINE.format(4),
        violated={10: [(2, 2, 7)], 12: [(2, 2, 7)]},
    ),
    "a line that is not delivered may cost anything": mutation(
        "UPDATE {order_line} SET ol_amount = 0.01 WHERE " + LINE.format(9), violated={}
    ),
    "a delivered order is another customer's": mutation(
        "UPDATE {orders} SET o_c_id = 6 WHERE o_w_id = 2 AND o_d_id = 2 AND o_id = 4",
        violated={10: [(2, 2, 6), (2, 2, 7)], 12: [(2, 2, 6), (2, 2, 7)]},
    ),
}


def named(loaded: Loaded) -> dict[int, Keys]:
    """Return the keys of the rows that are shown, by the conditions that are violated."""
    found: dict[int, Keys] = {}
    for number, result in loaded.check().items():
        assert result.holds == (result.violations == 0) == (not result.rows)
        if number is not None and not result.holds:
            keys = sum(column in KEYS for column in result.columns)
            found[number] = [tuple(int(key or 0) for key in row[:keys]) for row in result.rows]
    return found


KEYS = ("w_id", "d_id", "c_id", "o_id", "ol_number")


@pytest.fixture(scope="module")
def loaded(database: Database) -> Iterator[Loaded]:
    with database.loaded("spec") as loaded:
        yield loaded


def test_all_conditions_hold(loaded: Loaded) -> None:
    results = loaded.check()
    assert list(results) == list(range(1, 13))
    assert named(loaded) == {}
    assert all(result.explanation is None for result in results.values())


def test_every_condition_is_violated_by_some_mutation() -> None:
    violated = {number for mutation in MUTATIONS.values() for number in mutation.violated}
    assert violated == set(range(1, 13))


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_violates_what_is_about_it_and_names_the_rows(loaded: Loaded, name: str) -> None:
    try:
        loaded.change(*MUTATIONS[name].statements)
        assert named(loaded) == MUTATIONS[name].violated
    finally:
        loaded.restore()


def test_both_values_are_told_to_the_cent(loaded: Loaded) -> None:
    before = loaded.database.query("SELECT c_balance FROM customer WHERE " + CUSTOMER_1_2_3)
    try:
        loaded.change(*MUTATIONS["a cent more in c_balance"].statements)
        (row,) = loaded.check(10)[10].rows
    finally:
        loaded.restore()
    derived = round(float(str(before[0][0])), 2)
    assert row == ("1", "2", "3", f"{derived + 0.01:.2f}", f"{derived:.2f}")


def test_only_the_first_rows_are_told_and_all_are_counted(loaded: Loaded) -> None:
    try:
        loaded.change("UPDATE {customer} SET c_ytd_payment = 0")
        result = loaded.check(12)[12]
    finally:
        loaded.restore()
    assert result.violations == 48
    assert [row[:3] for row in result.rows] == [("1", "1", str(c)) for c in range(1, 6)]
