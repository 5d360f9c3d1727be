"""A private MariaDB server, really started: its life, its settings and its privacy."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import psutil
import pytest

from dbdyno.errors import RunError
from dbdyno.server import Durability, mysql
from dbdyno.server.mysql import MysqlServer
from tests.live.server.queries import MakeServer, query

pytestmark = pytest.mark.live


def test_started_it_answers_and_stopped_it_is_gone(server: MysqlServer) -> None:
    server.start({})
    (process_id,) = server.process_ids()
    assert query(server, "SELECT CURRENT_USER(), DATABASE()") == [("dbdyno@127.0.0.1", "dbdyno")]
    assert psutil.Process(process_id).name() in ("mariadbd", "mysqld")
    server.stop()
    assert not psutil.pid_exists(process_id)
    assert server.process_ids() == ()
    with pytest.raises(RunError, match="server mysql is not running"):
        _ = server.url


def test_what_is_stored_outlives_a_restart_with_other_settings(server: MysqlServer) -> None:
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


def test_described_as_the_server_describes_itself(server: MysqlServer) -> None:
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
    assert description.to_dict()["durability"] == Durability.EVERY_COMMIT


def test_a_value_that_the_server_changes_is_recorded(server: MysqlServer) -> None:
    server.start({"max_connections": "5", "table_open_cache": "2k"})
    description = server.describe()
    assert description.settings["max_connections"] == "10"
    assert description.adjusted_settings == {"max_connections": "5"}


def test_two_servers_side_by_side_know_nothing_of_each_other(make_server: MakeServer) -> None:
    one, other = make_server("one"), make_server("other")
    one.start({})
    other.start({})
    assert one.url != other.url
    query(one, "CREATE TABLE mine (id INT)")
    assert query(one, "SHOW TABLES") == [("mine",)]
    assert query(other, "SHOW TABLES") == []
    assert one.describe().settings == other.describe().settings


def test_settings_of_the_experiment_win_over_the_option_file(
    make_server: MakeServer, tmp_path: Path
) -> None:
    option_file = tmp_path / "poc.cnf"
    option_file.write_text(
        "[client]\nport = 1\n"
        "[mysqld]\nport = 1\ndatadir = /nonexistent\nlog-error = /nonexistent/log\n"
        "max_connections = 77\ninnodb_buffer_pool_size = 16M\ninit_connect = 'SET @a = \"#\"'\n"
    )
    server = make_server(option_file=str(option_file))
    server.start({"innodb_buffer_pool_size": "20M", "init_connect": r"SET @b = '\\ #'"})
    settings = server.describe().settings
    assert settings["max_connections"] == "77"
    assert settings["innodb_buffer_pool_size"] == str(20 << 20)
    assert settings["skip_name_resolve"] == "ON"
    assert settings["init_connect"] == r"SET @b = '\\ #'"
    assert settings["datadir"] == "./data/"


def test_it_runs_on_the_cpus_that_it_was_given(make_server: MakeServer) -> None:
    last = max(os.sched_getaffinity(0))
    server = make_server(cpus=str(last))
    server.start({})
    (process_id,) = server.process_ids()
    assert os.sched_getaffinity(process_id) == {last}
    assert server.describe().cpus == (last,)


def test_the_password_is_nowhere_but_in_memory(server: MysqlServer, tmp_path: Path) -> None:
    server.start({})
    first = server.password
    assert first not in server.url
    (process_id,) = server.process_ids()
    assert first not in " ".join(psutil.Process(process_id).cmdline())
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or first.encode() not in path.read_bytes(), path
    server.start({})
    assert server.password != first


def test_ctrl_c_in_the_terminal_does_not_reach_it(server: MysqlServer) -> None:
    server.start({})
    (process_id,) = server.process_ids()
    assert os.getsid(process_id) == process_id != os.getsid(0)


def test_a_port_that_is_taken_meanwhile_is_not_insisted_on(
    server: MysqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        ask_kernel = mysql._free_port
        ports = iter([other.getsockname()[1]])
        monkeypatch.setattr(mysql, "_free_port", lambda: next(ports, None) or ask_kernel())
        server.start({})
        assert query(server, "SELECT 1") == [("1",)]


def test_a_server_that_dies_says_so(server: MysqlServer) -> None:
    server.start({})
    (process_id,) = server.process_ids()
    os.kill(process_id, signal.SIGKILL)
    os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOWAIT)
    with pytest.raises(RunError, match="server mysql was killed; if nobody did"):
        server.describe()
    server.start({})
    assert query(server, "SELECT 1") == [("1",)]


def test_a_directory_too_deep_for_a_socket_does_without(make_server: MakeServer) -> None:
    server = make_server("deep " + "x" * 100)
    server.start({})
    assert query(server, "SELECT @@socket") == [("",)]
