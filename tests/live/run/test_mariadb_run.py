"""Runs on private MariaDB servers: stopped, killed, set wrongly, missing."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

BUFFER_POOL = "buffer_pool: {sets: server.innodb_buffer_pool_size, levels: [16M, 24M]}"
KILLED = (
    "server mysql was killed; if nobody did that, the kernel did for want of memory (look in dmesg)"
)
SERVER, GENERATOR = "mariadbd", "dbdyno.generator"


def write(stage: Stage) -> Stage:
    """Write an experiment of two trials on a private server."""
    return stage.write(target="{mysql: {}}", factors=BUFFER_POOL, duration="1.5s", rounds=1)


def generator_plan(stage: Stage, number: int) -> dict[str, Any]:
    path = stage.result / "trials" / f"{number:04d}" / "plan.json"
    plan: dict[str, Any] = json.loads(path.read_text())
    return plan


def test_a_server_that_is_killed_costs_its_trial_alone(stage: Stage) -> None:
    mariadb = write(stage)
    running = mariadb.launch()
    running.wait_for_load(1)
    passwords = {running.processes(GENERATOR)[0].environ()["DBDYNO_PASSWORD"]}
    running.processes(SERVER)[0].kill()
    running.wait_for_load(2)
    passwords |= {running.processes(GENERATOR)[0].environ()["DBDYNO_PASSWORD"]}
    ended = running.end()
    assert ended.status == 1
    assert ended.errors == ""
    assert mariadb.statuses() == {1: "failed", 2: "completed"}
    assert mariadb.trial(1)["reason"] == KILLED
    assert KILLED in ended.output
    assert "1 of 2 trials used" in ended.output
    assert len(passwords) == 2
    for password in passwords:
        assert mariadb.holds(password) == []
        assert password not in ended.output


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """Return a result of which no run came to its end but the last: stopped, killed, completed."""
    mariadb = write(Stage(tmp_path_factory.mktemp("disturbed")))
    running = mariadb.launch()
    running.wait_for_process("--pid-file=")
    running.signal_group(signal.SIGINT)
    stopped = running.end()
    assert stopped.status == 1
    assert stopped.errors.startswith("stopped; what was measured is kept.")
    assert mariadb.statuses() == {}
    running = mariadb.launch()
    running.wait_for_load(2)
    assert running.processes(SERVER)
    password = running.processes(GENERATOR)[0].environ()["DBDYNO_PASSWORD"]
    running.signal(signal.SIGKILL)
    running.end(leaves=True)
    assert (mariadb.result / "work" / "mysql" / "data").exists()
    assert mariadb.holds(password) == []
    assert mariadb.statuses() == {1: "completed"}
    ended = mariadb.run()
    assert ended.status == 0, ended
    assert ended.trials("trial_started") == [2]
    return mariadb


def test_stopped_and_killed_it_still_comes_to_its_end(disturbed: Stage) -> None:
    assert disturbed.statuses() == {1: "completed", 2: "completed"}
    assert disturbed.trial(2, ".superseded-1")["status"] == "interrupted"
    assert not (disturbed.result / "work").exists()


def test_two_cells_are_asked_the_same_but_for_the_port(disturbed: Stage) -> None:
    plans = [generator_plan(disturbed, number) for number in (1, 2)]
    urls = [plan.pop("url") for plan in plans]
    assert plans[0] == plans[1]
    assert [url.rpartition(":")[0] for url in urls] == ["mysql://dbdyno@127.0.0.1"] * 2
    settings = [disturbed.trial(number)["server"]["settings"] for number in (1, 2)]
    differing = {name for name in settings[0] if settings[0][name] != settings[1].get(name)}
    assert differing == {"innodb_buffer_pool_size"}


def test_a_setting_that_the_server_refuses_costs_its_cell_alone(stage: Stage) -> None:
    flush_method = "flush_method: {sets: server.innodb_flush_method, levels: [fsync, sometimes]}"
    ended = stage.write(target="{mysql: {}}", factors=flush_method, rounds=2).run()
    assert ended.status == 1
    by_cell = {
        (trial["cell"]["flush_method"], trial["status"]) for trial in map(stage.trial, range(1, 5))
    }
    assert by_cell == {("fsync", "completed"), ("sometimes", "interrupted")}
    assert "it could not begin: server mysql ended by itself" in ended.output
    assert "Error while setting value 'sometimes' to 'innodb-flush-method'" in ended.output


def test_a_server_that_is_not_installed(stage: Stage) -> None:
    hide = 'mount -t tmpfs tmpfs /usr/sbin && exec "$@"'
    wrapper = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", hide, "sh"]
    running = stage.write(target="{mysql: {}}").launch(wrapper=wrapper)
    ended = running.end()
    assert ended.status == 2, ended
    assert ended.errors.startswith("no mariadbd or mysqld in the PATH (looked in /")
    assert ended.errors.endswith(
        "install a server (in Debian and Ubuntu the package mariadb-server), or set basedir to "
        "where one is installed\n"
    )
