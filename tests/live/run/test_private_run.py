"""Runs on private servers: stopped, killed, set wrongly, missing."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from tests.live.run.stage import LASTING, PACED, Stage

pytestmark = pytest.mark.live

GENERATOR = "dbdyno.generator"


@dataclass(frozen=True)
class Case:
    """One kind of private server, and experiments on it.

    ``size`` is a setting on which only the settings ``derived`` depend, and ``choice`` one that
    cannot be *sometimes*, as ``refusal`` says. ``server`` is in the command line of a server, and
    of no other program of its kind. Where ``hidden`` is empty, there is no server on this machine:
    ``missing`` begins and ``package`` is in what is said then.
    """

    target: str
    size: str
    sizes: str
    derived: frozenset[str]
    choice: str
    right: str
    refusal: str
    server: str
    hidden: str
    missing: str
    package: str

    def write(self, stage: Stage) -> Stage:
        """Write an experiment of two trials on a private server."""
        factors = f"size: {{sets: server.{self.size}, levels: {self.sizes}}}"
        return stage.write(
            target=self.written, load=PACED, factors=factors, duration=LASTING, rounds=1
        )

    @property
    def written(self) -> str:
        """The target as an experiment file has it."""
        return f"{{{self.target}: {{}}}}"

    @property
    def killed(self) -> str:
        """The reason of a trial whose server was killed."""
        return (
            f"server {self.target} was killed; if nobody did that, the kernel did for want of "
            "memory (look in dmesg)"
        )

    def __str__(self) -> str:
        return self.target


CASES = (
    Case(
        target="mysql",
        size="innodb_buffer_pool_size",
        sizes="[16M, 24M]",
        derived=frozenset(),
        choice="innodb_flush_method",
        right="fsync",
        refusal="Error while setting value 'sometimes' to 'innodb-flush-method'",
        server="--pid-file=",
        hidden="/usr/sbin",
        missing="no mariadbd or mysqld in the PATH (looked in /",
        package="mariadb-server",
    ),
    Case(
        target="postgresql",
        size="shared_buffers",
        sizes="[16MB, 24MB]",
        derived=frozenset({"wal_buffers"}),
        choice="wal_sync_method",
        right="fdatasync",
        refusal='invalid value for parameter "wal_sync_method": "sometimes"',
        server="--listen_addresses=",
        hidden="/usr/lib/postgresql",
        missing="no postgres and initdb in the PATH (looked in /",
        package="postgresql",
    ),
)


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    """Return each kind of server in turn."""
    assert isinstance(request.param, Case)
    return request.param


def generator_plan(stage: Stage, number: int) -> dict[str, Any]:
    path = stage.result / "trials" / f"{number:04d}" / "plan.json"
    plan: dict[str, Any] = json.loads(path.read_text())
    return plan


def test_a_server_that_is_killed_costs_its_trial_alone(stage: Stage, case: Case) -> None:
    running = case.write(stage).launch()
    running.wait_for_load(1)
    passwords = {running.processes(GENERATOR)[0].environ()["DBDYNO_PASSWORD"]}
    running.processes(case.server)[0].kill()
    running.wait_for_load(2)
    passwords |= {running.processes(GENERATOR)[0].environ()["DBDYNO_PASSWORD"]}
    ended = running.end()
    assert ended.status == 1
    assert ended.errors == ""
    assert stage.statuses() == {1: "failed", 2: "completed"}
    assert stage.trial(1)["reason"] == case.killed
    assert case.killed in ended.output
    assert "1 of 2 trials used" in ended.output
    assert len(passwords) == 2
    for password in passwords:
        assert stage.holds(password) == []
        assert password not in ended.output


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], Stage]:
    """Return a result of which no run came to its end but the last: stopped, killed, completed."""

    @cache
    def result(case: Case) -> Stage:
        stage = case.write(Stage(tmp_path_factory.mktemp("disturbed")))
        running = stage.launch()
        running.wait_for_process(case.server)
        running.signal_group(signal.SIGINT)
        stopped = running.end()
        assert stopped.status == 1
        assert stopped.errors.startswith("stopped; what was measured is kept.")
        assert stage.statuses() == {}
        running = stage.launch()
        running.wait_for_load(2)
        assert running.processes(case.server)
        password = running.processes(GENERATOR)[0].environ()["DBDYNO_PASSWORD"]
        running.signal(signal.SIGKILL)
        running.end(leaves=True)
        assert (stage.result / "work" / case.target / "data").exists()
        assert stage.holds(password) == []
        assert stage.statuses() == {1: "completed"}
        ended = stage.run()
        assert ended.status == 0, ended
        assert ended.trials("trial_started") == [2]
        return stage

    return result


def test_stopped_and_killed_it_still_comes_to_its_end(
    disturbed: Callable[[Case], Stage], case: Case
) -> None:
    stage = disturbed(case)
    assert stage.statuses() == {1: "completed", 2: "completed"}
    assert stage.trial(2, ".superseded-1")["status"] == "interrupted"
    assert not (stage.result / "work").exists()


def test_two_cells_are_asked_the_same_but_for_the_port(
    disturbed: Callable[[Case], Stage], case: Case
) -> None:
    stage = disturbed(case)
    plans = [generator_plan(stage, number) for number in (1, 2)]
    urls = [plan.pop("url") for plan in plans]
    assert plans[0] == plans[1]
    assert [url.rpartition(":")[0] for url in urls] == [f"{case.target}://dbdyno@127.0.0.1"] * 2
    settings = [stage.trial(number)["server"]["settings"] for number in (1, 2)]
    differing = {name for name in settings[0] if settings[0][name] != settings[1].get(name)}
    assert differing == case.derived | {case.size}


def test_a_setting_that_the_server_refuses_costs_its_cell_alone(stage: Stage, case: Case) -> None:
    factors = f"choice: {{sets: server.{case.choice}, levels: [{case.right}, sometimes]}}"
    ended = stage.write(target=case.written, factors=factors, rounds=1).run()
    assert ended.status == 1
    trials = [stage.trial(number) for number in (1, 2)]
    by_cell = {(trial["cell"]["choice"], trial["status"]) for trial in trials}
    assert by_cell == {(case.right, "completed"), ("sometimes", "interrupted")}
    assert "it could not begin: " in ended.output
    assert case.refusal in ended.output


def test_a_server_that_is_not_installed(stage: Stage, case: Case) -> None:
    hide = f'mount -t tmpfs tmpfs {case.hidden} && exec "$@"'
    wrapper = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", hide, "sh"]
    ended = stage.write(target=case.written).launch(wrapper=wrapper).end()
    assert ended.status == 2, ended
    assert ended.errors.startswith(case.missing)
    assert ended.errors.endswith(
        f"install a server (in Debian and Ubuntu the package {case.package}), or set basedir to "
        "where one is installed\n"
    )


def test_a_machine_whose_name_nobody_knows(stage: Stage, case: Case) -> None:
    """Containers may be so: MariaDB's installer looks its own host up, unless it is forced."""
    forget = "hostname nobody-knows && mount --bind /dev/null /etc/hosts"
    unshare = ["unshare", *(["--user", "--map-root-user"] if os.geteuid() else [])]
    wrapper = [*unshare, "--uts", "--mount", "sh", "-c", f'{forget} && exec "$@"', "sh"]
    stage.write(target=case.written, factors="clients: [1]", rounds=1)
    ended = stage.launch(wrapper=wrapper).end()
    assert ended.status == 0, ended
