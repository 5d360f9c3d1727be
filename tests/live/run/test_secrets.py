"""Secrets that are planted wherever a server may hold one: no file of a result has any of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.experiment.file.target import MysqlTarget
from dbdyno.store.named_files import read_named_files
from dbdyno.target.opening import open_server
from tests.live.run.stage import Stage
from tests.live.target.queries import query

pytestmark = pytest.mark.live

SECRETS = {
    "client": "planted-in-the-clients-section",
    "report_password": "planted-in-a-variable",
    "init_connect": "planted-in-init-connect",
    "user_variable": "planted-in-a-user-variable",
    "comment": "planted-in-a-comment",
}


@pytest.fixture
def option_file(tmp_path: Path) -> Path:
    file = tmp_path / "my.cnf"
    file.write_text(
        f"[client]\npassword = {SECRETS['client']}\n"
        f"[mysqld]\n# password: {SECRETS['comment']}\n"
        f"report_password = {SECRETS['report_password']}\n"
        f"init_connect = \"SET @a = '{SECRETS['init_connect']}', "
        f"@app_password := '{SECRETS['user_variable']}'\"\n"
    )
    return file


def found_in(result: Path) -> dict[str, list[str]]:
    """Return the files that hold a secret, by what it was planted in."""
    files = [path for path in result.rglob("*") if path.is_file()]
    return {
        planted: names
        for planted, secret in SECRETS.items()
        if (names := [path.name for path in files if secret.encode() in path.read_bytes()])
    }


def test_a_private_servers_option_file(stage: Stage, option_file: Path) -> None:
    target = f"{{mysql: {{option_file: {option_file}}}}}"
    ended = stage.write(target=target, rounds=1, factors="clients: [1]").run()
    assert ended.status == 0, ended
    assert found_in(stage.result) == {}
    # They were there to be found.
    settings = stage.trial(1)["server"]["settings"]
    assert settings["report_password"] == "***"
    assert settings["init_connect"] == "SET @a = '***', @app_password := '***'"
    assert not any(secret in ended.output + ended.errors for secret in SECRETS.values())
    (named,) = read_named_files(stage.result) or ()
    assert (named.name, named.text) == (str(option_file), None)


def test_a_server_by_its_url(stage: Stage, option_file: Path, tmp_path: Path) -> None:
    with open_server(MysqlTarget(option_file=option_file), "theirs", tmp_path) as server:
        server.start({})
        assert server.password is not None
        target = f"{{url: '{server.url}'}}"
        stage.write(target=target, rounds=1, factors="clients: [1]", procedure="start: as_is")
        ended = stage.run(environment={"DBDYNO_PASSWORD": server.password})
        assert ended.status == 0, ended
        assert stage.holds(server.password) == []
        assert found_in(stage.result) == {}
        ((value,),) = query(server, "SELECT @@init_connect")
    assert value is not None
    assert SECRETS["init_connect"] in value


@pytest.mark.parametrize(
    "target",
    [
        "{mysql: {set: {report_password: planted-in-a-variable}}}",
        "{url: 'mysql://u:planted-in-a-variable@127.0.0.1/db'}",
    ],
)
def test_a_secret_in_the_experiment_file_is_refused(stage: Stage, target: str) -> None:
    ended = stage.write(target=target, rounds=1, factors="clients: [1]").run()
    assert ended.status == 2
    assert SECRETS["report_password"] not in ended.errors + ended.output
    assert not stage.result.exists()


def test_a_secret_among_the_levels_of_a_factor_is_refused(stage: Stage) -> None:
    factor = "p: {sets: server.report_password, levels: [planted-in-a-variable, x]}"
    ended = stage.write(target="{mysql: {}}", rounds=1, factors=factor).run()
    assert ended.status == 2
    assert "report_password seems to hold a secret" in ended.errors
    assert SECRETS["report_password"] not in ended.errors + ended.output
