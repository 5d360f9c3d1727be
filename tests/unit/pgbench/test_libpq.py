"""Connection strings, services and the environment lead where libpq itself would go."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.call.libpq.address import find_address, read_parameters
from dbdyno.peers.call.libpq.passwords import fields_of
from dbdyno.peers.call.libpq.strings import read_connection_string
from dbdyno.variables import READ
from tests.unit.pgbench import libpq

HEADS = ("postgresql://", "postgres://", "host=", "dbname = ", "", "user='a'")
PIECES = (
    *("postgresql://", "host", "port", "user", "password", "dbname", "sslmode", "require"),
    *("=", "=", "'", "\\", " ", "\t", "%41", "%2C", "%2F", "%", "%00", "%zz", "@", ":", "/", "?"),
    *("&", ",", "[", "]", "[::1]", "a", "5432", "+", "é", "ssl=true", "requiressl=1", "&host="),
    *("?dbname=", "application_name=", "service=x", "x"),
)
TRIED = 20_000


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Have no variable of PostgreSQL's set, nor a file in the home folder."""
    for variable in READ:
        if variable.name.startswith("PG"):
            monkeypatch.delenv(variable.name, raising=False)
    monkeypatch.delenv("DBDYNO_PASSWORD", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PGSYSCONFDIR", str(tmp_path / "system"))


def read(text: str) -> dict[str, str] | None:
    try:
        return read_connection_string(text)
    except InputError:
        return None


def test_connection_strings_are_read_as_libpq_reads_them() -> None:
    pieces, understood = random.Random(17), 0
    for _ in range(TRIED):
        count = pieces.randint(0, 9)
        text = pieces.choice(HEADS) + "".join(pieces.choices(PIECES, k=count))
        theirs = libpq.read(text)
        if theirs is not None and "\N{REPLACEMENT CHARACTER}" in "".join(theirs.values()):
            theirs = None
        assert read(text) == theirs, text
        understood += theirs is not None
    # It is no agreement where both refuse everything.
    assert understood > TRIED / 4


SERVICES = """# one a line
[other]
host=db9
[night]
host = /elsewhere
port=6000
dbname=night run
user=x
port=6001
[last]
"""


@pytest.mark.parametrize(
    ("variables", "given"),
    [
        ({}, {"dbname": "postgresql:///own?host=127.0.0.1&port=1&user=me&sslmode=verify-full"}),
        ({"PGHOST": "/a", "PGPORT": "7", "PGUSER": "you"}, {"dbname": "host=/b user=''"}),
        ({"PGHOST": "/a", "PGPORT": "7"}, {"dbname": "postgresql://?host=&application_name=x"}),
        ({"PGHOST": "/a", "PGSSLMODE": "disable"}, {"host": "/c", "user": "u", "dbname": "d"}),
        ({"PGHOST": "", "PGOPTIONS": "-c geqo=off", "PGAPPNAME": "n"}, {"host": "/c"}),
        ({}, {"host": "/first", "port": "9", "dbname": "host=/second user=u options='-c a=b'"}),
        ({"PGREQUIRESSL": "1"}, {"host": "/a"}),
        ({"PGREQUIRESSL": "1", "PGSSLMODE": "disable"}, {"host": "/a"}),
        ({"PGSERVICE": "night", "PGPORT": "5"}, {"user": "me"}),
        ({"PGSERVICE": "other"}, {"dbname": "service=night dbname=mine"}),
        ({"PGSERVICE": "none"}, {"host": "/a"}),
        ({"PGSERVICE": "night"}, {"dbname": "service=last host=/a"}),
        ({"PGCONNECT_TIMEOUT": "4", "PGTARGETSESSIONATTRS": "primary"}, {"host": "/a"}),
        ({"PGHOSTADDR": "127.0.0.1", "PGPORT": "1"}, {"host": "/a"}),
    ],
)
def test_what_is_not_given_is_found_where_libpq_finds_it(
    variables: dict[str, str],
    given: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "system").mkdir()
    (tmp_path / "system" / "pg_service.conf").write_text("[last]\nhost=/system\n")
    (tmp_path / ".pg_service.conf").write_text(SERVICES)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    try:
        ours = {name: value for name, value in read_parameters(given).items() if value}
    except InputError:
        ours = {}
    theirs = {name: value for name, value in (libpq.settle(given) or {}).items() if value}
    # The user of the system, the database that is called as the user, and the file of passwords.
    for name in {"user", "dbname", "passfile"} - ours.keys():
        theirs.pop(name, None)
    # The service's name has done what it is for.
    for found in (ours, theirs):
        found.pop("service", None)
    assert ours == theirs


@pytest.mark.parametrize(
    ("text", "url", "password"),
    [
        (
            "postgresql:///own?host=db2.invalid&port=5999&user=somebody&password=p%26w&sslmode=require",
            "postgresql://somebody@db2.invalid:5999/own?ssl_mode=require",
            "p&w",
        ),
        (
            "postgresql:///own?user=u&sslmode=verify-full&host=h&sslrootcert=HOME/ca.pem",
            "postgresql://u@h:5432/own?ssl_mode=verify-full&ssl_ca=HOME/ca.pem",
            None,
        ),
        (
            "postgresql://u@%2Ftmp%2Fa b/own",
            "postgresql://u@localhost/own?socket=/tmp/a%20b/.s.PGSQL.5432",
            None,
        ),
        (
            "host=/a,/b%2C port=1,2 user=u dbname=d",
            "postgresql://u@localhost/d?socket=/a/.s.PGSQL.1,/b%252C/.s.PGSQL.2&load_balance=disable",
            None,
        ),
        (
            "postgresql://u:p%40w@h1:1,[::1]:2,h3/d?load_balance_hosts=random",
            "postgresql://u@h1:1,[::1]:2,h3:5432/d?ssl_mode=prefer&load_balance=random",
            "p@w",
        ),
        (
            "host=db hostaddr=10.0.0.1 user='u v' dbname='d/b?c' options='-c geqo=off'",
            "postgresql://u%20v@10.0.0.1:5432/d%2Fb%3Fc?ssl_mode=prefer&options=-c%20geqo%3Doff",
            None,
        ),
        (
            "host=h?ssl_mode=disable user=u application_name=x fallback_application_name=y",
            "postgresql://u@h%3Fssl_mode%3Ddisable:5432/u?ssl_mode=prefer&application_name=x",
            None,
        ),
        (
            "host=h user=u dbname=d sslmode=require enable_cleartext_plugin=true",
            "postgresql://u@h:5432/d?ssl_mode=require&enable_cleartext_plugin=true",
            None,
        ),
        (
            "postgresql://u@h/d?ssl_mode=verify_ca&ssl_ca=HOME/ca.pem",
            "postgresql://u@h:5432/d?ssl_mode=verify-ca&ssl_ca=HOME/ca.pem",
            None,
        ),
    ],
)
def test_parameters_become_a_url(text: str, url: str, password: str | None, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    address = find_address({"dbname": text.replace("HOME", str(tmp_path))})
    assert (address.url.replace(str(tmp_path), "HOME"), address.password) == (url, password)


def test_authorities_that_are_there_are_asked_for(tmp_path: Path) -> None:
    authorities = tmp_path / "ca.pem"
    authorities.touch()
    for text in (f"sslmode=require sslrootcert={authorities}", "sslmode=require"):
        (tmp_path / ".postgresql").mkdir(exist_ok=True)
        (tmp_path / ".postgresql" / "root.crt").touch()
        assert "ssl_mode=verify-ca&ssl_ca=" in find_address({"dbname": f"host=h {text}"}).url


def test_limits_and_settings_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "PGTZ": "Asia/Pyong yang",
        "PGGEQO": "off",
        "PGDATESTYLE": "default",
    }.items():
        monkeypatch.setenv(name, value)
    address = find_address({"dbname": "host=h1,h2 user=u connect_timeout=1 options='-c a=b'"})
    assert address.url.endswith(
        "options=-c%20a%3Db%20-c%20TimeZone%3DAsia/Pyong%5C%20yang%20-c%20geqo%3Doff"
    )
    assert address.connect_s == 4
    assert find_address({"dbname": "host=h connect_timeout=-1"}).connect_s is None
    (warning,) = find_address({"dbname": "host=h keepalives=0"}).warnings
    assert warning.startswith("keepalives=0 has no effect: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("host=h target_session_attrs=read-write", "target_session_attrs=read-write cannot be"),
        ("host=h sslcert=/c", "sslcert=/c cannot be honoured: dbdyno has no client certificates"),
        ("host=h channel_binding=require", "channel_binding=require cannot be honoured"),
        ("host=h sslmode=allow", "sslmode=allow cannot be honoured"),
        ("host=h sslmode=verify", "sslmode=verify is not known; write disable, prefer"),
        ("host=h sslmode=verify-ca", "sslmode=verify-ca needs certificates of authorities, and /"),
        ("host=h sslrootcert=system", "sslrootcert=system is not read"),
        ("host=h hostaddr=10.0.0.1 sslmode=verify-full", "verifies the name of a host"),
        ("host=h1,h2 port=1,2,3", "3 ports for 2 hosts"),
        ("host=h1,h2 hostaddr=10.0.0.1", "2 hosts, but 1 addresses"),
        ("host=h port=x", "port=x is not a valid port"),
        ("host=/a,h", "Unix sockets, or to hosts over TCP"),
        ("host=@a", "an abstract socket"),
        ("host=h sslmod=require", "sslmod=… is not read here; did you mean"),
        ("host=h connect_timeout=x", "connect_timeout=x is not a whole number"),
        ("host=h password='secret", "is not understood behind 1 of its parameters; write NAME="),
        ("host=h password=se secret=x", "one of its names is not libpq's"),
        ("postgresql://h/d?secret", "parameter 1 behind the ? of the URL is not NAME=VALUE"),
        ("postgresql://u:%secret@h/d", "has a % that begins no character"),
        ("postgresql://u:secret@[::1/d", "has an address in […] that is none"),
        ("mysql://u:secret@h/d", "the database has the form of a URL, and none of PostgreSQL's"),
        ("u:secret@h/d", "the database has the form of a URL"),
    ],
)
def test_what_cannot_be_honoured_is_refused_by_its_name(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        find_address({"dbname": text})
    assert message in str(refused.value)
    assert "secret" not in str(refused.value)


def test_passwords_are_found_by_host_and_port(tmp_path: Path) -> None:
    file = tmp_path / ".pgpass"
    file.write_text(
        "localhost:*:*:*:usual\n/a:1:*:*:of socket\nh1:*:*:*:one\nh2:*:*:*:two\nh3:*:*:*:one\n"
    )
    file.chmod(0o600)
    for host, password in {
        "host=/var/run/postgresql": "usual",
        "host=/a port=1": "of socket",
        "host=h1,h3": "one",
        "host=h1 hostaddr=10.0.0.1": "one",
        "host=h9": None,
        f"host=h1 passfile={tmp_path}/none": None,
        "host=h1 password=own": "own",
    }.items():
        assert find_address({"dbname": host}).password == password, host
    with pytest.raises(InputError, match="different ones for the hosts"):
        find_address({"dbname": "host=h1,h2"})


def test_fields_are_cut_at_colons_that_nothing_protects() -> None:
    assert fields_of("a:b\\:c:d:e:f:g") == ["a", "b:c", "d", "e", "f:g"]
    assert fields_of("a\\") == ["a"]
