"""What a server promises about a committed transaction when the power fails, from its settings.

Throughput compares only within one class: a server that need not reach the disk is faster at that
price. Sources: the manuals of MySQL and MariaDB for ``innodb_flush_log_at_trx_commit``,
``innodb_flush_method``, ``sync_binlog`` and ``rocksdb_flush_log_at_trx_commit``; SQLite's for
``PRAGMA synchronous`` and ``PRAGMA journal_mode``; PostgreSQL's for ``fsync`` and
``synchronous_commit``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Durability(StrEnum):
    """The classes, from the strongest promise to none."""

    EVERY_COMMIT = "durable: all that recovery needs is flushed at every commit"
    BINARY_LOG_NOT_SYNCED = "flushed at every commit, but the binary log is not synced"
    EACH_SECOND = "flushed each second"
    AT_CHECKPOINT = "flushed at checkpoints"
    NONE = "none: never flushed"
    UNKNOWN = "unknown"


_FLUSH_SETTING_BY_ENGINE = {
    "innodb": "innodb_flush_log_at_trx_commit",
    "rocksdb": "rocksdb_flush_log_at_trx_commit",
}
_FLUSH_AT_COMMIT = {"1", "3"}
"""3 is MariaDB's: it flushes at prepare and again at commit."""

_WITH_OTHER_STORAGE = ("TiDB", "OceanBase")
"""Show InnoDB's settings to clients that ask for them, and store nothing as InnoDB does."""

_JOURNALS_IN_MEMORY = {"memory", "off"}
_SYNCHRONOUS_AT_EVERY_COMMIT = {"full", "extra"}


def mysql_durability(settings: Mapping[str, str], product: str = "MySQL") -> Durability:
    """Return the class of tables in the server's default storage engine.

    With a binary log, recovery rolls back what the log has lost: a commit is then as durable as the
    log, however often the engine flushes.
    """
    if product in _WITH_OTHER_STORAGE:
        return Durability.UNKNOWN
    engine = settings.get("default_storage_engine", "").lower()
    flush = settings.get(_FLUSH_SETTING_BY_ENGINE.get(engine, ""))
    if flush is None:
        return Durability.UNKNOWN
    if engine == "innodb" and settings.get("innodb_flush_method", "").lower() == "nosync":
        return Durability.NONE
    if flush not in _FLUSH_AT_COMMIT:
        return Durability.EACH_SECOND
    if settings.get("log_bin", "OFF") == "ON" and settings.get("sync_binlog") != "1":
        return Durability.BINARY_LOG_NOT_SYNCED
    return Durability.EVERY_COMMIT


def postgres_durability(settings: Mapping[str, str]) -> Durability:
    """Return the class of ordinary tables and of sessions with the server's own default.

    Without ``synchronous_commit`` a commit is flushed within three times ``wal_writer_delay``,
    which is 0.6 s unless it was set.
    """
    if settings.get("fsync") == "off":
        return Durability.NONE
    if settings.get("synchronous_commit") == "off":
        return Durability.EACH_SECOND
    return Durability.EVERY_COMMIT


def sqlite_durability(settings: Mapping[str, str]) -> Durability:
    """Return the class of a connection with these pragmas, given by their names (``full``)."""
    synchronous = settings["synchronous"]
    if synchronous == "off" or settings["journal_mode"] in _JOURNALS_IN_MEMORY:
        return Durability.NONE
    if settings["journal_mode"] != "wal" or synchronous in _SYNCHRONOUS_AT_EVERY_COMMIT:
        return Durability.EVERY_COMMIT
    return Durability.AT_CHECKPOINT
