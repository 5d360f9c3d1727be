"""Statements that a person wrote are read by the servers before anything is measured."""

from __future__ import annotations

import json

import pytest

from tests.live.run.launch import Ended
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

EXPERIMENT = """\
experiment: written
question: Does another client help?
{targets}
workload:
  {kind}:
    setup:
      - {create}
      - {{fill: t, rows: 100, columns: {{id: {{sequence: 1}}, v: [1, 10]}}}}
    checks: {{{check}: 100}}
    {transactions}
load: {{protocol: {protocol}}}
factors: {{{factors}}}
procedure: {{warmup: 0.1s, duration: 0.3s, interval: 0.1s, rounds: 2{procedure}}}
"""
CREATE = "CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER)"
COUNT = "SELECT COUNT(*) FROM t"
TARGETS = {name: f"target: {{{name}: {{}}}}" for name in ("sqlite", "mysql", "postgresql")}
TWO = "targets: {lite: {sqlite: {}}, post: {postgresql: {}}}"
KEY = "{k: [1, 100]}"
READ = "SELECT v FROM t WHERE id = :k"


def written(stage: Stage, *statements: str, **changes: str) -> Stage:
    listed = ", ".join(json.dumps(statement) for statement in statements)
    given = {
        "targets": TARGETS["sqlite"],
        "kind": "sql",
        "create": CREATE,
        "check": COUNT,
        "transactions": f"transactions: {{one: [{listed}]}}\n    variables: {KEY}",
        "protocol": "prepared",
        "factors": "clients: [1, 2]",
        "procedure": "",
    }
    stage.file.write_text(EXPERIMENT.format(**given | changes))
    return stage


def refused_before_a_trial(stage: Stage, ended: Ended, words: str) -> None:
    assert ended.status == 2, ended
    assert ended.errors.startswith(f"{stage.file}:")
    assert words in ended.errors
    assert ended.errors.count("\n") == 1
    assert "trials used" not in ended.output
    assert list(stage.result.iterdir()) == []


@pytest.mark.parametrize(
    ("target", "protocol", "statement", "words"),
    [
        ("sqlite", "prepared", "SELECT w FROM t WHERE id = :k", "no such column: w"),
        ("sqlite", "text", "SELEC v FROM t WHERE id = :k", "syntax error"),
        ("mysql", "prepared", "SELECT v FROM tt WHERE id = :k", "tt' doesn't exist"),
        ("mysql", "text", "UPDATE t SET w = 1 WHERE id = :k", "Unknown column 'w'"),
        ("mysql", "multi", "SELEC v FROM t WHERE id = :k", "error in your SQL syntax"),
        ("postgresql", "prepared", "SELECT w FROM t WHERE id = :k", '"w" does not exist'),
        ("postgresql", "text", "SELECT v FROM t WHER id = :k", "syntax error"),
        ("postgresql", "multi", "SELECT v FROM tt WHERE id = :k", '"tt" does not exist'),
    ],
)
def test_a_statement_that_a_server_refuses_ends_the_run_before_the_first_trial(
    stage: Stage, target: str, protocol: str, statement: str, words: str
) -> None:
    written(stage, READ, statement, targets=TARGETS[target], protocol=protocol)
    ended = stage.run()
    refused_before_a_trial(stage, ended, words)
    assert statement.split(" = :k", maxsplit=1)[0] in ended.errors


@pytest.mark.parametrize("start", ["snapshot", "reload", "continue"])
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"create": "CREATE TABLE t (id INTEGER DEFAULT, v INTEGER)"}, "syntax error"),
        ({"create": "CREATE TABLE t (id INTEGER, w INTEGER)"}, "no column named v"),
        ({"check": "SELECT COUNT(*) FORM t"}, "syntax error"),
        (
            {"kind": "pgbench", "transactions": "scripts: [mine.sql]"},
            "no such column: w",
        ),
    ],
)
def test_so_does_one_of_the_set_up_of_a_check_and_of_a_script(
    stage: Stage, changes: dict[str, str], words: str, start: str
) -> None:
    (stage.directory / "mine.sql").write_text("\\set k 1\nSELECT w FROM t WHERE id = :k;\n")
    written(stage, READ, **changes, procedure=f", start: {start}")
    refused_before_a_trial(stage, stage.run(), words)


def test_each_of_two_servers_reads_them_before_the_first_trial(stage: Stage) -> None:
    only_sqlite = "UPDATE t SET v = v + 1 WHERE id = :k LIMIT 1"
    written(stage, only_sqlite, targets=TWO, factors="target: [lite, post]")
    refused_before_a_trial(stage, stage.run(), "target post: ")


@pytest.mark.parametrize("target", ["mysql", "postgresql"])
def test_what_only_text_can_say_is_left_to_text(stage: Stage, target: str) -> None:
    """The difference of two parameters has no type, and what a statement makes is not there yet."""
    make = "CREATE TEMPORARY TABLE IF NOT EXISTS own (id INTEGER)"
    use = "INSERT INTO own VALUES (:k)"
    for statements in ([READ, "SELECT :k - :k"], ["BEGIN", make, use, "SAVEPOINT s", "COMMIT"]):
        only_as_text(Stage(stage.directory / statements[0].split()[0]), target, statements)


def only_as_text(stage: Stage, target: str, statements: list[str]) -> None:
    stage.directory.mkdir()
    written(stage, *statements, targets=TARGETS[target], protocol="text", factors="clients: [1]")
    ended = stage.run()
    assert ended.status == 0, ended
    assert set(stage.statuses().values()) == {"completed"}
