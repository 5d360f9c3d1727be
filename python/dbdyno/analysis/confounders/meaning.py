"""What servers of unlike products set under names of their own, compared by what it means.

Servers of one family are compared setting by setting instead (``analysis/differences.py``). A
meaning that is not known of a server is None. Sources: the manuals of MySQL and MariaDB for
``innodb_doublewrite``, ``innodb_checksum_algorithm`` and the binary log; PostgreSQL's for
``full_page_writes``, ``data_checksums``, ``wal_compression`` and ``archive_mode``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from dbdyno.analysis.confounders.model import LISTS_SEPARATOR, LOG, OFF, ON, TABLES, Aspect
from dbdyno.database.url import database_of_url
from dbdyno.store.model import StoredTrial

Meaning: TypeAlias = Callable[[StoredTrial], str | None]

UNKNOWN_DURABILITY = "unknown"
"""As a record has it of a server whose settings do not say what a commit promises."""

_POSTGRESQL_UNITS = {"kB": 10, "MB": 20, "GB": 30, "TB": 40}
"""Powers of two, as PostgreSQL writes and means them."""
_SHARED_BUFFERS = re.compile(rf"(\d+)({'|'.join(_POSTGRESQL_UNITS)})")

_NO_DOUBLEWRITE = frozenset({"off", "0", "detect_only"})
"""With ``DETECT_ONLY`` MySQL finds a page that was written in part, and cannot restore it."""

_BINARY_ORDERS = frozenset({"c", "posix", "c.utf-8", "c.utf8", "ucs_basic", "binary"})


def is_of_one_family(own: StoredTrial, other: StoredTrial) -> bool:
    """Tell whether two trials' servers have settings of the same names."""
    return database_of_url(own.url) == database_of_url(other.url)


def is_same_order(own: StoredTrial, other: StoredTrial) -> bool:
    """Tell whether two servers compare and keep texts alike, whatever they call that."""
    return _order(own) == _order(other)


def cache_bytes(trial: StoredTrial) -> int | None:
    """Return the size of the cache that the tables' engine has in the server.

    That is MyRocks' block cache, InnoDB's buffer pool, or PostgreSQL's shared buffers: ``128MB``.
    """
    settings = trial.server.settings
    is_myrocks = any(each.upper().startswith("ROCKSDB") for each in _storages(trial))
    setting = "rocksdb_block_cache_size" if is_myrocks else "innodb_buffer_pool_size"
    shown = settings.get(setting)
    if shown is not None:
        return int(shown)
    found = _SHARED_BUFFERS.fullmatch(settings.get("shared_buffers", ""))
    return None if found is None else int(found[1]) << _POSTGRESQL_UNITS[found[2]]


def _cache_memory(trial: StoredTrial) -> str | None:
    size_bytes = cache_bytes(trial) or _connection_cache_bytes(trial)
    return None if size_bytes is None or _stores_otherwise(trial) else str(size_bytes)


def _connection_cache_bytes(trial: StoredTrial) -> int | None:
    """Return the size of the cache that SQLite has for each connection; None of other servers.

    ``cache_size`` counts pages, or KiB where it is negative (SQLite, "Pragma statements").
    """
    settings = trial.server.settings
    size, page_bytes = settings.get("cache_size"), settings.get("page_size")
    if size is None or page_bytes is None:
        return None
    return -int(size) << 10 if int(size) < 0 else int(size) * int(page_bytes)


def _collation(trial: StoredTrial) -> str | None:
    """Return a collation, with the character set where its name does not say that."""
    collation, character_set = trial.server.collation, trial.server.character_set
    if collation is None or character_set is None or _is_named_in(character_set, collation):
        return collation
    return f"{collation}, {character_set}"


def _is_named_in(character_set: str, collation: str) -> bool:
    return character_set.lower() in collation.lower().replace("-", "")


def _order(trial: StoredTrial) -> tuple[str, str] | None:
    """Return by what texts are compared, and how they are encoded."""
    if trial.server.collation is None:
        return None
    collation = trial.server.collation.lower()
    encoding = (trial.server.character_set or "").lower()
    encoding = "utf8" if encoding.startswith("utf8") else encoding
    if collation in _BINARY_ORDERS or collation.endswith("_bin"):
        return "binary", encoding
    # Rules of languages have no names in common: those of two products are never the same.
    return collation, encoding


def _checksums(trial: StoredTrial) -> str | None:
    algorithm = _of_innodb(trial, "innodb_checksum_algorithm")
    if algorithm is not None:
        return OFF if algorithm.endswith("none") else ON
    return trial.server.settings.get("data_checksums")


def _torn_pages(trial: StoredTrial) -> str | None:
    doublewrite = _of_innodb(trial, "innodb_doublewrite")
    if doublewrite is not None:
        return OFF if doublewrite in _NO_DOUBLEWRITE else ON
    return trial.server.settings.get("full_page_writes")


def _compression(trial: StoredTrial) -> str | None:
    """Return what is compressed: tables, the log of changes, or both."""
    storages = [each.lower() for each in _storages(trial)]
    if not storages or not all(each.startswith(("innodb", "heap")) for each in storages):
        return None
    settings = trial.server.settings
    logs = ("log_bin_compress", "binlog_transaction_compression")
    is_log = settings.get("wal_compression", "off") != "off" or (
        _kept_log(trial) == ON and any(settings.get(name, "").lower() == "on" for name in logs)
    )
    # Tables of InnoDB have compressed pages among their options.
    found = {TABLES: any("compress" in each for each in storages), LOG: is_log}
    return LISTS_SEPARATOR.join(name for name, is_so in found.items() if is_so)


def _kept_log(trial: StoredTrial) -> str | None:
    """Return whether changes are kept in a log besides the one that recovery needs."""
    settings = trial.server.settings
    if "log_bin" in settings:
        return None if _stores_otherwise(trial) else settings["log_bin"].lower()
    archive = settings.get("archive_mode")
    return None if archive is None else (OFF if archive == "off" else ON)


def _of_innodb(trial: StoredTrial, setting: str) -> str | None:
    """Return a setting of InnoDB in small letters, where the tables are InnoDB's."""
    is_innodb = all(each.lower().startswith("innodb") for each in _storages(trial))
    value = trial.server.settings.get(setting) if is_innodb else None
    return None if value is None or _stores_otherwise(trial) else value.lower()


def _stores_otherwise(trial: StoredTrial) -> bool:
    """Tell whether a server shows settings by which it does not store."""
    return trial.server.durability == UNKNOWN_DURABILITY


def _storages(trial: StoredTrial) -> list[str]:
    return [each.storage for each in trial.dataset.table_schema.definitions]


MEANINGS: Mapping[Aspect, Meaning] = {
    Aspect.CACHE_MEMORY: _cache_memory,
    Aspect.COLLATION: _collation,
    Aspect.CHECKSUMS: _checksums,
    Aspect.TORN_PAGES: _torn_pages,
    Aspect.COMPRESSION: _compression,
    Aspect.KEPT_LOG: _kept_log,
}
