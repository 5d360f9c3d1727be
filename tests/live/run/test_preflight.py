"""What would end a run in its middle is told before anything is loaded, all of it together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbdyno.experiment.file.target import MysqlTarget
from dbdyno.target.opening import open_server
from tests.live.run.launch import call
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

TARGETS = """\
targets:
  nobody: {url: 'mysql://root@127.0.0.1:1/test'}
  nowhere: {mysql: {basedir: /nonexistent}}
  pinned: {postgresql: {cpus: 4000}}
  right: {sqlite: {}}
factors: {target: [right, nobody, nowhere, pinned]}
generators: [{cpus: 4001}]
"""
ALL = (
    "generators: cpus: this machine lets dbdyno use the CPUs",
    "target nobody: cannot connect to mysql://root@127.0.0.1:1/test",
    "target nowhere: no mariadbd or mysqld in /nonexistent",
    "target pinned: cpus: this machine lets dbdyno use the CPUs",
)


@pytest.fixture
def wrong(stage: Stage) -> Stage:
    """Return an experiment with one target that is right, and four things that are not."""
    lines = stage.write(procedure="start: reload").file.read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("target:", "factors:"))]
    stage.file.write_text("\n".join(kept) + "\n" + TARGETS)
    return stage


def test_all_is_told_at_once_and_nothing_is_left(wrong: Stage) -> None:
    ended = wrong.run()
    assert ended.status == 2
    assert ended.errors.startswith("4 things are in the way, and nothing was started:\n  - ")
    for problem in ALL:
        assert f"\n  - {problem}" in ended.errors
    assert list(wrong.result.iterdir()) == []


def test_plan_shows_it(wrong: Stage) -> None:
    ended = call(["plan", wrong.file])
    assert ended.status == 2
    assert all(f"Problem: {problem}" in ended.output for problem in ALL)
    problems = json.loads(call(["plan", wrong.file, "--json"]).output)["problems"]
    assert len(problems) == len(ALL)


def test_settings_that_one_version_does_not_know_are_told_before_the_first_trial(
    stage: Stage,
) -> None:
    lines = stage.write(rounds=1).file.read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("target:", "factors:"))]
    targets = (
        "targets: {maria: {mysql: {}}, postgres: {postgresql: {}}}\n"
        "factors:\n"
        "  target: [maria, postgres]\n"
        "  depth: {sets: server.innodb_lru_scan_depth, levels: [100, 200]}\n"
    )
    stage.file.write_text("\n".join([*kept, targets]))
    told = "target postgres: PostgreSQL "
    why = 'does not take the settings: unrecognized configuration parameter "innodb_lru_scan_depth'
    planned = call(["plan", stage.file])
    assert planned.status == 1
    assert f"Problem: {told}" in planned.output
    assert why in planned.output
    looked_at = call(["doctor", stage.file])
    assert looked_at.status == 1
    assert told in looked_at.output
    ended = stage.run()
    assert ended.status == 1
    before, _, after = ended.output.partition("maria, depth=")
    assert f"WARNING: {told}" in before
    assert why in before
    assert "it could not begin: " in after
    assert sorted(stage.statuses().values()) == [*["completed"] * 2, *["interrupted"] * 2]


def test_cpus_that_do_not_exist_are_refused(stage: Stage) -> None:
    stage.file.write_text(stage.file.read_text() + "generators: [{cpus: 4001}]\n")
    ended = stage.run()
    assert ended.status == 2
    assert ended.errors.startswith("generators: cpus: this machine lets dbdyno use the CPUs ")
    assert ended.errors.endswith("and not 4001\n")


def test_tables_that_do_not_fit_are_refused(stage: Stage) -> None:
    ended = stage.write(table_size=2_000_000_000).run()
    assert ended.status == 1
    assert "loading the tables takes 980.00 GB, and " in ended.errors


def test_what_is_measured_before_the_file_turns_wrong_is_reported(
    stage: Stage, tmp_path: Path
) -> None:
    """An option file that only its server can judge ends the run when target 2 is to start."""
    options = tmp_path / "my.cnf"
    options.write_text("[mysqld]\nno_such_setting_at_all = 1\n")
    lines = stage.write(rounds=1).file.read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("target:", "factors:"))]
    targets = f"targets: {{a: {{sqlite: {{}}}}, b: {{mysql: {{option_file: '{options}'}}}}}}"
    stage.file.write_text("\n".join([*kept, targets, "factors: {target: [a, b]}", ""]))
    ended = stage.run()
    assert ended.status == 1
    assert set(stage.statuses().values()) == {"completed", "interrupted"}
    assert (stage.result / "report.html").exists()
    assert "no_such_setting_at_all" in ended.output + ended.errors


def test_the_doctor_looks_at_a_file(wrong: Stage) -> None:
    ended = call(["doctor", wrong.file, "--json"])
    assert ended.status == 1
    checks = json.loads(ended.output)
    found = [check["found"] for check in checks if check["name"] == "preflight"]
    assert all(any(text.startswith(problem) for text in found) for problem in ALL)


def test_the_doctor_looks_at_a_server(tmp_path: Path) -> None:
    with open_server(MysqlTarget(), "theirs", tmp_path) as server:
        server.start({"general_log": "ON", "max_connections": "50"})
        environment = {"DBDYNO_PASSWORD": server.password or ""}
        ended = call(["doctor", server.url, "--clients", "46", "--json"], environment=environment)
        checks = {check["name"]: check["status"] for check in json.loads(ended.output)}
        assert ended.status == 1
        assert checks["server: sign-on"] == "ok"
        assert checks["server: place"] == "warn"
        assert checks["server: general_log"] == "warn"
        assert checks["server: max_connections"] == "fail"
        refused = call(["doctor", server.url], environment={"DBDYNO_PASSWORD": "wrong"})
        assert refused.status == 1
        assert "fail  server: sign-on: cannot connect to" in refused.output


COMMANDED = """\
target:
  url: mysql://root@127.0.0.1:1/test
  commands: {{restart: "{restart}", describe: no-such-program display}}
generators: [{{host: no-such-host.invalid{way}}}]
"""
WATCHED = "\nwatch: {{hosts: [no-such-host.invalid, localhost]{ssh}}}\n"


def test_programs_of_commands_and_hosts_of_generators_that_are_not_there(stage: Stage) -> None:
    lines = stage.write(procedure="start: reload").file.read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("target:", "factors:", "generators:"))]
    script = stage.file.parent / "restart.sh"

    def problems(restart: str, way: str = "", more: str = "") -> list[str]:
        text = COMMANDED.format(restart=restart, way=way) + more
        stage.file.write_text("\n".join([*kept, text]))
        planned = json.loads(call(["plan", stage.file, "--json"]).output)
        told: list[str] = planned["problems"]
        return told

    unknown, no_script, no_program = problems("./restart.sh --now")
    assert unknown == (
        "generators: no address is known here of no-such-host.invalid; name them in ~/.ssh/config"
    )
    assert no_script.endswith(f"its command restart cannot run: no program at {script}")
    assert no_program.endswith("its command describe cannot run: no no-such-program on the PATH")
    script.write_text("#!/bin/sh\n")
    assert no_script in problems("./restart.sh --now")  # It is no program yet.
    script.chmod(0o700)
    assert problems("./restart.sh --now") == [unknown, no_program]
    watch = "watch: no address is known here of no-such-host.invalid; name them in ~/.ssh/config"
    assert problems("./restart.sh", more=WATCHED.format(ssh="")) == [unknown, watch, no_program]
    assert problems("./restart.sh", more=WATCHED.format(ssh=", ssh: jump")) == [unknown, no_program]
    # What leads to a host by other means than its name is nobody's to judge.
    other = ", command: 'ssh -o ProxyCommand=none -J jump {host}'"
    assert problems("./restart.sh", other) == [no_program]
    assert problems("./restart.sh", ", command: 'sh -c exit {host}'") == [no_program]
