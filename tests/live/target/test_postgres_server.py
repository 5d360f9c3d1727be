"""A private PostgreSQL server, really started: its settings and what is its own."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from dbdyno.errors import RunError
from dbdyno.target.durability import Durability
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.postgresql.binaries import find_postgres
from dbdyno.target.postgresql.data import PostgresDirectory
from dbdyno.target.postgresql.options import settings_in
from tests.live.target import shared_memory
from tests.live.target.kinds import POSTGRESQL, Kind
from tests.live.target.queries import MakeServer, query

pytestmark = pytest.mark.live

LIMIT_S = 180


@pytest.fixture
def kind() -> Kind:
    return POSTGRESQL


def test_what_is_stored_outlives_a_restart_with_other_settings(server: PrivateServer) -> None:
    server.start({"shared_buffers": "16MB"})
    query(server, "CREATE TABLE kept (id INT PRIMARY KEY)", "INSERT INTO kept VALUES (1), (2)")
    first = server.describe()
    server.start({"shared_buffers": "24MB", "synchronous_commit": "off"})
    second = server.describe()
    assert query(server, "SELECT id FROM kept ORDER BY id") == [("1",), ("2",)]
    assert query(server, "SHOW shared_buffers") == [("24MB",)]
    assert first.settings["shared_buffers"] == "16MB"
    assert second.settings["shared_buffers"] == "24MB"
    # The server derives the size of its log's buffers from that of its pages'.
    derived = {"wal_buffers"}
    names = {name for name, value in first.settings.items() if second.settings[name] != value}
    assert names - derived == {"shared_buffers", "synchronous_commit"}


@pytest.mark.parametrize(
    ("settings", "durability"),
    [
        ({}, Durability.EVERY_COMMIT),
        ({"synchronous_commit": "local"}, Durability.EVERY_COMMIT),
        ({"synchronous_commit": "off"}, Durability.EACH_SECOND),
        ({"synchronous_commit": "false"}, Durability.EACH_SECOND),
        ({"fsync": "off"}, Durability.NONE),
    ],
    ids=str,
)
def test_durability_is_that_of_the_settings_that_run(
    shared_server: PrivateServer, settings: dict[str, str], durability: Durability
) -> None:
    shared_server.start(settings)
    description = shared_server.describe()
    assert description.durability == durability
    shown = {
        name: query(shared_server, f"SHOW {name}")[0][0] for name in ("fsync", "synchronous_commit")
    }
    assert {name: description.settings[name] for name in shown} == shown
    assert description.adjusted_settings == {}


def test_described_as_the_server_describes_itself(server: PrivateServer) -> None:
    server.start({"log_checkpoints": "false"})
    query(server, "CREATE TABLE big AS SELECT repeat(i::text, 9) FROM generate_series(1, 200000) i")
    description = server.describe()
    assert description.product == "PostgreSQL"
    assert query(server, "SHOW server_version") == [(description.version,)]
    assert description.settings["log_checkpoints"] == "off"
    assert description.chosen_settings is not None
    assert "log_checkpoints" in description.chosen_settings
    assert not {"work_mem", "server_version"} & set(description.chosen_settings)
    # What dbdyno and initdb have set is nobody's choice.
    assert description.chosen_settings == ["log_checkpoints"]
    assert int(description.settings["max_connections"]) > 1000
    assert description.adjusted_settings == {}
    assert description.file_sizes_bytes["base"] > 9_000_000
    assert description.file_sizes_bytes["pg_wal"] >= 16 << 20
    assert asdict(description)["durability"] == Durability.EVERY_COMMIT


def test_what_initdb_chooses_holds_unless_somebody_sets_it(server: PrivateServer) -> None:
    server.start({"min_wal_size": "96MB"})
    (data,) = query(server, "SHOW data_directory")[0]
    written = settings_in(Path(str(data), "postgresql.conf").read_text())
    settings = server.describe().settings
    # Version 13 has 8 MB where the file says nothing.
    assert settings["shared_buffers"] == written["shared_buffers"] == "128MB"
    assert settings["max_wal_size"] == written["max_wal_size"]
    assert settings["default_text_search_config"] == written["default_text_search_config"]
    assert settings["min_wal_size"] == "96MB"
    assert written["min_wal_size"] == "80MB"


def test_one_value_may_be_written_in_many_ways(shared_server: PrivateServer) -> None:
    written = {
        "shared_buffers": "16384kB",
        "max_wal_size": "0.5GB",
        "work_mem": "1024",
        "checkpoint_timeout": "300 s",
        "random_page_cost": "1.10",
        "autovacuum": "1",
        "jit": "no",
        "TimeZone": "utc",
    }
    shared_server.start(written)
    description = shared_server.describe()
    assert description.adjusted_settings == {}
    settings = description.settings
    assert {name: settings[name.lower()] for name in written} == {
        "shared_buffers": "16MB",
        "max_wal_size": "512MB",
        "work_mem": "1MB",
        "checkpoint_timeout": "5min",
        "random_page_cost": "1.1",
        "autovacuum": "on",
        "jit": "off",
        "TimeZone": "UTC",
    }


def test_a_value_that_the_server_changes_is_recorded(shared_server: PrivateServer) -> None:
    changed = {"work_mem": "64.7kB", "wal_buffers": "-1", "typo.nonsense": "1"}
    shared_server.start(changed | {"temp_buffers": "1MB"})
    description = shared_server.describe()
    assert description.adjusted_settings == changed
    assert description.settings["work_mem"] == "65kB"
    assert description.settings["wal_buffers"] == "4MB"
    assert "typo.nonsense" not in description.settings


def test_settings_of_the_experiment_win_over_the_option_file(
    make_server: MakeServer, tmp_path: Path
) -> None:
    option_file = tmp_path / "poc.conf"
    option_file.write_text(
        "port = 1\nlisten_addresses = '*'\nunix_socket_directories = '/nonexistent'\n"
        "hba_file = '/nonexistent/hba'\nident_file = '/nonexistent/ident'\n"
        "external_pid_file = '/nonexistent/pid'\nlc_messages = 'C.UTF-8'\n"
        "log_destination = 'syslog'\nlogging_collector = on\n"
        "max_connections = 77  # our clients\nwork_mem = 8MB\nsearch_path = 'a, \"b\"'\n"
    )
    server = make_server(option_file=option_file)
    asked = {"work_mem": "9MB", "statement_timeout": "7s", "cluster_name": r"it's \ here # too"}
    server.start(asked)
    settings = server.describe().settings
    # A session for administration has lifted it.
    assert settings["statement_timeout"] == "7s"
    assert settings["max_connections"] == "77"
    assert settings["work_mem"] == "9MB"
    assert settings["search_path"] == 'a, "b"'
    assert settings["cluster_name"] == r"it's \ here # too"
    forced = {
        "listen_addresses": "127.0.0.1",
        "lc_messages": "C",
        "log_destination": "stderr",
        "logging_collector": "off",
    }
    assert {name: settings[name] for name in forced} == forced
    for name in ("hba_file", "ident_file", "external_pid_file", "unix_socket_directories"):
        assert str(tmp_path / "postgresql") in str(query(server, f"SHOW {name}")), name


def test_an_option_file_does_not_lead_it_to_the_data_of_another(
    make_server: MakeServer, tmp_path: Path
) -> None:
    theirs = make_server("theirs")
    theirs.start({})
    query(theirs, "CREATE TABLE precious (id INT)")
    theirs.stop()
    data = tmp_path / "theirs" / "data"
    before = {path: path.stat().st_mtime_ns for path in data.rglob("*")}
    option_file = tmp_path / "theirs.conf"
    option_file.write_text(f"data_directory = '{data}'\n")
    ours = make_server("ours", option_file=option_file)
    ours.start({})
    assert query(ours, "SELECT to_regclass('precious')") == [(None,)]
    ours.stop()
    assert {path: path.stat().st_mtime_ns for path in data.rglob("*")} == before


def test_a_server_that_logs_all_statements_does_not_log_the_password(
    server: PrivateServer, tmp_path: Path
) -> None:
    server.start({"log_statement": "all", "log_min_duration_statement": "0"})
    assert query(server, "SELECT 'told'") == [("told",)]
    log = (tmp_path / "postgresql" / "error.log").read_text()
    assert "SELECT 'told'" in log
    assert "ALTER ROLE" in log
    assert server.password not in log


def test_clients_come_in_where_transactions_are_read_only(shared_server: PrivateServer) -> None:
    shared_server.start({"default_transaction_read_only": "on"})
    assert query(shared_server, "SHOW transaction_read_only") == [("on",)]


@pytest.mark.usefixtures("server")
def test_a_statement_that_fails_before_the_start_is_told(tmp_path: Path) -> None:
    binaries = find_postgres(None)
    directory = PostgresDirectory(tmp_path / "postgresql", binaries, "somebody", "dbdyno")
    with pytest.raises(RunError, match='role "somebody" does not exist'):
        directory.set_password("secret")


def test_its_shared_memory_goes_with_it(shared_server: PrivateServer) -> None:
    shared_server.start({})
    (process_id,) = shared_server.process_ids()
    used = shared_memory.of_process(process_id)
    assert used.files
    assert used.segments
    assert used.left() == used
    shared_server.stop()
    assert used.left() == shared_memory.NONE


def test_the_shared_memory_of_a_killed_server_goes_too(server: PrivateServer) -> None:
    server.start({})
    (process_id,) = server.process_ids()
    used = shared_memory.of_process(process_id)
    os.kill(process_id, signal.SIGKILL)
    os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOWAIT)
    assert used.left() == used
    server.stop()
    assert used.left() == shared_memory.NONE


def test_a_server_that_recovers_from_a_crash_ends_at_once(
    server: PrivateServer, tmp_path: Path
) -> None:
    server.start({"max_wal_size": "4GB"})
    (process_id,) = server.process_ids()
    # Much to recover, so that the process that does it can be caught.
    query(server, "CREATE TABLE much AS SELECT generate_series(1, 1000000)")
    crash(process_id)
    startup(process_id).suspend()
    with pytest.raises(RunError, match="the database system is in recovery mode"):
        server.describe()
    server.stop()
    assert not psutil.pid_exists(process_id)
    assert "received immediate shutdown request" in (tmp_path / "postgresql/error.log").read_text()
    with pytest.raises(RunError, match="did not end in good order"):
        server.snapshot(tmp_path / "copy")


def crash(process_id: int) -> None:
    """Kill one of a server's processes, as the kernel does for want of memory."""
    (writer,) = (child for child in children(process_id) if "walwriter" in command(child))
    writer.kill()


def startup(process_id: int) -> psutil.Process:
    """Wait for the process that recovers a server's data."""
    deadline_s = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline_s:
        for child in children(process_id):
            if "startup" in command(child):
                return child
    raise AssertionError("the server does not recover")


def children(process_id: int) -> list[psutil.Process]:
    listed = Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    found = []
    for child in map(int, listed):
        with suppress(psutil.NoSuchProcess):
            found.append(psutil.Process(child))
    return found


def command(process: psutil.Process) -> str:
    """Return what a process says that it is; one that has ended says nothing."""
    with suppress(psutil.Error):
        return " ".join(process.cmdline())
    return ""
