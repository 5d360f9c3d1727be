"""``check``: the twelve consistency conditions, told as go-tpc tells them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dbdyno.database.address import Address
from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.tpcc.check import ConditionResult, check_consistency
from dbdyno.tpcc.condition import Condition
from dbdyno.tpcc.naming import GO_TPC
from dbdyno.tpcc.schema import find_schema, find_warehouses
from dbdyno.tpcc.tables import Run

Say = Callable[[str], None]

CLAUSE = "3.3.2"


def check(address: Address, warehouses: int, say: Say) -> list[ConditionResult]:
    """Check the first so many warehouses; return what is violated, which has been told."""
    connect = partial(open_session, address.url, address.password)
    with connect() as session:
        schema = find_schema(session, address.kind, GO_TPC)
        present = find_warehouses(session, schema)
    if warehouses > len(present):
        raise RunError(
            f"--warehouses {warehouses}: those loaded at {address.url} are {len(present)}; give "
            f"--warehouses {len(present)}"
        )
    selected = present[:warehouses]

    def begin(condition: Condition, run: Run) -> None:
        for warehouse in selected:
            if run.first <= warehouse <= run.last:
                say(f"begin to check warehouse {warehouse} at condition {_name(condition)}\n")

    results = check_consistency(connect, schema, selected, progress=begin)
    violated = [result for result in results if not result.holds]
    for result in violated:
        say(f"execute check failed, err {_described(result)}\n")
    return violated


def violation(violated: list[ConditionResult]) -> RunError:
    """Return the error that names the conditions."""
    names = ", ".join(map(_name, violated))
    return RunError(f"violated: {names}; dbdyno check shows the rows")


def _name(condition: Condition | ConditionResult) -> str:
    return f"{CLAUSE}.{condition.number}"


def _described(result: ConditionResult) -> str:
    """Say what is violated, with the first of the rows; its first column is the warehouse."""
    first = result.rows[0]
    row = ", ".join(
        f"{column} {value}" for column, value in zip(result.columns, first, strict=True)
    )
    known = f" (known: {result.explanation})" if result.explanation else ""
    return (
        f"check warehouse {first[0]} at condition {_name(result)} failed: {result.title}; "
        f"rows that violate it: {result.violations}, the first has {row}{known}"
    )
