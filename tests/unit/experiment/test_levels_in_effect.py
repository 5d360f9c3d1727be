"""Which levels a server contradicts, and which it only writes in its own way."""

from __future__ import annotations

import pytest

from dbdyno.experiment.in_effect import contradicts, levels_not_in_effect, shown_setting
from dbdyno.experiment.plan import Cell, FactorLevels


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("off", "ON"),
        ("0", "ON"),
        ("true", "OFF"),
        ("8", None),
        ("7", "3"),
        ("200000", "16770"),
        ("200M", "268435456"),
        ("1h", "30min"),
        ("READ-COMMITTED", "REPEATABLE-READ"),
        ("O_DIRECT", "fsync"),
        ("utf8mb4", "latin1"),
        ("mrr=on", "mrr=off,mrr_cost_based=off"),
    ],
)
def test_a_level_that_the_server_does_not_have(asked: str, shown: str | None) -> None:
    assert contradicts(asked, shown)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("716M", "754974720"),
        ("100MB", "99904kB"),
        ("-1", "4MB"),
        ("-1", "279"),
        ("on", "pglz"),
        ("1", "AUTO"),
        ("2", "ON"),
        ("ANSI", "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ANSI"),
        ("mrr=on", "mrr=on,mrr_cost_based=off"),
        ("utf8", "utf8mb3"),
        ("utf8_bin", "utf8mb4_bin"),
        ("slow.log", "/var/lib/mysql/slow.log"),
    ],
)
def test_a_level_that_the_server_writes_in_its_own_way(asked: str, shown: str) -> None:
    assert not contradicts(asked, shown)


POOL = FactorLevels("pool", ("16M", "200M"), "server.innodb_buffer_pool_size")
OF_ROLE = FactorLevels("log", ("off", "on"), "server.storage.log_bin")
CLIENTS = FactorLevels("clients", ("1", "2"), "load.clients")
CELL = Cell((("pool", "200M"), ("log", "off"), ("clients", "2")))


def test_only_what_a_factor_sets_is_a_level() -> None:
    adjusted = {"innodb_buffer_pool_size": "200M", "log_bin": "off", "max_connections": "9"}
    settings = {"innodb_buffer_pool_size": "268435456", "log_bin": "ON", "max_connections": "99"}
    found = levels_not_in_effect([POOL, OF_ROLE, CLIENTS], CELL, adjusted, settings)
    assert [(each.factor, each.level, each.shown) for each in found] == [
        ("pool", "200M", "268435456"),
        ("log", "off", "ON"),
    ]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("server.log_bin", ("log_bin", "ON")),
        ("server.storage.log_bin", ("log_bin", "ON")),
        ("server.skip_log_bin", ("log_bin", "ON")),
        ("server.pg_stat_statements.track", ("pg_stat_statements.track", "top")),
        ("server.plugin_load_add", None),
        ("load.clients", None),
    ],
)
def test_where_a_server_shows_what_a_factor_sets(path: str, shown: tuple[str, str] | None) -> None:
    settings = {"log_bin": "ON", "pg_stat_statements.track": "top"}
    assert shown_setting(path, settings) == shown
