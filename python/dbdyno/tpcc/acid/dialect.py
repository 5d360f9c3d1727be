"""What servers write differently in transactions: beginning, locking, isolation, texts."""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.errors import InputError


@dataclass(frozen=True)
class TransactionDialect:
    """One kind of server.

    ``for_update`` follows a SELECT that locks what it reads. ``isolation`` sets the level of
    a session, and ``ask_isolation`` tells it in the last column. ``has_escapes``: a backslash in a
    text has to be doubled.
    """

    begin: str
    begin_to_read: str
    for_update: str
    isolation: str | None
    ask_isolation: str
    has_escapes: bool = False

    def text(self, value: str) -> str:
        """Return a text as a statement has it."""
        escaped = value.replace("\\", "\\\\") if self.has_escapes else value
        return "'" + escaped.replace("'", "''") + "'"

    def setting_isolation(self, level: str | None) -> list[str]:
        """Return the statements that set a session's level; ``InputError`` where it has others."""
        if level is None or (self.isolation is None and level == "serializable"):
            return []
        if self.isolation is None:
            raise InputError(f"SQLite's transactions are serializable, never {level}; leave it out")
        return [self.isolation.format(level.replace("_", " ").upper())]


DIALECTS = {
    "mysql": TransactionDialect(
        begin="BEGIN",
        begin_to_read="BEGIN",
        for_update=" FOR UPDATE",
        isolation="SET SESSION TRANSACTION ISOLATION LEVEL {}",
        ask_isolation="SHOW SESSION VARIABLES WHERE variable_name "
        "IN ('transaction_isolation', 'tx_isolation')",
        has_escapes=True,
    ),
    "postgresql": TransactionDialect(
        begin="BEGIN",
        begin_to_read="BEGIN",
        for_update=" FOR UPDATE",
        isolation="SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {}",
        ask_isolation="SHOW transaction_isolation",
    ),
    # One writer at a time: a transaction that will write says so when it begins.
    "sqlite": TransactionDialect(
        begin="BEGIN IMMEDIATE",
        begin_to_read="BEGIN",
        for_update="",
        isolation=None,
        ask_isolation="SELECT 'serializable'",
    ),
}
