"""Checks of a server's settings: what makes it slower or less safe than a reader would think."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dbdyno.database.session import WITHOUT_TRANSACTIONS
from dbdyno.doctor.check import Check, judge
from dbdyno.target.description import ServerDescription

CONNECTIONS_BESIDE_CLIENTS = 5
"""Those that dbdyno itself makes, and an administrator's."""

SHORT_S = 1.0


def check_server(description: ServerDescription, clients: int) -> Iterator[Check]:
    """Judge the settings that a server shows."""
    settings = description.settings
    durability = str(description.durability)
    yield judge(
        "durability",
        durability,
        wrong=not durability.startswith("durable"),
        advice="compare only with servers that are set alike, and say so with the figures",
    )
    most = settings.get("max_connections", "")
    if most.isdecimal():
        needed = clients + CONNECTIONS_BESIDE_CLIENTS
        yield judge(
            "max_connections",
            f"{most}, {needed} needed",
            wrong=0 < int(most) < needed,
            fails=True,
            advice=f"set max_connections to {needed} or more, or use fewer clients",
        )
    if "innodb_buffer_pool_size" in settings:
        yield from _mysql(settings)
    if "shared_buffers" in settings:
        yield from _postgresql(settings)


def _mysql(settings: Mapping[str, str]) -> Iterator[Check]:
    yield _off(settings, "general_log", "it writes every statement into a log")
    slow = settings.get("slow_query_log", "OFF")
    long_s = float(settings.get("long_query_time", "10") or 10)
    yield judge(
        "slow_query_log",
        f"{slow}, from {long_s:g} s",
        wrong=_is_on(slow) and long_s < SHORT_S,
        advice="raise long_query_time: most statements are written into a log",
    )
    engine = settings.get("default_storage_engine", "InnoDB")
    yield judge(
        "default_storage_engine",
        engine,
        wrong=engine.lower() in WITHOUT_TRANSACTIONS,
        advice="set default_storage_engine=InnoDB: tables of this engine have no transactions",
    )
    kind, size = settings.get("query_cache_type", "OFF"), settings.get("query_cache_size", "0")
    yield judge(
        "query cache",
        f"{kind}, {size} bytes",
        wrong=not _is_off(kind) and size != "0",
        advice="set query_cache_type=OFF: answers come from the cache, and all clients wait for it",
    )
    yield judge(
        "innodb_doublewrite",
        settings.get("innodb_doublewrite", "unknown"),
        wrong=_is_off(settings.get("innodb_doublewrite", "ON")),
        advice="set it to ON: without it, a crash may tear pages, and writing is cheaper",
    )


def _postgresql(settings: Mapping[str, str]) -> Iterator[Check]:
    for name, why in (
        ("fsync", "without it, a crash loses the database"),
        ("full_page_writes", "without it, a crash may tear pages, and writing is cheaper"),
    ):
        yield judge(
            name,
            settings.get(name, "unknown"),
            wrong=_is_off(settings.get(name, "on")),
            advice=f"set it to on: {why}",
        )
    statements = settings.get("log_statement", "none")
    yield judge(
        "log_statement",
        statements,
        wrong=statements not in ("none", "ddl"),
        advice="set it to none: statements are written into a log",
    )
    least = settings.get("log_min_duration_statement", "-1")
    yield judge(
        "log_min_duration_statement",
        least,
        wrong=least == "0",
        advice="set it to -1: every statement is written into a log",
    )


def _off(settings: Mapping[str, str], name: str, why: str) -> Check:
    value = settings.get(name, "OFF")
    return judge(name, value, wrong=_is_on(value), advice=f"set it to OFF: {why}")


def _is_on(value: str) -> bool:
    return value.upper() in ("ON", "1", "TRUE")


def _is_off(value: str) -> bool:
    return value.upper() in ("OFF", "0", "FALSE")
