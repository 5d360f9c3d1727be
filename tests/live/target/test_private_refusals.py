"""What a user may get wrong about a private server, and the words that come back."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import psutil
import pytest

from dbdyno.errors import DbdynoError, InputError, RunError
from dbdyno.target.local.private import PrivateServer
from tests.live.target.kinds import MYSQL, POSTGRESQL, Kind
from tests.live.target.queries import MakeServer

pytestmark = pytest.mark.live

Refusal = tuple[dict[str, str], type[DbdynoError], str]

MYSQL_REFUSALS: list[Refusal] = [
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
]
POSTGRESQL_REFUSALS: list[Refusal] = [
    (
        {"nonsense": "1"},
        RunError,
        'what the experiment and its option file set .*: unrecognized .* parameter "nonsense"',
    ),
    (
        {"synchronous_commit": "sometimes"},
        RunError,
        'parameter "synchronous_commit": "sometimes"; Available values: local, remote_write',
    ),
    (
        {"shared_buffers": "16M"},
        RunError,
        'parameter "shared_buffers": "16M"; Valid units for this parameter are "B", "kB"',
    ),
    (
        {"shared_buffers": "8kB"},
        RunError,
        'outside the valid range for parameter "shared_buffers"',
    ),
    ({"fsync": "maybe"}, RunError, 'parameter "fsync" requires a Boolean value'),
    ({"shared_preload_libraries": "nosuch"}, RunError, 'could not access file "nosuch"'),
    ({"wal_level": "minimal"}, RunError, r"\(max_wal_senders > 0\) requires wal_level"),
    (
        {"superuser_reserved_connections": "1010"},
        RunError,
        r"status 1\): superuser_reserved_connections \(1010\) must be less than max_connections",
    ),
    ({"Port": "5432"}, InputError, "setting Port: dbdyno sets this"),
    ({"data_directory": "/"}, InputError, "setting data_directory: dbdyno sets this"),
]


@pytest.mark.parametrize(
    ("kind", "settings", "error", "message"),
    [
        *((MYSQL, *refusal) for refusal in MYSQL_REFUSALS),
        *((POSTGRESQL, *refusal) for refusal in POSTGRESQL_REFUSALS),
    ],
    ids=str,
)
def test_settings_that_cannot_be_made(
    shared_server: PrivateServer, settings: dict[str, str], error: type[DbdynoError], message: str
) -> None:
    shared_server.start({})
    data = psutil.Process(shared_server.process_ids()[0]).cwd()
    assert working_in(data)
    with pytest.raises(error, match=message):
        shared_server.start(settings)
    assert shared_server.process_ids() == ()
    assert not working_in(data)


def working_in(directory: str) -> list[psutil.Process]:
    """Return the processes that work in a directory: those of other servers come and go."""
    return [each for each in psutil.process_iter(["cwd"]) if each.info["cwd"] == directory]


def test_unknown_settings_at_the_first_start_too(new_server: PrivateServer) -> None:
    with pytest.raises(RunError, match=r"(variable '|parameter \")nonsense"):
        new_server.start({"nonsense": "1"})
    new_server.start({})


FOUND_WITHOUT_A_START: list[tuple[Kind, dict[str, str], str]] = [
    (MYSQL, {"nonsense": "1"}, "unknown variable 'nonsense=1'"),
    (MYSQL, {"innodb_flush_method": "sometimes"}, "Error while setting value 'sometimes'"),
    (MYSQL, {"innodb_buffer_pool_size": "lots"}, "Unknown suffix 'l' used for variable"),
    (MYSQL, {"plugin_load_add": "ha_nosuch"}, "Can't open shared library .*ha_nosuch"),
    (POSTGRESQL, {"nonsense": "1"}, 'unrecognized configuration parameter "nonsense"$'),
    (POSTGRESQL, {"shared_buffers": "16M"}, 'parameter "shared_buffers": "16M"; Valid units'),
    (POSTGRESQL, {"shared_buffers": "8kB"}, "outside the valid range for parameter"),
    (POSTGRESQL, {"fsync": "maybe"}, 'parameter "fsync" requires a Boolean value'),
]


@pytest.mark.parametrize(("kind", "settings", "message"), FOUND_WITHOUT_A_START, ids=str)
def test_settings_that_the_program_does_not_take_are_found_without_a_start(
    new_server: PrivateServer, tmp_path: Path, settings: dict[str, str], message: str
) -> None:
    with pytest.raises(
        InputError, match=rf"^(MariaDB|PostgreSQL) .*\d.* does not take the settings: .*{message}"
    ):
        new_server.validate(settings)
    new_server.validate({})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "text", "refused"),
    [
        (MYSQL, "[mariadb]\nlog_error = {folder}/theirs.log\n", "innodb_flush"),
        (POSTGRESQL, "logging_collector = on\n", "Nonsense_at_all"),
    ],
    ids=str,
)
def test_what_the_option_file_says_is_read_too(
    kind: Kind, tmp_path: Path, text: str, refused: str
) -> None:
    options = tmp_path / "options"
    options.write_text(text.format(folder=tmp_path))
    kind.open(tmp_path, option_file=options).validate({})
    options.write_text(f"{options.read_text()}{refused} = 1\n")
    with pytest.raises(InputError, match=refused):
        kind.open(tmp_path, option_file=options).validate({})
    assert list(tmp_path.iterdir()) == [options]


def test_a_basedir_without_a_server(kind: Kind, tmp_path: Path) -> None:
    words = rf"no {kind.basic} in .*/opt \(looked in .*/opt/bin.*set basedir"
    with pytest.raises(InputError, match=words):
        kind.open(tmp_path, basedir=tmp_path / "opt")


def test_a_basedir_with_a_server_that_does_not_run(kind: Kind, tmp_path: Path) -> None:
    for name in (*kind.processes, "initdb"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(
            "#!/bin/sh\necho libaio.so.1: cannot open shared object file >&2; exit 127\n"
        )
        program.chmod(0o755)
    with pytest.raises(InputError, match=rf"{kind.processes[0]} does not say its version: libaio"):
        kind.open(tmp_path, basedir=tmp_path)


def test_a_directory_that_holds_something_else(
    new_server: PrivateServer, kind: Kind, tmp_path: Path
) -> None:
    precious = tmp_path / kind.name / "data" / "ibdata1"
    precious.parent.mkdir(parents=True)
    precious.write_text("precious")
    with pytest.raises(InputError, match="is not empty, and what it holds is not dbdyno's"):
        new_server.start({})
    assert precious.read_text() == "precious"


def test_a_directory_that_another_version_made(
    new_server: PrivateServer, kind: Kind, tmp_path: Path
) -> None:
    marker = tmp_path / kind.name / "server.json"
    marker.parent.mkdir()
    marker.write_text(json.dumps({"product": "MySQL", "version": "5.0"}))
    words = rf"was made by MySQL 5\.0, and the server is now {kind.product}"
    with pytest.raises(InputError, match=words):
        new_server.start({})


def test_a_directory_that_is_a_file(new_server: PrivateServer, kind: Kind, tmp_path: Path) -> None:
    (tmp_path / kind.name).write_text("")
    with pytest.raises(DbdynoError, match=r"cannot use the directory .* for a server: File exists"):
        new_server.start({})


def test_an_option_file_that_cannot_be_read(kind: Kind, tmp_path: Path) -> None:
    file = tmp_path / "gone.conf"
    words = f"cannot read the option file {re.escape(str(file))}: No such file"
    with pytest.raises(InputError, match=words):
        kind.open(tmp_path, option_file=file)


def test_cpus_that_are_not_there(make_server: MakeServer) -> None:
    beyond = max(os.sched_getaffinity(0)) + 1
    server = make_server(cpus=str(beyond))
    with pytest.raises(InputError, match=f"this machine lets dbdyno use .* not {beyond}"):
        server.start({})
