"""What servers tell of what they are made of and of what they have loaded, on real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.database.session import open_session
from dbdyno.experiment.file.target import UrlTarget
from dbdyno.target.description import ServerComponent
from dbdyno.target.opening import open_server
from dbdyno.watch.facts.storage import file_system_of
from tests.live.target.kinds import MYSQL, POSTGRESQL
from tests.live.target.queries import query

pytestmark = pytest.mark.live


def test_mariadb_with_a_plug_in(tmp_path: Path, rocksdb_plugins: Path) -> None:
    option_file = tmp_path / "my.cnf"
    option_file.write_text(
        f"[mysqld]\nplugin_dir = {rocksdb_plugins}\nplugin_load_add = ha_rocksdb\n"
        "character_set_server = latin1\ncollation_server = latin1_bin\nsort_buffer_size = 1M\n"
    )
    libraries = [rocksdb_plugins]
    with MYSQL.open(tmp_path, option_file=option_file, library_path=libraries) as server:
        # Whoever makes the data directory must find the plug-in, too: without it, this is unknown.
        server.start({"rocksdb_block_cache_size": "16M"})
        described = server.describe()
        told = query(
            server, "SELECT plugin_name FROM information_schema.plugins WHERE plugin_library <> ''"
        )
        (version,) = query(server, "SELECT @@version_compile_machine, @@version_comment")
    loaded = {part.name: part for part in described.components if part.library is not None}
    assert loaded.keys() == {name for (name,) in told}
    assert loaded["ROCKSDB"].kind == "storage engine"
    assert loaded["ROCKSDB"].library == "ha_rocksdb.so"
    built_in = {part.name for part in described.components if part.library is None}
    assert {"InnoDB", "mysql_native_password"} <= built_in
    assert (described.character_set, described.collation) == ("latin1", "latin1_bin")
    assert described.chosen_settings is not None
    assert "sort_buffer_size" in described.chosen_settings
    assert version[0] is not None
    assert version[0] in (described.build or "")
    assert described.version_comment == version[1]
    assert described.data_directory == str(tmp_path / "mysql" / "data")
    found = file_system_of(described.data_directory)
    assert found is not None
    assert found.type


def test_what_our_own_sessions_set_is_nobodys_choice(tmp_path: Path, mysql_basedir: Path) -> None:
    with MYSQL.open(tmp_path, basedir=mysql_basedir) as server:
        server.start({"innodb_io_capacity": "300"})
        query(server, "SELECT 1")
        chosen = server.describe().chosen_settings
        with open_session(*server.administrator) as session:
            session.query("SET GLOBAL sort_buffer_size = 300000")
        later = server.describe().chosen_settings
    assert chosen == ["innodb_io_capacity"]
    assert later == ["innodb_io_capacity", "sort_buffer_size"]


def test_postgresql_with_an_extension(tmp_path: Path) -> None:
    with POSTGRESQL.open(tmp_path) as server:
        server.start({"shared_preload_libraries": "pg_stat_statements"})
        query(server, "CREATE EXTENSION citext")
        described = server.describe()
        ((version,),) = query(server, "SELECT extversion FROM pg_extension WHERE extname='citext'")
        ((words,),) = query(server, "SELECT version()")
    assert version is not None
    assert ServerComponent("citext", "extension", version, "citext") in described.components
    library = ServerComponent("pg_stat_statements", "library", library="pg_stat_statements")
    assert library in described.components
    assert described.build == words
    assert described.character_set == "UTF8"
    assert described.collation
    assert described.data_directory == str(tmp_path / "postgresql" / "data")


def test_sqlite_is_the_library_and_its_modules(tmp_path: Path) -> None:
    with open_server(UrlTarget(url=f"sqlite:///{tmp_path}/x.db"), "theirs", tmp_path) as server:
        described = server.describe()
        assert described.build == query(server, "SELECT sqlite_source_id()")[0][0]
    assert any(part.kind == "module" for part in described.components)
    assert (described.character_set, described.collation) == ("UTF-8", "BINARY")
    assert described.data_directory == str(tmp_path)
