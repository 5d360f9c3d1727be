"""What servers' catalogs say of tables and of the constraints that a session checks."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.schema import Schema, read_schema
from dbdyno.size.asking import Connect
from tests.live.engine.fixed_server import MariaDb, PostgreSql
from tests.live.size.opened import connect

pytestmark = pytest.mark.live

TABLES = ("buyers", "orders_1", "orders_2")
BUYERS = "CREATE TABLE buyers (id INT NOT NULL PRIMARY KEY, name VARCHAR(20)){0}"
ORDERS = (
    "CREATE TABLE orders_{0} (id INT NOT NULL PRIMARY KEY, buyer INT, town CHAR(9) NOT NULL, "
    "FOREIGN KEY (buyer) REFERENCES buyers (id) ON DELETE CASCADE)"
)
INDEX = "CREATE UNIQUE INDEX by_town_{0} ON orders_{0} (town, id DESC)"


def file_of(directory: Path, options: str = "") -> Connect:
    def opened() -> AbstractContextManager[Session]:
        return open_session(f"sqlite:///{directory / 'a.db'}{options}", None)

    return opened


def make(opened: Connect, options: str = "") -> None:
    """Make the tables, and one that nobody asks for."""
    with opened() as session:
        for statement in (BUYERS.format(options), "CREATE TABLE others (id INT)"):
            session.query(statement)
        for number in (1, 2):
            session.query(ORDERS.format(number))
            session.query(INDEX.format(number))


def keys_of(schema: Schema) -> dict[tuple[str, ...], tuple[tuple[str, ...], tuple[str, ...]]]:
    assert schema.reason is None, schema
    return {each.tables: (each.keys, each.foreign_keys) for each in schema.definitions}


def expected(*own: str) -> dict[tuple[str, ...], tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the keys of the tables, ``own`` being those that the server makes of itself."""
    keys = (*own, "primary key (id)", "unique index (town, id desc)")
    foreign_keys = ("(buyer) references buyers (id) on delete cascade",)
    return {
        ("buyers",): (("primary key (id)",), ()),
        ("orders_1", "orders_2"): (keys, foreign_keys),
    }


def test_mariadb_tells_its_tables_and_the_index_that_it_adds(mariadb: MariaDb) -> None:
    mariadb.query("CREATE DATABASE sales")
    opened = connect(mariadb, "sales")
    make(opened, " ROW_FORMAT=COMPRESSED")
    schema = read_schema(opened, "mysql", TABLES)
    assert keys_of(schema) == expected("index (buyer)")
    buyers, orders = schema.definitions
    assert buyers.storage.startswith("InnoDB compressed")
    assert orders.columns == ("id int not null", "buyer int", "town char(9) not null")
    assert (schema.checks_foreign_keys, schema.checks_unique_keys) == (True, True)
    others = read_schema(opened, "mysql", None).definitions
    assert [each.tables for each in others] == [("buyers",), ("orders_1", "orders_2"), ("others",)]
    mariadb.query("DROP INDEX by_town_2 ON sales.orders_2")
    changed = read_schema(opened, "mysql", TABLES)
    assert changed.fingerprint != schema.fingerprint
    assert len(changed.definitions) == 3


def test_mariadb_tells_that_sessions_check_no_constraints(mariadb: MariaDb) -> None:
    mariadb.query("SET GLOBAL foreign_key_checks = OFF, GLOBAL unique_checks = OFF")
    schema = read_schema(connect(mariadb), "mysql", TABLES)
    mariadb.query("SET GLOBAL foreign_key_checks = ON, GLOBAL unique_checks = ON")
    assert (schema.checks_foreign_keys, schema.checks_unique_keys) == (False, False)


def test_postgresql_tells_its_tables_and_triggers_that_are_off(postgresql: PostgreSql) -> None:
    postgresql.query("CREATE DATABASE sales")
    opened = connect(postgresql, "sales")
    make(opened, " WITH (fillfactor=70)")
    schema = read_schema(opened, "postgresql", TABLES)
    assert keys_of(schema) == expected()
    buyers, orders = schema.definitions
    assert buyers.storage == "heap fillfactor=70"
    assert orders.columns == ("id integer not null", "buyer integer", "town character(9) not null")
    assert (schema.checks_foreign_keys, schema.checks_unique_keys) == (True, None)
    with opened() as session:
        session.query("ALTER TABLE orders_1 DISABLE TRIGGER ALL")
    assert read_schema(opened, "postgresql", TABLES).checks_foreign_keys is False
    with opened() as session:
        session.query("ALTER TABLE orders_1 ENABLE TRIGGER ALL")
        session.query("ALTER DATABASE sales SET session_replication_role = replica")
    assert read_schema(opened, "postgresql", TABLES).checks_foreign_keys is False


def test_sqlite_tells_its_tables_and_whether_it_was_told_to_check(tmp_path: Path) -> None:
    make(file_of(tmp_path), " WITHOUT ROWID")
    schema = read_schema(file_of(tmp_path), "sqlite", TABLES)
    assert keys_of(schema) == expected()
    buyers, orders = schema.definitions
    assert buyers.storage == "without rowid"
    assert orders.columns == ("id int not null", "buyer int", "town char(9) not null")
    for switch, checks in (("on", True), ("off", False)):
        opened = file_of(tmp_path, f"?foreign_keys={switch}")
        assert read_schema(opened, "sqlite", TABLES).checks_foreign_keys is checks


def test_a_server_that_does_not_tell_is_no_error(mariadb: MariaDb) -> None:
    schema = read_schema(connect(mariadb, "nowhere"), "mysql", TABLES)
    assert "nowhere" in (schema.reason or "")
    assert schema.fingerprint is None
