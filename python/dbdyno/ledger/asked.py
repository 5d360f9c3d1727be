"""The amounts of workloads that say themselves how they are asked: sysbench's, and own SQL.

What would take a server long to tell, and would fill its cache before the load, is left out, and
so is what something else than the load may change: a trigger, or rows that go with others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dbdyno._native import Session, ledger_questions
from dbdyno.ledger.amounts import Amount, newest
from dbdyno.ledger.rows import RowsAsked

MOST_ROWS_READ = 1_000_000
"""A table of more rows is not read in whole."""

ESTIMATES = {
    "mysql": (
        "SELECT table_rows FROM information_schema.tables "
        "WHERE table_schema = DATABASE() AND table_name = '{table}'"
    ),
    "postgresql": "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = '{table}'::regclass",
    "sqlite": "SELECT COUNT(*) FROM {table}",
}

TRIGGERS = {
    "mysql": "SELECT COUNT(*) FROM information_schema.triggers WHERE trigger_schema = DATABASE()",
    "postgresql": "SELECT COUNT(*) FROM pg_trigger WHERE NOT tgisinternal",
    "sqlite": "SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger'",
}

CASCADES = {
    "mysql": (
        "SELECT COUNT(*) FROM information_schema.referential_constraints "
        "WHERE constraint_schema = DATABASE() AND delete_rule = 'CASCADE'"
    ),
    "postgresql": "SELECT COUNT(*) FROM pg_constraint WHERE confdeltype = 'c'",
    "sqlite": (
        "SELECT COUNT(*) FROM sqlite_master m, pragma_foreign_key_list(m.name) f "
        "WHERE m.type = 'table' AND f.on_delete = 'CASCADE'"
    ),
}


@dataclass(frozen=True)
class Asked:
    """What is asked of a server, and why something is not."""

    amounts: tuple[Amount, ...]
    rows: RowsAsked | None
    left_out: tuple[str, ...]
    writes: bool


def ask(session: Session, database: str, workload: Mapping[str, Any]) -> Asked:
    """Return what can be asked on this server about a workload."""
    questions = json.loads(ledger_questions(json.dumps(workload), database))
    left_out = list(questions["left_out"])
    amounts = []
    others = _what_else_changes_rows(session, database) if questions["writes"] else None
    for question in questions["amounts"]:
        reason = others or _too_large(session, database, question["reads_whole"])
        if reason is None and "newer" in question and not _keys_grow(session):
            reason = "this server gives ids out of several ranges, so new rows are not the last"
        if reason is None:
            amounts.append(_amount(session, question))
        else:
            left_out.append(f"{question['title']}: {reason}")
    rows = None if questions["rows"] is None else RowsAsked(**questions["rows"])
    if rows is not None and others is not None:
        left_out.append(f"the last values of rows: {others}")
        rows = None
    return Asked(tuple(amounts), rows, tuple(left_out), questions["writes"])


def _amount(session: Session, question: Mapping[str, Any]) -> Amount:
    amount = Amount(question["name"], question["title"], question["source"], ())
    if "sum" in question:
        return replace(amount, queries=tuple(question["sum"]))
    key, tables = question["newer"]["key"], question["newer"]["tables"]
    queries = tuple(
        f"SELECT COUNT(*) FROM {table} WHERE {key} > {newest(session, table, key)}"
        for table in tables
    )
    return replace(amount, queries=queries)


def _keys_grow(session: Session) -> bool:
    """Tell whether each new row has a larger id than all before; TiDB's servers have ranges."""
    try:
        ((version,),) = session.query("SELECT VERSION()")
    except RuntimeError:
        return True
    return "tidb" not in (version or "").lower()


def _too_large(session: Session, database: str, tables: list[str]) -> str | None:
    for table in tables:
        ((rows,),) = session.query(ESTIMATES[database].format(table=table))
        if int(rows or 0) > MOST_ROWS_READ:
            return f"{table} has about {int(rows or 0):,} rows, too many to be read in whole"
    return None


def _what_else_changes_rows(session: Session, database: str) -> str | None:
    for what, query in (("triggers", TRIGGERS), ("keys that delete with others", CASCADES)):
        ((number,),) = session.query(query[database])
        if int(number or 0):
            return f"the database has {what}, which may change rows too"
    return None
