"""What a call of pgbench's form is read as, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.pgbench.address import read_address
from dbdyno.peers.pgbench.arguments import read_arguments
from dbdyno.peers.pgbench.passwords import fields_of
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
        ("-h h1,h2 -p 6432 -U you bench", "postgresql://you@h1:6432,h2:6432/bench?ssl_mode=prefer"),
        ("-h /run/pg bench", "postgresql://me@localhost:5432/bench?socket=/run/pg"),
        ("postgresql://db9/other", "postgresql://me@db9/other"),
        ("postgres://you@h1:5432,h2:5433/db", "postgresql://you@h1:5432,h2:5433/db"),
    ],
)
def test_a_call_leads_where_libpq_would_go(words: str, url: str) -> None:
    assert read_address(read_arguments(words.split())).url == url


@pytest.mark.parametrize(
    ("text", "url", "password"),
    [
        ("host=h1 dbname=b user=you", "postgresql://you@h1:5432/b?ssl_mode=prefer", None),
        (
            "host = h1 port=77 password='it\\'s me' application_name=x sslmode=require "
            "dbname='my b'",
            "postgresql://me@h1:77/my%20b?ssl_mode=require",
            "it's me",
        ),
        ("host=/run/pg dbname=b", "postgresql://me@localhost:5432/b?socket=/run/pg", None),
        (
            "sslmode=verify-ca sslrootcert=/ca.pem",
            "postgresql://me@db1:5432/me?ssl_mode=verify-ca&ssl_ca=/ca.pem",
            None,
        ),
        ("dbname=''", "postgresql://me@db1:5432/me?ssl_mode=prefer", None),
    ],
)
def test_connection_strings(text: str, url: str, password: str | None) -> None:
    address = read_address(read_arguments([text]))
    assert (address.url, address.password) == (url, password)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["host=h1 options=-cgeqo=off"],
            "options=… in a connection string is not read here; known",
        ),
        (["host=h1 password='secret"], "is not understood behind 1 of its parameters; write NAME="),
        (["host=h1 port=x"], "port= is 'x', which is not a valid port"),
        (["-h", "h2", "host=h1"], "--host cannot stand beside a connection string"),
    ],
)
def test_connection_strings_that_cannot_be_read(words: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        read_address(read_arguments(words))
    assert "secret" not in str(refused.value)


def test_the_environment_says_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PGPORT": "77", "PGDATABASE": "d", "PGSSLMODE": "allow"}.items():
        monkeypatch.setenv(name, value)
    assert read_address(read_arguments([])).url == "postgresql://me@db1:77/d?ssl_mode=prefer"
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    assert "ssl_mode=verify-full&ssl_ca=" in read_address(read_arguments([])).url
    monkeypatch.setenv("PGOPTIONS", "-c synchronous_commit=off")
    with pytest.raises(InputError, match="PGOPTIONS is set, and dbdyno does not read it"):
        read_address(read_arguments([]))


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


def test_fields_are_cut_at_colons_that_nothing_protects() -> None:
    assert fields_of("a:b\\:c:d:e:f:g") == ["a", "b:c", "d", "e", "f:g"]
    assert fields_of("a\\") == ["a"]


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
        ("-h x host=y", "--host cannot stand beside a connection string; write it into that"),
        ("-h x postgresql://y/z", "--host cannot stand beside a URL"),
        ("--max-tries=0", "--max-tries=0 never stops retrying"),
        ("--partitions=3", "is not supported: partitioned tables are not made"),
    ],
)
def test_what_is_wrong_is_said(words: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        request_of(*words.split())


def request_of(*words: str) -> Request:
    return read_request(read_arguments(words))


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
