"""The settings of a private MariaDB server, really started: asked for, taken and told."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from dbdyno.errors import InputError, RunError
from dbdyno.target.durability import Durability
from dbdyno.target.local.private import PrivateServer
from tests.live.target.kinds import MYSQL, Kind
from tests.live.target.queries import MakeServer, query

pytestmark = pytest.mark.live


@pytest.fixture
def kind() -> Kind:
    return MYSQL


def test_what_is_stored_outlives_a_restart_with_other_settings(server: PrivateServer) -> None:
    server.start({"innodb_buffer_pool_size": "24M"})
    query(server, "CREATE TABLE kept (id INT PRIMARY KEY)", "INSERT INTO kept VALUES (1), (2)")
    first = server.describe()
    server.start({"innodb_buffer_pool_size": "32M", "innodb_flush_log_at_trx_commit": "2"})
    second = server.describe()
    assert query(server, "SELECT id FROM kept ORDER BY id") == [("1",), ("2",)]
    assert first.settings["innodb_buffer_pool_size"] == str(24 << 20)
    assert second.settings["innodb_buffer_pool_size"] == str(32 << 20)
    assert first.durability == Durability.EVERY_COMMIT
    assert second.durability == Durability.EACH_SECOND


def test_described_as_the_server_describes_itself(server: PrivateServer) -> None:
    server.start({"performance_schema": "true"})
    query(server, "CREATE TABLE big (filler LONGTEXT)")
    query(server, "INSERT INTO big SELECT REPEAT('x', 9000000)")
    description = server.describe()
    assert description.product == "MariaDB"
    assert query(server, "SELECT VERSION()") == [(description.version,)]
    assert description.settings["performance_schema"] == "ON"
    assert int(description.settings["max_prepared_stmt_count"]) >= 5000 * 60
    assert description.adjusted_settings == {}
    assert description.file_sizes_bytes["dbdyno"] > 9_000_000
    assert description.file_sizes_bytes["ibdata1"] > 0
    assert asdict(description)["durability"] == Durability.EVERY_COMMIT


def test_what_dbdyno_sets_was_chosen_by_nobody(shared_server: PrivateServer) -> None:
    shared_server.start({})
    assert shared_server.describe().chosen_settings == []
    shared_server.start({"slow-query-log": "ON", "max_connections": "500"})
    assert shared_server.describe().chosen_settings == ["max_connections", "slow_query_log"]


def test_a_value_that_the_server_changes_is_recorded(shared_server: PrivateServer) -> None:
    shared_server.start({"max_connections": "5", "table_open_cache": "2k"})
    description = shared_server.describe()
    assert description.settings["max_connections"] == "10"
    assert description.adjusted_settings == {"max_connections": "5"}


def test_settings_of_the_experiment_win_over_the_option_file(
    make_server: MakeServer, tmp_path: Path
) -> None:
    option_file = tmp_path / "poc.cnf"
    option_file.write_text(
        "[client]\nport = 1\n"
        "[mysqld]\nport = 1\ndatadir = /nonexistent\nlog-error = /nonexistent/log\n"
        "max_connections = 77\ninnodb_buffer_pool_size = 16M\ninit_connect = 'SET @a = \"#\"'\n"
    )
    server = make_server(option_file=option_file)
    server.start({"innodb_buffer_pool_size": "20M", "init_connect": r"SET @b = '\\ #'"})
    described = server.describe()
    settings, chosen = described.settings, described.chosen_settings
    assert chosen is not None
    assert {"max_connections", "innodb_buffer_pool_size", "init_connect"} <= set(chosen)
    assert not {"sort_buffer_size", "innodb_log_file_size", "version"} & set(chosen)
    assert settings["max_connections"] == "77"
    assert settings["innodb_buffer_pool_size"] == str(20 << 20)
    assert settings["skip_name_resolve"] == "ON"
    assert settings["init_connect"] == r"SET @b = '\\ #'"
    assert settings["datadir"] == "./data/"


def test_a_page_size_that_the_data_do_not_have(server: PrivateServer) -> None:
    server.start({})
    with pytest.raises(RunError, match="uses page size 16384, but the innodb_page_size"):
        server.start({"innodb_page_size": "4k"})


def test_mysqls_tables_have_the_collation_that_is_set(mysql_basedir: Path, tmp_path: Path) -> None:
    collation = {"character_set_server": "utf8mb4", "collation_server": "utf8mb4_general_ci"}
    server = MYSQL.open(tmp_path, basedir=str(mysql_basedir), set=collation)
    server.start(collation)
    try:
        query(server, "CREATE TABLE made (name CHAR(3))")
        ((_, table),) = query(server, "SHOW CREATE TABLE made")
        assert table is not None
        assert table.endswith("CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci")
        assert server.describe().collation == "utf8mb4_general_ci"
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("log_bin", "off", "OFF"),
        ("log_bin", "on", "ON"),
        ("log_bin", "mysql-bin", "ON"),
        ("skip_log_bin", "1", "OFF"),
        ("skip_log_bin", "0", "ON"),
    ],
)
def test_the_binary_log_is_what_its_options_say(
    server: PrivateServer, name: str, value: str, shown: str
) -> None:
    server.start({name: value})
    described = server.describe()
    assert described.settings["log_bin"] == shown
    assert described.adjusted_settings == {}


def test_an_option_that_the_server_ignores_is_recorded(server: PrivateServer) -> None:
    server.start({"innodb_buffer_pool_instances": "8"})
    assert server.describe().adjusted_settings == {"innodb_buffer_pool_instances": "8"}


def test_a_server_that_listens_on_its_socket_alone(make_server: MakeServer, tmp_path: Path) -> None:
    options = tmp_path / "my.cnf"
    options.write_text("[mysqld]\nskip-networking\n")
    by_socket = make_server("by-socket", option_file=options, transport="socket")
    by_socket.start({})
    assert by_socket.describe().settings["skip_networking"] == "ON"
    by_port = make_server("by-port", option_file=options)
    with pytest.raises(InputError, match="with skip_networking it listens on no port"):
        by_port.start({})
