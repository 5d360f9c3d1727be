"""What a user may get wrong about a private server, and the words that come back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import psutil
import pytest

from dbdyno.errors import DbdynoError, InputError, RunError
from dbdyno.experiment.target import MysqlTarget
from dbdyno.server import open_server
from dbdyno.server.mysql import MysqlServer
from tests.live.server.queries import MakeServer

pytestmark = pytest.mark.live


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"nonsense": "1"}, RunError, "unknown variable 'nonsense=1'"),
        ({"innodb_flush_method": "sometimes"}, RunError, "Error while setting value 'sometimes'"),
        ({"innodb_buffer_pool_size": "lots"}, RunError, "Unknown suffix 'l' used for variable"),
        ({"innodb_buffer_pool_size": "1M"}, RunError, "requires innodb_buffer_pool_size >= "),
        ({"plugin_load_add": "ha_nosuch"}, RunError, "whether plugin_load_add took: .*ha_nosuch"),
        (
            {"innodb_file_per_table": "maybe"},
            RunError,
            "setting innodb_file_per_table=maybe did not take: the server shows ON",
        ),
        ({"port": "3306"}, InputError, "setting port: dbdyno sets this"),
        ({"datadir": "/var/lib/mysql"}, InputError, "setting datadir: dbdyno sets this"),
        ({"loose_typo": "1"}, InputError, "setting loose_typo: with loose_ .*; write typo"),
    ],
)
def test_settings_that_cannot_be_made(
    server: MysqlServer, settings: dict[str, str], kind: type[DbdynoError], message: str
) -> None:
    server.start({})
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with pytest.raises(kind, match=message):
        server.start(settings)
    assert server.process_ids() == ()
    assert not {child.pid for child in psutil.Process().children(recursive=True)} - before


def test_unknown_settings_at_the_first_start_too(new_server: MysqlServer) -> None:
    with pytest.raises(RunError, match="unknown variable 'nonsense=1'"):
        new_server.start({"nonsense": "1"})
    new_server.start({})


def test_a_page_size_that_the_data_do_not_have(server: MysqlServer) -> None:
    server.start({})
    with pytest.raises(RunError, match="uses page size 16384, but the innodb_page_size"):
        server.start({"innodb_page_size": "4k"})


def test_a_basedir_without_a_server(tmp_path: Path) -> None:
    target = MysqlTarget(basedir=tmp_path / "opt")
    with pytest.raises(InputError, match=r"no mariadbd or mysqld in .*/opt \(looked in .*set base"):
        open_server(target, "mysql", tmp_path)


def test_a_basedir_with_a_server_that_does_not_run(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "mysqld"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\necho libaio.so.1: cannot open shared object file >&2; exit 127\n"
    )
    program.chmod(0o755)
    with pytest.raises(InputError, match="mysqld does not say its version: libaio"):
        open_server(MysqlTarget(basedir=tmp_path), "mysql", tmp_path)


def test_a_directory_that_holds_something_else(new_server: MysqlServer, tmp_path: Path) -> None:
    precious = tmp_path / "mysql" / "data" / "ibdata1"
    precious.parent.mkdir(parents=True)
    precious.write_text("precious")
    with pytest.raises(InputError, match="is not empty, and what it holds is not dbdyno's"):
        new_server.start({})
    assert precious.read_text() == "precious"


def test_a_directory_that_another_version_made(new_server: MysqlServer, tmp_path: Path) -> None:
    marker = tmp_path / "mysql" / "server.json"
    marker.parent.mkdir()
    marker.write_text(json.dumps({"product": "MySQL", "version": "5.0"}))
    with pytest.raises(InputError, match=r"was made by MySQL 5\.0, and the server is now MariaDB"):
        new_server.start({})


def test_a_directory_that_is_a_file(new_server: MysqlServer, tmp_path: Path) -> None:
    (tmp_path / "mysql").write_text("")
    with pytest.raises(DbdynoError, match=r"cannot use the directory .* for a server: File exists"):
        new_server.start({})


def test_an_option_file_that_cannot_be_read(tmp_path: Path) -> None:
    target = MysqlTarget(option_file=tmp_path / "gone.cnf")
    with pytest.raises(RunError, match=r"cannot read the option file .*gone\.cnf: No such file"):
        open_server(target, "mysql", tmp_path)


def test_cpus_that_are_not_there(make_server: MakeServer) -> None:
    beyond = max(os.sched_getaffinity(0)) + 1
    server = make_server(cpus=str(beyond))
    with pytest.raises(InputError, match=f"this machine lets dbdyno use .* not {beyond}"):
        server.start({})
