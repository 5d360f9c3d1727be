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


def statistics(rows: int | None, true_rows: int | None = None, *missing: str) -> Change:
    """Let the optimizer take the tables to have so many rows."""

    def change(script: TrialScript) -> None:
        script.dataset["statistics"] = {"rows": rows, "missing": list(missing)}
        if true_rows is not None:
            size = {"size_bytes": 1, "rows": true_rows, "read_share": 1.0, "reason": None}
            script.dataset["logical"] = size

    return change


ENDED = 1408
"""Transactions of a whole trial, from the warm-up to the end of the drain."""


def scanned(**by_table: int) -> Change:
    return lambda script: script.dataset.update(scans={"by_table": by_table})


def compression(ratio: float | None) -> Change:
    facts = {"ratio": ratio, "sample_bytes": 2**20}
    return lambda script: script.dataset.update(compression=facts)


FIRES: dict[Code, tuple[Change, str]] = {
    Code.CONSTRAINTS_NOT_CHECKED: (
        schema(ORDERS, checks_foreign_keys=False, checks_unique_keys=False),
        "2 foreign keys are not checked; 2 unique indexes are not checked for rows outside",
    ),
    Code.STATISTICS_MISSING: (
        statistics(900, None, "a", "b", "c", "d"),
        "no statistics of a, b, c; and 1 more",
    ),
    Code.FULL_SCANS: (
        scanned(stock=ENDED * 900, item=ENDED * 100),
        "1,408,000 rows were read by full scans, 1,000 for each transaction; 90.0 % of them of "
        "stock",
    ),
    Code.COMPRESSIBLE: (compression(5.2), "a sample of 1.00 MiB becomes 5.2 times smaller"),
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
    (Code.STATISTICS_MISSING, statistics(5_000, 10_000)),
    (Code.STATISTICS_MISSING, statistics(20_000, 10_000)),
    (Code.STATISTICS_MISSING, statistics(0, 999)),
    (Code.STATISTICS_MISSING, statistics(None, 10_000)),
    (Code.STATISTICS_MISSING, statistics(10_000)),
    (Code.COMPRESSIBLE, compression(4.99)),
    (Code.COMPRESSIBLE, compression(None)),
    (Code.FULL_SCANS, scanned(stock=ENDED * 900, item=ENDED * 100 - 1)),
    (Code.FULL_SCANS, lambda script: script.dataset.update(scans={"reason": "not counted"})),
]
