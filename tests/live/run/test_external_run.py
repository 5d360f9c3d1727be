"""Runs on servers that were up before: what is theirs stays as it is."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dbdyno.experiment.file.target import MysqlTarget
from dbdyno.target.base import Server
from dbdyno.target.opening import open_server
from tests.live.run.stage import LASTING, Stage
from tests.live.target.queries import query

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server that runs; each test may fill its database."""
    with open_server(MysqlTarget(), "theirs", tmp_path_factory.mktemp("server")) as server:
        server.start({})
        yield server


@pytest.fixture
def theirs(server: Server) -> Server:
    """Return the server with an empty database."""
    query(server, "DROP TABLE IF EXISTS sbtest1")
    return server


def external(
    stage: Stage,
    url: str,
    start: str = "continue",
    rounds: int = 1,
    duration: str = "0.3s",
    factors: str = "clients: [2]",
) -> Stage:
    """Write an experiment on a server by its URL."""
    return stage.write(
        duration=duration,
        target=f"{{url: '{url}'}}",
        factors=factors,
        rounds=rounds,
        procedure=f"start: {start}",
    )


def password(server: Server) -> dict[str, str]:
    """Return the environment that lets a run in."""
    return {"DBDYNO_PASSWORD": server.password or ""}


def count(server: Server) -> int:
    return int(query(server, "SELECT COUNT(*) FROM sbtest1")[0][0] or 0)


def test_tables_are_loaded_once_and_kept(stage: Stage, theirs: Server) -> None:
    assert theirs.password is not None
    ended = external(stage, theirs.url, rounds=2).run(
        environment={"DBDYNO_PASSWORD": theirs.password}
    )
    assert ended.status == 0, ended
    first, second = stage.trial(1)["dataset"], stage.trial(2)["dataset"]
    assert first["rows"] == 1000
    # What the first trial has made of the tables is of another size, and each has its own load.
    own = dict.fromkeys(["disk", "logical", "compression", "statistics", "scans", "ledger"])
    assert first | own == second | own
    assert count(theirs) == 1000
    assert stage.holds(theirs.password) == []
    assert theirs.password not in ended.output


def test_the_next_experiment_finds_them_and_may_load_them_anew(
    stage: Stage, theirs: Server, tmp_path: Path
) -> None:
    environment = {"DBDYNO_PASSWORD": theirs.password or ""}
    assert external(stage, theirs.url).run(environment=environment).status == 0
    before = query(theirs, "CHECKSUM TABLE sbtest1")
    stage.see(tmp_path / "second", Path("/"))
    assert external(stage, theirs.url).run(environment=environment).status == 0
    assert stage.trial(1)["dataset"]["found"]
    assert query(theirs, "CHECKSUM TABLE sbtest1") != before
    stage.see(tmp_path / "third", Path("/"))
    assert external(stage, theirs.url, "reload", 2).run(environment=environment).status == 0
    assert [stage.trial(number)["dataset"]["rows"] for number in (1, 2)] == [1000, 1000]


@pytest.mark.parametrize("start", ["continue", "reload"])
def test_tables_of_somebody_else_are_not_touched(stage: Stage, theirs: Server, start: str) -> None:
    query(
        theirs,
        "CREATE TABLE sbtest1 (id INT PRIMARY KEY, k INT, c CHAR(120), pad CHAR(60))",
        "INSERT INTO sbtest1 VALUES (1, 1, 'precious', '')",
    )
    before = query(theirs, "CHECKSUM TABLE sbtest1")
    ended = external(stage, theirs.url, start).run(
        environment={"DBDYNO_PASSWORD": theirs.password or ""}
    )
    assert ended.status == 1
    assert (
        "table sbtest1 is not what this experiment would load, and nothing is overwritten: drop it"
    ) in ended.errors
    assert query(theirs, "CHECKSUM TABLE sbtest1") == before


def test_a_login_that_is_refused(stage: Stage, theirs: Server) -> None:
    ended = external(stage, theirs.url).run(environment={"DBDYNO_PASSWORD": "wrong-password"})
    assert ended.status == 1
    assert ended.errors.startswith(f"target mysql: cannot connect to {theirs.url}: Access denied")
    assert ended.errors.endswith(
        "; the password is taken from the environment variable DBDYNO_PASSWORD, which is set\n"
    )
    assert "wrong-password" not in ended.output + ended.errors
    assert ended.trials("trial_started") == []
    assert external(stage, theirs.url).run(environment=password(theirs)).status == 0


def test_a_password_that_is_missing(stage: Stage, theirs: Server) -> None:
    ended = external(stage, theirs.url).run()
    assert ended.status == 1
    assert ended.errors.endswith("environment variable DBDYNO_PASSWORD, which is not set\n")


def test_a_database_that_is_not_there(stage: Stage, theirs: Server) -> None:
    url = theirs.url.removesuffix("/dbdyno") + "/nonexistent"
    ended = external(stage, url).run(environment={"DBDYNO_PASSWORD": theirs.password or ""})
    assert ended.status == 1
    assert "to database 'nonexistent'" in ended.errors
    assert "DBDYNO_PASSWORD" not in ended.errors


def test_a_server_that_is_not_up_is_told_once_and_nothing_stays(stage: Stage) -> None:
    ended = external(stage, "mysql://root@127.0.0.1:1/test", rounds=5).run()
    assert ended.status == 1
    assert ended.errors.startswith(
        "target mysql: cannot connect to mysql://root@127.0.0.1:1/test: can't connect"
    )
    assert ended.errors.count("cannot connect") == 1
    assert "trials used" not in ended.output
    assert list(stage.result.iterdir()) == []


def test_a_server_that_went_down_between_two_runs_costs_no_trial(stage: Stage) -> None:
    file = stage.directory / "theirs.sqlite"
    running = external(stage, f"sqlite:///{file}", rounds=3, duration=LASTING).launch()
    running.wait_for_load(2)
    running.signal(signal.SIGINT)
    assert running.end().status == 1
    before = stage.statuses()
    file.unlink()
    file.mkdir()
    ended = stage.run()
    assert ended.status == 1
    assert ended.errors.startswith("target sqlite: cannot connect to sqlite:///")
    assert ended.trials("trial_started") == []
    assert stage.statuses() == before
    file.rmdir()
    assert stage.run().status == 0


def with_tables_of_theirs(stage: Stage) -> str:
    """Return the URL of a file with a table that is not what any experiment here would load."""
    file = stage.directory / "theirs.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("CREATE TABLE sbtest1 (id INTEGER PRIMARY KEY, k INT, c TEXT, pad TEXT)")
        database.execute("INSERT INTO sbtest1 VALUES (1, 1, 'precious', '')")
    return f"sqlite:///{file}"


def test_where_no_trial_can_begin_none_is_tried(stage: Stage) -> None:
    ended = external(stage, with_tables_of_theirs(stage), rounds=5).run()
    assert ended.status == 1
    assert ended.errors.count("table sbtest1 is not what this experiment would load") == 1
    assert ended.errors.count("\n") == 1
    assert "trials used" not in ended.output
    assert list(stage.result.iterdir()) == []


def test_three_trials_in_a_row_that_cannot_begin_end_the_run(stage: Stage) -> None:
    tables = "index: {sets: workload.create_secondary, levels: [true, false]}"
    ended = external(stage, with_tables_of_theirs(stage), rounds=5, factors=tables).run()
    assert ended.status == 1
    assert ended.output.count("table sbtest1 is not what this experiment would load") >= 3
    assert ended.errors == (
        "3 trials in a row could not begin, and the rest is not tried. To try again, call the same "
        f"with --out {stage.result}\n"
    )
    assert stage.statuses() == dict.fromkeys((1, 2, 3), "interrupted")
    assert ended.trials("trial_started") == [1, 2, 3]
    assert not (stage.result / "work").exists()


def test_nothing_is_set_on_it(stage: Stage) -> None:
    factors = "buffer_pool: {sets: server.innodb_buffer_pool_size, levels: [16M, 24M]}"
    ended = stage.write(target="{url: 'mysql://root@127.0.0.1:1/test'}", factors=factors).run()
    assert ended.status == 2
    assert ended.errors == (
        f"{stage.file}:5: factors.buffer_pool.sets: the target 'mysql' is a server that is already "
        "up, and dbdyno may not restart it; use a sqlite, mysql or postgresql target, or vary "
        "load or workload; or give the target commands: {apply: ..., restart: ...}, or "
        "write apply: online\n"
    )
    assert not stage.result.exists()


def test_two_servers_with_different_passwords_are_compared(
    stage: Stage, theirs: Server, tmp_path: Path
) -> None:
    with open_server(MysqlTarget(), "others", tmp_path) as others:
        others.start({})
        stage.write(factors="target: [a, b]", rounds=1)
        targets = (
            f"targets: {{a: {{url: '{theirs.url}'}}, "
            f"b: {{url: '{others.url}', password_env: PASSWORD_OF_B}}}}"
        )
        stage.file.write_text(stage.file.read_text().replace("target: {sqlite: {}}", targets))
        assert theirs.password
        assert others.password
        assert theirs.password != others.password
        refused = stage.run(environment={**password(theirs), "PASSWORD_OF_B": theirs.password})
        assert refused.status == 1
        assert "target b: cannot connect" in refused.errors
        ended = stage.run(environment={**password(theirs), "PASSWORD_OF_B": others.password})
        assert ended.status == 0, ended
        assert stage.statuses() == {1: "completed", 2: "completed"}
        said = "".join((ended.output, ended.errors, refused.output, refused.errors))
        for secret in (theirs.password, others.password):
            assert stage.holds(secret) == []
            assert secret not in said
