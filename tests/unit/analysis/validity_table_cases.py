"""What makes the checks of tables speak up, and what comes close without doing so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dbdyno.analysis.validity.codes import Code
from tests.unit.store.result_builder import TrialScript

Change = Callable[[TrialScript], None]

ORDERS: dict[str, Any] = {
    "tables": ["orders", "old_orders"],
    "storage": "InnoDB dynamic",
    "columns": ["id int not null", "customer int"],
    "keys": ["primary key (id)", "unique index (customer, id)"],
    "foreign_keys": ["(customer) references customers (id)"],
}


def schema(*definitions: dict[str, Any], **facts: Any) -> Change:
    """Let the server's catalog say this of the tables."""
    known = {"kind": "mysql", "fingerprint": "f", "definitions": list(definitions), **facts}
    return lambda script: script.dataset.update(table_schema=known)


FIRES: dict[Code, tuple[Change, str]] = {
    Code.CONSTRAINTS_NOT_CHECKED: (
        schema(ORDERS, checks_foreign_keys=False, checks_unique_keys=False),
        "2 foreign keys are not checked; 2 unique indexes are not checked for rows outside",
    ),
}
SILENT: list[tuple[Code, Change]] = [
    (
        Code.CONSTRAINTS_NOT_CHECKED,
        schema(ORDERS, checks_foreign_keys=True, checks_unique_keys=True),
    ),
    (Code.CONSTRAINTS_NOT_CHECKED, schema(ORDERS, checks_foreign_keys=True)),
    (
        Code.CONSTRAINTS_NOT_CHECKED,
        schema(
            ORDERS | {"keys": ["primary key (id)"], "foreign_keys": []},
            checks_foreign_keys=False,
            checks_unique_keys=False,
        ),
    ),
    (
        Code.CONSTRAINTS_NOT_CHECKED,
        schema(checks_foreign_keys=False, reason="no such table"),
    ),
]
