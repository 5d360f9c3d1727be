"""What a call of pgbench's form is read as, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.pgbench.address import read_address
from dbdyno.peers.pgbench.arguments import read_arguments
from dbdyno.peers.pgbench.request import Request, read_request
from dbdyno.peers.pgbench.text import kinds

VARIABLES = ("PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGPASSWORD", "PGSSLMODE", "PGPASSFILE")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Have no variable of PostgreSQL's set, nor a file of passwords."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PGHOST", "db1")
    monkeypatch.setenv("PGUSER", "me")


@pytest.mark.parametrize(
    ("words", "url"),
    [
        ("bench", "postgresql://me@db1:5432/bench?ssl_mode=prefer"),
        (
            "-h h1,h2 -p 6432 -U you bench",
            "postgresql://you@h1:6432,h2:6432/bench?ssl_mode=prefer&load_balance=disable",
        ),
        ("-h /run/pg bench", "postgresql://me@localhost/bench?socket=/run/pg/.s.PGSQL.5432"),
        ("postgresql://db9/other", "postgresql://me@db9:5432/other?ssl_mode=prefer"),
        ("-h h1 -p 7 postgresql://h2/d", "postgresql://me@h2:7/d?ssl_mode=prefer"),
    ],
)
def test_a_call_leads_where_libpq_would_go(words: str, url: str) -> None:
    assert read_address(read_arguments(words.split())).url == url


def test_the_environment_names_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_address(read_arguments([])).url == "postgresql://me@db1:5432/me?ssl_mode=prefer"
    assert "@db1:5432/me?" in read_address(read_arguments(["-U", "you"])).url
    monkeypatch.setenv("PGDATABASE", "postgresql://h9/d")
    assert read_address(read_arguments([])).url == "postgresql://me@h9:5432/d?ssl_mode=prefer"


def test_passwords_are_found_by_where_the_call_leads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / ".pgpass"
    file.write_text("db1:5432:other:*:no\ndb1:*:*:me:se\\:cret\n")
    file.chmod(0o600)
    assert read_address(read_arguments(["bench"])).password == "se:cret"
    assert read_address(read_arguments(["postgresql://me@db1/x"])).password == "se:cret"
    monkeypatch.setenv("PGPASSWORD", "first")
    assert read_address(read_arguments(["bench"])).password == "first"
    assert read_address(read_arguments(["postgresql://me:own@db1/x"])).password == "own"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-i -c 10", "-c, --client is not used in initialization; leave -i out to run"),
        ("-i -S", "-S, --select-only is not used in initialization"),
        ("-q", "-q, --quiet belongs to initialization; add -i"),
        ("--sampling-rate=0.5", "--sampling-rate needs --log"),
        ("--progress-timestamp", "--progress-timestamp needs --progress"),
        ("-s 100001", "invalid value of -s, --scale: '100001' is not up to 100000"),
        ("-b s", "-b s is ambiguous: it matches simple-update, select-only"),
        ("-b x", "-b x: no such built-in script"),
        ("-b select-only@0", "all scripts have the weight 0"),
        ("-M fast", "is not one of simple, extended, prepared"),
        ("-D x", "-D x: write -D NAME=VALUE"),
        ("a b", "too many arguments: 'b'"),
        ("--max-tries=0", "--max-tries=0 never stops retrying"),
        ("--partitions=3", "--partitions belongs to initialization; add -i"),
    ],
)
def test_what_is_wrong_is_said(words: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        request_of(*words.split())


def request_of(*words: str) -> Request:
    arguments = read_arguments(words)
    return read_request(arguments, read_address(arguments))


def variables(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = dict(request_of(*words).workload["variables"])
    return found


def test_variables_stay_as_they_are_written() -> None:
    written = ("-Da=7", "-Db=-7", "-Dc=007", "-Dd=1_000", "-De=1.10", "-Df=nan", "-Dg=")
    assert variables(*written) == {
        "a": 7,
        "b": -7,
        "c": "007",
        "d": "1_000",
        "e": "1.10",
        "f": "nan",
        "g": "",
    }


def test_each_script_has_figures_of_its_own(tmp_path: Path) -> None:
    for name in ("a.sql", "a-3.sql"):
        (tmp_path / name).write_text("SELECT 1;")
    words = [f"-f{tmp_path / name}" for name in ("a.sql", "a-3.sql", "a.sql")]
    assert kinds(request_of(*words)) == ["a", "a-3", "a-4"]
    assert kinds(request_of()) == ["tpcb-like"]
