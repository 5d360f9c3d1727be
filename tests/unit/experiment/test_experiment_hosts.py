"""URLs of one host and of several, and the sections that say how connections are used."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.database.hosts import single_host_urls, take_apart
from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.model import Experiment
from dbdyno.target.url.host_description import ABSENT, differing

HEAD = "experiment: e\nquestion: Which?\nworkload: {sysbench: {}}\n"


def read(text: str, directory: Path) -> Experiment:
    path = directory / "experiment.yaml"
    path.write_text(HEAD + text)
    return read_experiment(path)


@pytest.mark.parametrize(
    ("url", "singles"),
    [
        ("mysql://u@h:3306/db", ["mysql://u@h:3306/db"]),
        (
            "mysql://u@h1,h2:3307,[::1]:3308/db?load_balance=random",
            [
                f"mysql://u@{host}/db?load_balance=random"
                for host in ("h1", "h2:3307", "[::1]:3308")
            ],
        ),
        ("postgresql://h1,h2", ["postgresql://h1", "postgresql://h2"]),
        (
            "mysql:///db?socket=/a,/b%2Cc&ssl_mode=disabled",
            [f"mysql:///db?socket={path}&ssl_mode=disabled" for path in ("/a", "/b%2Cc")],
        ),
        ("mysql://u:a,b@h1,h2/db", ["mysql://u:a,b@h1/db", "mysql://u:a,b@h2/db"]),
        ("mysql://u@h/db?load_balance_socket=x", ["mysql://u@h/db?load_balance_socket=x"]),
    ],
)
def test_each_host_has_a_url_of_its_own(url: str, singles: list[str]) -> None:
    assert list(single_host_urls(url)) == singles
    parts = take_apart(url)
    assert parts.with_hosts(parts.hosts) == url


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u@h1:3306,h2:3307/db",
        "mysql://u@h1,[::1]:3307,[fe80::2]/db?load_balance=least_connections",
        "postgresql://h1,h2/db?load_balance_hosts=disable",
        "mysql:///db?socket=/run/a.sock,/run/b.sock",
        "mysql://h/db?load_balance=round-robin",
    ],
)
def test_several_hosts_that_are_right(url: str, tmp_path: Path) -> None:
    (target,) = read(f"target: {{url: '{url}'}}", tmp_path).targets.values()
    assert target.model_dump() == {
        "url": url,
        "password_env": "DBDYNO_PASSWORD",
        "nodes": (),
        "nodes_password_env": "DBDYNO_PASSWORD",
    }


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://h1,,h2/db", "one of several hosts is empty; write them as host1:3306,host2:3307"),
        ("mysql://h1,h2:x/db", "the port of h2 is not a number from 1 to 65535"),
        ("mysql://h1,h1:3306/db", "names the host h1:3306 twice; name each host once"),
        ("postgresql://h1,h1:5432/db", "names the host h1:5432 twice; name each host once"),
        ("mysql:///db?socket=/a,/a", "names the host /a twice; name each host once"),
        (
            "mysql://h1,::1/db",
            "has a host that is none; write host:port, or [address]:port for IPv6",
        ),
        (
            "mysql://h1,h2/db?load_balance=least_connection",
            "load_balance is 'least_connection'; did you mean 'least_connections'?",
        ),
        (
            "mysql://h1,h2/db?load_balance=xyz",
            "load_balance is 'xyz'; known: round_robin, random, least_connections, disabled",
        ),
    ],
)
def test_hosts_that_cannot_be(url: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as refusal:
        read(f"target: {{url: '{url}'}}", tmp_path)
    assert str(refusal.value).endswith(f"target.url: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("load: {protocol: multi}", "load.protocol: multi saves round trips, and SQLite has none"),
        ("session: {autocommit: false}", "session.autocommit: SQLite commits what stands outside"),
        ("session: {isolation: read_committed}", "never read_committed; leave it out"),
        ("factors: {isolation: [serializable, read_committed]}", "factors.isolation: SQLite's"),
        ("session: {isolation: snapshot}", "session.isolation: 'snapshot' is not a choice"),
        ("session: {reconnect: -1}", "session.reconnect: "),
        ("isolation: serializable", "belongs under session; write session: {isolation: ...}"),
        (
            "session: {isolation: serializable}\nfactors: {isolation: [serializable]}",
            "varies session.isolation, which is fixed in session",
        ),
        ("generators: [{wait: 20000us}]", "generators[0].wait: "),
    ],
)
def test_sessions_that_cannot_be(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as refusal:
        read(f"target: {{sqlite: {{}}}}\n{text}", tmp_path)
    assert message in str(refusal.value)


def test_sessions_reach_the_plan_as_options_and_as_factors(tmp_path: Path) -> None:
    text = """
target: {mysql: {}}
factors:
  isolation: [read_committed, serializable]
  kept: {sets: session.reconnect, levels: [0, 1]}
session: {autocommit: false}
generators: [{wait: 50us}]
procedure: {rounds: 1}
"""
    plans = [trial.generator_plan for trial in make_plan(read(text, tmp_path)).trials]
    assert [plan.session.isolation for plan in plans].count("serializable") == 2
    assert {plan.session.reconnect for plan in plans} == {0, 1}
    assert all(plan.session.autocommit is False for plan in plans)
    assert {plan.wait for plan in plans} == {"50us"}


@pytest.mark.parametrize(
    ("target", "generator", "placement"),
    [
        ("{mysql: {}}", "", "same_cpus"),
        ("{url: 'mysql://root@127.0.0.1:1/test'}", "", "unknown"),
        ("{url: 'mysql://root@192.0.2.1/test'}", "", "elsewhere"),
        ("{mysql: {cpus: 0}}", "generators: [{cpus: 0}]", "same_cpus"),
        ("{mysql: {cpus: 0}}", "generators: [{cpus: 1}]", "other_cpus"),
        ("{mysql: {}}", "generators: [{cpus: 1}]", "same_cpus"),
        ("{mysql: {}}", "generators: [{host: load1}]", "elsewhere"),
    ],
)
def test_where_the_server_runs_is_known_from_masks_and_addresses(
    target: str, generator: str, placement: str, tmp_path: Path
) -> None:
    text = f"target: {target}\n{generator}\nprocedure: {{rounds: 1, start: continue}}"
    (trial,) = make_plan(read(text, tmp_path)).trials
    assert trial.generator_plan.placement == placement


@pytest.mark.parametrize(
    ("workload", "text", "autocommit"),
    [
        ("{tpcc: {}}", "target: {mysql: {}}", False),
        ("{tpcc: {}}", "target: {mysql: {}}\nsession: {autocommit: true}", True),
        ("{tpcc: {}}", "target: {sqlite: {}}", True),
        ("{sysbench: {}}", "target: {mysql: {}}", True),
    ],
)
def test_tpcc_goes_without_autocommit_as_its_other_tools_do(
    workload: str, text: str, autocommit: bool, tmp_path: Path
) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(f"experiment: e\nquestion: Which?\nworkload: {workload}\n{text}\n")
    (trial, *_) = make_plan(read_experiment(path)).trials
    assert trial.generator_plan.session.autocommit is autocommit


def test_hosts_differ_in_what_is_not_the_same_for_all() -> None:
    facts = {"h1": {"a": "1", "b": "x"}, "h2": {"a": "1", "b": "y", "c": "z"}}
    assert differing(facts) == {
        "b": {"h1": "x", "h2": "y"},
        "c": {"h1": ABSENT, "h2": "z"},
    }
    assert differing({"h1": {"a": "1"}}) == {}
