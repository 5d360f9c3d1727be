"""Factors that change a target: its place on the machine, its transport, settings made online."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.database.session import open_session
from dbdyno.experiment.file.target import MysqlTarget
from dbdyno.target.mysql.server import MysqlServer
from dbdyno.target.opening import open_server
from dbdyno.target.postgresql.binaries import find_postgres
from tests.live.run.stage import Stage
from tests.live.target.kinds import KINDS, Kind

pytestmark = pytest.mark.live

ONLINE = {
    "mysql": ("innodb_io_capacity", "300", "400", "table_open_cache_instances"),
    "postgresql": ("work_mem", "8MB", "16MB", "max_connections"),
}
"""A setting with two values, and one that takes a restart."""


def described(stage: Stage, number: int) -> dict[str, str]:
    settings: dict[str, str] = stage.trial(number)["server"]["settings"]
    return settings


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_setting_is_made_on_the_running_server(stage: Stage, kind: Kind) -> None:
    name, one, other, _ = ONLINE[kind.name]
    stage.write(
        target=f"{{{kind.name}: {{}}}}",
        factors=f"x: {{sets: server.{name}, levels: [{one}, {other}], apply: online}}",
        procedure="start: continue",
        rounds=1,
    )
    ended = stage.run()
    assert ended.status == 0, ended.output + ended.errors
    found = {stage.trial(number)["cell"]["x"]: described(stage, number)[name] for number in (1, 2)}
    assert found == {one: one, other: other}
    # One start serves both: the second trial has only what was set anew.
    log = (stage.result / "report.html").read_text()
    assert name in log


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_setting_that_takes_a_restart_is_no_online_setting(stage: Stage, kind: Kind) -> None:
    *_, fixed = ONLINE[kind.name]
    stage.write(
        target=f"{{{kind.name}: {{}}}}",
        factors=f"x: {{sets: server.{fixed}, levels: [8, 16], apply: online}}",
        procedure="start: continue",
        rounds=1,
    )
    ended = stage.run()
    assert ended.status == 1
    assert "apply: online" in ended.output + ended.errors


def test_base_directories_are_levels_of_a_factor(stage: Stage, tmp_path: Path) -> None:
    installed = find_postgres(None).server.resolve().parents[1]
    versions = [tmp_path / name for name in ("old", "new")]
    for version in versions:
        version.symlink_to(installed)
    levels = ", ".join(map(str, versions))
    stage.write(
        target="{postgresql: {}}",
        factors=f"version: {{sets: target.basedir, levels: [{levels}]}}",
        rounds=1,
    )
    ended = stage.run()
    assert ended.status == 0, ended.output + ended.errors
    assert stage.statuses() == {1: "completed", 2: "completed"}
    found = [stage.trial(number)["cell"]["version"] for number in (1, 2)]
    assert sorted(found) == sorted(map(str, versions))


@pytest.fixture
def short_directory() -> Iterator[Path]:
    """Return a directory in which the path of a socket is not too long."""
    with tempfile.TemporaryDirectory(prefix="d") as directory:
        yield Path(directory)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_each_transport_carries_the_load(kind: Kind, short_directory: Path) -> None:
    stage = Stage(short_directory)
    stage.write(
        target=f"{{{kind.name}: {{}}}}",
        factors="way: {sets: target.transport, levels: [tcp, socket, tls]}",
        rounds=1,
    )
    ended = stage.run()
    assert ended.status == 0, ended.output + ended.errors
    urls = {
        stage.trial(number)["cell"]["way"]: json.loads(
            (stage.result / "trials" / f"{number:04d}" / "plan.json").read_text()
        )["url"]
        for number in (1, 2, 3)
    }
    assert "socket=" in urls["socket"]
    assert "ssl_mode=required" in urls["tls"]
    assert "?" not in urls["tcp"]
    snapshots = {event["trial"] for event in ended.events if event["event"] == "trial_finished"}
    assert snapshots == {1, 2, 3}


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_cpus_of_server_and_generator_are_factors(stage: Stage, kind: Kind) -> None:
    cpu = min(os.sched_getaffinity(0))
    everyone = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    stage.write(
        target=f"{{{kind.name}: {{}}}}",
        factors=f"place: {{sets: target.cpus, levels: ['{cpu}', '{everyone}']}}, "
        f"mine: {{sets: generators.cpus, levels: ['{cpu}']}}",
        rounds=1,
    )
    ended = stage.run()
    assert ended.status == 0, ended.output + ended.errors
    cpus = {
        stage.trial(number)["cell"]["place"]: stage.trial(number)["server"]["cpus"]
        for number in (1, 2)
    }
    assert cpus == {str(cpu): [cpu], everyone: sorted(os.sched_getaffinity(0))}


COMMAND = """\
#!/bin/sh
echo "$0 $* $DBDYNO_INNODB_IO_CAPACITY $DBDYNO_WHO" >> "$(dirname "$0")/said"
case $1 in
set) exec {python} {script} "$2" ;;
fail) echo the reason why; exit 3 ;;
esac
"""
SETS = """\
import sys
from dbdyno._native import Session
session = Session.connect({url!r}, {password!r})
session.query("SET GLOBAL innodb_io_capacity = " + sys.argv[1])
"""


@pytest.fixture
def theirs(tmp_path: Path) -> MysqlServer:
    server = open_server(MysqlTarget(), "theirs", tmp_path / "servers")
    assert isinstance(server, MysqlServer)
    return server


def test_commands_set_restart_and_describe_a_server_that_is_up(
    stage: Stage, theirs: MysqlServer, tmp_path: Path
) -> None:
    import sys

    with theirs as server:
        server.start({})
        script = tmp_path / "set.py"
        administrator, password = server.administrator
        script.write_text(SETS.format(url=administrator, password=password))
        control = tmp_path / "control.sh"
        control.write_text(COMMAND.format(python=sys.executable, script=script))
        control.chmod(0o755)
        commands = (
            "{apply: './control.sh set {innodb_io_capacity}', restart: './control.sh again {who}', "
            "describe: 'echo rack 7 of {who}', stop: './control.sh end'}"
        )
        stage.write(
            target=f"{{url: '{server.url}', variables: {{who: 'a b'}}, commands: {commands}}}",
            factors="x: {sets: server.innodb_io_capacity, levels: [300, 400]}",
            rounds=1,
        )
        ended = stage.run(environment={"DBDYNO_PASSWORD": server.password})
        assert ended.status == 0, ended.output + ended.errors
        found = {
            stage.trial(number)["cell"]["x"]: described(stage, number)["innodb_io_capacity"]
            for number in (1, 2)
        }
        assert found == {"300": "300", "400": "400"}
        assert stage.trial(1)["server"]["command_output"] == "rack 7 of a b\n"
        said = (tmp_path / "said").read_text().splitlines()
        assert [line.split(" ", 1)[1] for line in said] == [
            *("set 300 300 a b", "again a b 300 a b"),
            *("set 400 400 a b", "again a b 400 a b"),
            "end 400 a b",
        ]


def test_a_command_that_fails_is_the_reason_of_its_trials(
    stage: Stage, theirs: MysqlServer, tmp_path: Path
) -> None:
    with theirs as server:
        server.start({})
        control = tmp_path / "control.sh"
        control.write_text(COMMAND)
        control.chmod(0o755)
        stage.write(
            target=f"{{url: '{server.url}', commands: {{apply: './control.sh fail'}}}}",
            factors="x: {sets: server.innodb_io_capacity, levels: [300, 400]}",
            rounds=1,
        )
        ended = stage.run(environment={"DBDYNO_PASSWORD": server.password})
        assert ended.status == 1
        reason = stage.trial(1)["reason"]
        assert "its command apply (./control.sh) ended with exit status 3: the reason why" in reason


def test_what_was_set_online_on_a_server_that_is_up_goes_back(
    stage: Stage, theirs: MysqlServer
) -> None:
    with theirs as server:
        server.start({"innodb_io_capacity": "250"})
        administrator, password = server.administrator
        stage.write(
            target=f"{{url: '{administrator}'}}",
            factors="x: {sets: server.innodb_io_capacity, levels: [300, 400], apply: online}",
            rounds=1,
        )
        ended = stage.run(environment={"DBDYNO_PASSWORD": password})
        assert ended.status == 0, ended.output + ended.errors
        assert described(stage, 1)["innodb_io_capacity"] in ("300", "400")
        with open_session(server.url, server.password) as session:
            ((value,),) = session.query("SELECT @@global.innodb_io_capacity")
        assert value == "250"
