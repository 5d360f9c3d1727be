"""Tables that a server would not have, or not there, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live.engine.fixed_server import MariaDb, PostgreSql
from tests.live.tpcc_commands.conftest import Place, dbdyno, must

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def mariadb() -> Iterator[Place]:
    """Return a server of this file's own, without the tables of others."""
    with MariaDb() as server:
        yield Place(server, "root", "")


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Place]:
    """Return the same of PostgreSQL."""
    with PostgreSql() as server:
        yield Place(server, "postgres", "")


@contextmanager
def setting(place: Place, name: str, value: str) -> Iterator[None]:
    """Have the server set otherwise for new sessions."""
    ((before,),) = place.query(f"SELECT @@GLOBAL.{name}")
    place.query(f"SET GLOBAL {name} = {value}")
    try:
        yield
    finally:
        place.query(
            f"SET GLOBAL {name} = '{before}'"
            if value.isalpha()
            else f"SET GLOBAL {name} = {before}"
        )


def test_an_engine_without_transactions_is_refused(mariadb: Place) -> None:
    with setting(mariadb, "default_storage_engine", "MyISAM"):
        refused = dbdyno("tpcc", "load", mariadb.url, "-w", "1")
        assert refused.status == 2
        assert "default_storage_engine is MyISAM, which has no transactions" in refused.errors
        assert "default_storage_engine: MyISAM" in dbdyno("doctor", mariadb.url).output
    assert mariadb.query("SHOW TABLES LIKE 'warehouse'") == []


def test_tables_without_transactions_that_others_have_loaded_are_refused(mariadb: Place) -> None:
    must("tpcc", "load", mariadb.url, "-w", "1")
    mariadb.query("ALTER TABLE new_order ENGINE=MyISAM")
    refused = dbdyno("tpcc", "run", mariadb.url, "--duration", "1s")
    assert refused.status == 1
    assert "new_order is of the engine MyISAM, which has no transactions" in refused.errors
    must("tpcc", "drop", mariadb.url)


EXPERIMENT = """\
experiment: keys
question: Does it begin?
workload: {{tpcc: {{warehouses: 1}}}}
target: {{url: "{url}"}}
procedure: {{warmup: 0s, duration: 1s, rounds: 1}}
"""


def test_a_demand_for_keys_is_explained(mariadb: Place, tmp_path: Path) -> None:
    file = tmp_path / "keys.yaml"
    file.write_text(EXPERIMENT.format(url=mariadb.url))
    with setting(mariadb, "innodb_force_primary_key", "1"):
        refused = dbdyno("tpcc", "load", mariadb.url, "-w", "1")
        assert refused.status == 1
        assert "the server demands a primary key of each table" in refused.errors
        ran = dbdyno("run", str(file), "--out", str(tmp_path / "result"))
        assert "the server demands a primary key of each table" in ran.output + ran.errors
        must("tpcc", "drop", mariadb.url)
        must("tpcc", "load", mariadb.url, "-w", "1", "--schema", "benchmarksql")
    must("tpcc", "drop", mariadb.url, "--schema", "benchmarksql")


def test_tables_of_another_schema_are_named_with_it(postgresql: Place) -> None:
    postgresql.query("CREATE SCHEMA other")
    postgresql.query("CREATE TABLE warehouse (w_id INT)")
    postgresql.query("INSERT INTO warehouse VALUES (1)")
    postgresql.query("ALTER ROLE postgres SET search_path = other, public")
    refused = dbdyno("tpcc", "load", postgresql.url, "-w", "1")
    assert refused.status == 1
    assert "it is in the schema public, and new tables would go to other" in refused.errors
    postgresql.query("ALTER ROLE postgres SET search_path = other")
    must("tpcc", "load", postgresql.url, "-w", "1")
    assert postgresql.query("SELECT count(*) FROM other.item") == [("100000",)]
    postgresql.query("ALTER ROLE postgres RESET search_path")
    postgresql.query("DROP SCHEMA other CASCADE")
    postgresql.query("DROP TABLE warehouse")


def test_what_a_cut_load_has_left_is_said_before_it_is_checked(postgresql: Place) -> None:
    must("tpcc", "load", postgresql.url, "-w", "1")
    assert "cut short" not in must("check", postgresql.url, "--conditions", "1").output
    postgresql.query("CREATE TABLE dbdyno_loading (table_number BIGINT, fingerprint TEXT)")
    postgresql.query("INSERT INTO dbdyno_loading VALUES (-1, 'x')")
    said = dbdyno("check", postgresql.url, "--conditions", "1").output
    assert said.startswith("A load into this database was cut short")
    postgresql.query("DROP TABLE dbdyno_loading")
    must("tpcc", "drop", postgresql.url)
