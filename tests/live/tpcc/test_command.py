"""``dbdyno check`` as a shell sees it: what it prints and how it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.run.launch import Ended, call
from tests.live.tpcc.conftest import Database, Loaded

pytestmark = pytest.mark.live


def check(*arguments: str, **environment: str) -> Ended:
    return call(["check", *arguments], environment={"COLUMNS": "100"} | environment)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    path = tmp_path_factory.mktemp("command") / "tpcc.db"
    with Database("sqlite", f"sqlite:///{path}").loaded("benchmarksql") as loaded:
        yield loaded


def test_all_conditions_hold(loaded: Loaded) -> None:
    done = check(loaded.database.url)
    assert done.status == 0, done.errors
    lines = done.output.splitlines()
    assert lines[0] == "TPC-C consistency: tables of benchmarksql (bmsql_oorder, …), 2 warehouses"
    rows = [line.split() for line in lines[4:16]]
    assert [(row[0], row[-2]) for row in rows] == [(str(n), "ok") for n in range(1, 13)]
    assert lines[-1] == "All hold."
    assert done.complaints == ""


def test_violations_are_told_with_keys_both_values_and_habit(loaded: Loaded) -> None:
    try:
        loaded.change("UPDATE {warehouse} SET w_ytd = w_ytd + 2700000 WHERE w_id = 2")
        done = check(loaded.database.url)
        part = check(loaded.database.url, "--warehouses", "1", "--cardinality")
    finally:
        loaded.restore()
    assert done.status == 1, done.errors
    words = [line.split() for line in done.output.splitlines()]
    at = words.index(["Condition", "1:", "1", "row", "violates", "it"])
    assert words[at + 1] == ["w_id", "w_ytd", "sum(d_ytd)"]
    key, stored, derived = words[at + 3]
    assert key == "2"
    assert float(stored) - float(derived) == pytest.approx(2_700_000)
    assert "Known: w_ytd is 2,700,000 too large everywhere: Terark's fork" in done.output
    assert done.output.endswith("\nViolated: condition 1, 8.\n")
    assert part.status == 1
    assert "1 warehouse of 2 (1)" in part.output
    assert part.output.endswith("\nViolated: the size of 8 tables.\n")


def test_results_as_json(loaded: Loaded) -> None:
    try:
        loaded.change("UPDATE {customer} SET c_ytd_payment = 0 WHERE c_id = 12")
        done = check(loaded.database.url, "--conditions", "1,10-12", "--json")
    finally:
        loaded.restore()
    assert done.status == 1, done.errors
    said = json.loads(done.output)
    assert said["schema"] == "benchmarksql"
    assert said["warehouses"] == [1, 2]
    assert said["holds"] is False
    results = {result["number"]: result for result in said["results"]}
    assert list(results) == [1, 10, 11, 12]
    assert [result["holds"] for result in results.values()] == [True, True, True, False]
    assert results[12]["violations"] == 4
    assert results[12]["rows"][0][:3] == ["1", "1", "12"]


def test_a_server_that_refuses_a_query_is_a_failure_in_words(loaded: Loaded) -> None:
    try:
        loaded.change("ALTER TABLE {customer} RENAME COLUMN c_balance TO balance")
        done = check(loaded.database.url)
    finally:
        loaded.change("ALTER TABLE {customer} RENAME COLUMN balance TO c_balance")
    assert done.status == 1
    assert done.errors.startswith('"c_balance is what was delivered less what was paid" cannot be')
    assert "no such column: c_balance" in done.errors
    assert "Traceback" not in done.errors


WRONG_CALLS = [
    (("sqlite:///{missing}",), "there is no file {missing}"),
    (("{url}", "--conditions", "0"), "--conditions 0: there is no 0; there are 1 to 12"),
    (("{url}", "--conditions", "1;2"), "--conditions 1;2: '1;2' is no number; write 1-10 or 1,3"),
    (("{url}", "--warehouses", "1-3"), "--warehouses 1-3: there is no 3; there are 1 to 2"),
    (("{url}", "--schema", "spec"), "there is no schema spec; there is benchmarksql"),
    (("oracle://localhost/db",), "URL: unknown scheme 'oracle'"),
    (("mysql://localhost",), "URL: names no database"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_CALLS)
def test_wrong_calls(
    loaded: Loaded, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    names = {"url": loaded.database.url, "missing": str(tmp_path / "none.db")}
    done = check(*(argument.format(**names) for argument in arguments))
    assert done.status == 2
    assert done.errors.startswith(message.format(**names))
    assert done.output == ""
    assert list(tmp_path.iterdir()) == []


def test_a_password_is_taken_from_the_url_or_the_environment_and_never_told() -> None:
    for url, environment in (
        ("mysql://user:geheim@127.0.0.1:1/db", {}),
        ("mysql://user@127.0.0.1:1/db", {"DBDYNO_PASSWORD": "geheim"}),
    ):
        done = check(url, **environment)
        assert done.status == 1
        assert done.errors.startswith("cannot connect to mysql://user@127.0.0.1:1/db: ")
        assert "geheim" not in done.errors
