"""``dbdyno tpcc acid`` on real servers: what each level lets be seen is told, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.tpcc.acid import scenario
from dbdyno.tpcc.acid.check import Target, check_acid, effective_isolation
from dbdyno.tpcc.acid.dialect import DIALECTS
from dbdyno.tpcc.acid.result import AcidResult, Verdict
from dbdyno.tpcc.check import check_consistency
from dbdyno.tpcc.schema import find_schema
from tests.live.tpcc_commands.conftest import Place, dbdyno, must

pytestmark = pytest.mark.live

WAIT_S = 0.5
LONG_WAIT_S = 4.0
"""On a busy machine a statement that waits for nobody may take longer than the shorter one."""
DIRTY = {"3.4.2.1", "3.4.2.2"}
"""The tests that fail where a transaction reads what another has not committed."""
CHANGING = {"3.4.2.7", "3.4.2.8", "3.4.2.9"}
"""Those that fail where it reads what others have committed since it began."""

FAILING = {
    "mysql": {
        "read_uncommitted": DIRTY | CHANGING,
        "repeatable_read": set[str](),
        "serializable": set[str](),
    },
    "postgresql": {
        "read_committed": CHANGING,
        "repeatable_read": set[str](),
        "serializable": set[str](),
    },
}


def acid(
    url: str, kind: str, isolation: str | None = None, wait_s: float = WAIT_S
) -> list[AcidResult]:
    with open_session(url, None) as session:
        schema = find_schema(session, kind)
    return check_acid(Target(url, None, schema, isolation, wait_s), lambda _: None)


def clauses(results: list[AcidResult], verdict: Verdict) -> set[str]:
    return {result.test.clause for result in results if result.verdict is verdict}


def said(results: list[AcidResult], clause: str) -> str:
    return "\n".join(
        f"{step.who} {step.said}"
        for result in results
        if result.test.clause == clause
        for step in result.steps
    )


def undone(url: str) -> list[tuple[str | None, ...]]:
    """Return what the tests change and change back: prices, and new orders of the load."""
    with open_session(url, None) as session:
        return session.query(
            "SELECT SUM(i_price), (SELECT COUNT(*) FROM new_order WHERE no_o_id <= 3000) FROM item"
        )


def violated(url: str, kind: str) -> list[int | None]:
    with open_session(url, None) as session:
        schema = find_schema(session, kind)
    results = check_consistency(lambda: open_session(url, None), schema, [1])
    return [result.number for result in results if not result.holds]


def test_each_level_fails_where_it_allows_the_phenomenon(loaded: Place) -> None:
    kind, url = loaded.server.scheme, loaded.url
    steps = ""
    for level, failing in FAILING[kind].items():
        for wait_s in (WAIT_S, LONG_WAIT_S):
            ((prices, new_orders),) = undone(url)
            results = acid(url, kind, level, wait_s)
            undecided = clauses(results, Verdict.UNDECIDED)
            if clauses(results, Verdict.FAILED) == failing and not undecided:
                break
        assert clauses(results, Verdict.FAILED) == failing, level
        assert clauses(results, Verdict.UNDECIDED) == set(), level
        # Test 5 delivers one order for good.
        assert undone(url) == [(prices, str(int(new_orders or 0) - 1))]
        steps = said(results, "3.4.2.1") + said(results, "3.4.2.3")
    assert violated(url, kind) == []
    # Those of the last level, serializable: the one aborts, the other locks.
    assert "T2 New-Order for him, waits\nT1 COMMIT\nT2 goes on, " in steps
    if kind == "postgresql":
        assert "(SQLSTATE 40001)\nT2 New-Order for him once more, COMMIT: order 300" in steps
    else:
        assert "T2 Order-Status for him, waits\nT1 COMMIT\nT2 goes on, COMMIT: order 300" in steps


def test_the_command_tells_level_verdicts_and_status(sqlite: str) -> None:
    failed = dbdyno("tpcc", "acid", sqlite, "--isolation", "read-committed")
    assert failed.status == 2
    assert failed.errors == (
        "SQLite's transactions are serializable, never read_committed; leave it out\n"
    )
    text = must("tpcc", "acid", sqlite, "--wait", str(WAIT_S)).output
    assert "tables of benchmarksql (bmsql_oorder, …) on sqlite" in text
    assert "isolation serializable, the server's default\n" in text
    assert "\npassed    3.4.2.9  Order-Status finds the last order" in text
    assert "All 13 hold at isolation serializable.\n" in text
    must("tpcc", "check", sqlite)


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a file with a warehouse in BenchmarkSQL's tables."""
    url = f"sqlite:///{tmp_path_factory.mktemp('acid') / 'tpcc.db'}"
    must("tpcc", "load", url, "--schema", "benchmarksql")
    return url


def test_a_document_in_place_of_text(sqlite: str) -> None:
    # Readers and a writer go on beside each other in a write-ahead log.
    # A slow disk would be taken for a wait.
    url = f"{sqlite}?journal_mode=wal&synchronous=off"
    document = json.loads(must("tpcc", "acid", url, "--wait", str(WAIT_S), "--json").output)
    assert document["isolation"] == "serializable"
    assert document["holds"] is True
    assert len(document["tests"]) == 13
    last = document["tests"][-1]
    assert (last["clause"], last["verdict"]) == ("3.4.2.9", "passed")
    assert "T1 read what was there at its beginning" in last["reason"]
    assert {"who": "T1", "said": "COMMIT"} in last["steps"]


A_PART = {
    "warehouse": "w_id = 1",
    "district": "d_id = 1",
    "customer": "c_d_id = 1",
    "history": "h_d_id = 1",
    "new_order": "no_d_id = 1",
    "orders": "o_d_id = 1",
    "order_line": "ol_d_id = 1",
    "item": "i_id <= 100",
    "stock": "s_i_id <= 100",
}
"""One district, and some items."""


@pytest.fixture
def myisam(loaded: Place) -> Iterator[str]:
    """Return a part of the tables in an engine without transactions; no payment is kept in one."""
    url = loaded.url.replace("/test", "/untransacted")
    loaded.query("CREATE DATABASE untransacted")
    with open_session(url, None) as session:
        for table, part in A_PART.items():
            session.query(f"CREATE TABLE {table} LIKE test.{table}")
            session.query(f"ALTER TABLE {table} ENGINE=MyISAM")
            session.query(f"INSERT INTO {table} SELECT * FROM test.{table} WHERE {part}")
        session.query(
            "CREATE TRIGGER t BEFORE UPDATE ON warehouse FOR EACH ROW SET NEW.w_ytd = OLD.w_ytd"
        )
    yield url
    loaded.query("DROP DATABASE untransacted")


@pytest.mark.parametrize("loaded", ["mariadb"], indirect=True)
def test_each_test_fails_on_tables_without_transactions(myisam: str) -> None:
    results = acid(myisam, "mysql", "serializable")
    assert [result.verdict for result in results] == [Verdict.FAILED] * 13


@pytest.mark.parametrize("loaded", ["postgresql"], indirect=True)
def test_what_others_hold_up_is_not_decided(loaded: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenario, "ANSWER_LIMIT_S", 0.5)
    ((prices, new_orders),) = undone(loaded.url)
    other = Session.connect(loaded.url)
    try:
        other.query("BEGIN")
        other.query("SELECT * FROM district FOR UPDATE")
        results = acid(loaded.url, "postgresql", "serializable")
    finally:
        other.close()
    assert {result.verdict for result in results} == {Verdict.UNDECIDED}
    assert {result.reason for result in results} == {
        "T1 waits for longer than 0.5 s",
        "T2 still waits 0.5 s after nothing held it up",
    }
    assert undone(loaded.url) == [(prices, str(int(new_orders or 0) - 1))]
    assert violated(loaded.url, "postgresql") == []


@pytest.mark.parametrize("loaded", ["mariadb"], indirect=True)
def test_a_level_that_is_taken_and_not_run_is_noticed(
    loaded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A layer may acknowledge SET and do nothing."""
    monkeypatch.setitem(DIALECTS, "mysql", replace(DIALECTS["mysql"], isolation="DO '{}'"))
    with open_session(loaded.url, None) as session:
        schema = find_schema(session, "mysql")
    message = "isolation serializable was asked for, and the server runs repeatable_read"
    with pytest.raises(RunError, match=message):
        effective_isolation(Target(loaded.url, None, schema, "serializable", WAIT_S))


WRONG_CALLS = [
    (("{url}", "--isolation", "snapshot"), "--isolation: 'snapshot' is not known"),
    (("{url}", "--schema", "tpcc-mysql"), "there is no schema tpcc_mysql; there is benchmarksql"),
    (("sqlite:///{missing}",), "there is no file {missing}"),
    (("sqlite:///{empty}",), "there are no TPC-C tables"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_CALLS)
def test_wrong_calls(sqlite: str, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "empty").touch()
    names = {"url": sqlite, "missing": tmp_path / "none", "empty": tmp_path / "empty"}
    done = dbdyno("tpcc", "acid", *(argument.format(**names) for argument in arguments))
    assert done.status == 2
    assert done.errors.startswith(message.format(**names))
    assert done.output == ""
