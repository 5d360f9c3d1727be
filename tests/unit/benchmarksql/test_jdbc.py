"""JDBC URLs: where they lead, and what their options come to."""

from __future__ import annotations

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.benchmarksql.jdbc import Jdbc, read_jdbc

OFF = "?ssl_mode=disabled"


def read(conn: str, user: str | None = "me") -> Jdbc:
    return read_jdbc(conn, user)


@pytest.mark.parametrize(
    ("conn", "url"),
    [
        ("jdbc:mysql://h:3307/d?useSSL=false", f"mysql://me@h:3307/d{OFF}"),
        ("jdbc:mysql://h/d", "mysql://me@h:3306/d?ssl_mode=preferred"),
        ("jdbc:mysql://[::1]:3307/d?sslMode=DISABLED", f"mysql://me@[::1]:3307/d{OFF}"),
        ("jdbc:mariadb://h/d", f"mysql://me@h:3306/d{OFF}"),
        ("jdbc:mariadb://h/d?sslMode=trust", "mysql://me@h:3306/d?ssl_mode=required"),
        (
            "jdbc:mysql://h/d?sslMode=VERIFY_CA&ssl_ca=/ca.pem",
            "mysql://me@h:3306/d?ssl_mode=verify_ca&ssl_ca=/ca.pem",
        ),
        (
            "jdbc:mysql://h/d?useSSL=true&requireSSL=true",
            "mysql://me@h:3306/d?ssl_mode=required",
        ),
        (
            "jdbc:mariadb://h/d?useSSL=true&serverSslCert=/ca.pem",
            "mysql://me@h:3306/d?ssl_mode=verify_identity&ssl_ca=/ca.pem",
        ),
        (
            "jdbc:mariadb://h/d?useSSL=true&disableSslHostnameVerification=true&ssl_ca=/ca.pem",
            "mysql://me@h:3306/d?ssl_mode=verify_ca&ssl_ca=/ca.pem",
        ),
        (
            "jdbc:mariadb://h/d?useSSL=true&trustServerCertificate=true",
            "mysql://me@h:3306/d?ssl_mode=required",
        ),
        (
            "jdbc:mysql:loadbalance://h1:3306,h2:3307/d?useSSL=false",
            f"mysql://me@h1:3306,h2:3307/d{OFF}&load_balance=random",
        ),
        (
            "jdbc:mysql://h1,h2/d?useSSL=false",
            f"mysql://me@h1:3306,h2:3306/d{OFF}&load_balance=disabled",
        ),
        (
            "jdbc:mariadb:sequential://h1,h2/d",
            f"mysql://me@h1:3306,h2:3306/d{OFF}&load_balance=disabled",
        ),
        ("jdbc:postgresql://h/d?sslmode=require", "postgresql://me@h:5432/d?ssl_mode=required"),
        (
            "jdbc:postgresql://h1,h2:6/d?sslmode=disable&loadBalanceHosts=true",
            f"postgresql://me@h1:5432,h2:6/d{OFF}&load_balance=random",
        ),
        ("jdbc:postgresql:d", "postgresql://me@localhost:5432/d?ssl_mode=preferred"),
        (
            "jdbc:postgresql://h/d?ssl=true&sslrootcert=/ca.pem",
            "postgresql://me@h:5432/d?ssl_mode=verify_identity&ssl_ca=/ca.pem",
        ),
        (
            "jdbc:oceanbase://h:2881/d?rewriteBatchedStatements=TRUE&useUnicode=TRUE",
            f"mysql://me@h:2881/d{OFF}",
        ),
        ("jdbc:opengauss://h/d?autoReconnect=true", "postgresql://me@h:5432/d?ssl_mode=preferred"),
        ("jdbc:gaussdb:d", "postgresql://me@localhost:5432/d?ssl_mode=preferred"),
        (
            "jdbc:postgresql://h/d?sslmode=disable&currentSchema=bench,public&ApplicationName=a b"
            "&options=-c%20geqo=off",
            f"postgresql://me@h:5432/d{OFF}&search_path=bench%2Cpublic&options=-c%20geqo%3Doff"
            "&application_name=a%20b",
        ),
        (
            "jdbc:mariadb:///d?localSocket=/run/m.sock",
            f"mysql://me@localhost:3306/d{OFF}&socket=/run/m.sock",
        ),
    ],
)
def test_a_url_leads_where_the_driver_would_go(conn: str, url: str) -> None:
    assert read(conn).url == url


@pytest.mark.parametrize(
    ("conn", "protocol"),
    [
        ("jdbc:mysql://h/d", "text"),
        ("jdbc:mysql://h/d?useServerPrepStmts=true", "prepared"),
        ("jdbc:mysql://h/d?rewriteBatchedStatements=true", "multi"),
        ("jdbc:mysql://h/d?useServerPrepStmts=true&rewriteBatchedStatements=true", "prepared"),
        ("jdbc:postgresql://h/d", "prepared"),
        ("jdbc:postgresql://h/d?prepareThreshold=0", "extended"),
        ("jdbc:postgresql://h/d?preferQueryMode=simple", "text"),
    ],
)
def test_statements_travel_as_the_driver_would_send_them(conn: str, protocol: str) -> None:
    assert read(conn).protocol == protocol


def test_limits_are_milliseconds_with_mysql_and_seconds_with_postgresql() -> None:
    mysql = read("jdbc:mysql://h/d?connectTimeout=5000&socketTimeout=0")
    assert (mysql.connect_s, mysql.statement_s) == (5.0, None)
    postgresql = read("jdbc:postgresql://h/d?connectTimeout=5&socketTimeout=60")
    assert (postgresql.connect_s, postgresql.statement_s) == (5.0, 60.0)


def test_session_variables_may_set_the_isolation() -> None:
    read_committed = read(
        "jdbc:mysql://h/d?sessionVariables=transaction_isolation='READ-COMMITTED'"
    )
    assert read_committed.isolation == "read_committed"
    other = read("jdbc:mysql://h/d?sessionVariables=sql_mode=ANSI")
    assert other.isolation is None
    assert other.warnings == ("conn: sessionVariables sql_mode=ANSI has no effect",)


def test_user_and_password_may_stand_in_the_url_and_leave_it() -> None:
    found = read("jdbc:mysql://h/d?user=you&password=se%26cret&useSSL=false", user=None)
    assert (found.user, found.password) == ("you", "se&cret")
    assert found.url == f"mysql://you@h:3306/d{OFF}"


@pytest.mark.parametrize(
    ("hosts", "places", "password"),
    [
        ("you:se%26c%40ret@h", "h:3306", "se&c@ret"),
        ("you@h:1", "h:1", None),
        ("you:a,b@h1,h2:1", "h1:3306,h2:1", "a,b"),
        ("you:p@h1:1,you:p@h2:2", "h1:1,h2:2", "p"),
    ],
)
def test_user_and_password_may_stand_before_the_hosts(
    hosts: str, places: str, password: str | None
) -> None:
    found = read(f"jdbc:mysql://{hosts}/d?useSSL=false", user=None)
    assert found.url.startswith(f"mysql://you@{places}/d?")
    assert found.password == password


def test_every_option_without_effect_is_named() -> None:
    found = read(
        "jdbc:mysql://h/d?useSSL=false&allowPublicKeyRetrieval=true&useConfigs=maxPerformance"
        "&useServerPrepStmts=true&rewriteBatchedStatements=true&cachePrepStmts=true&useFrobs=1"
    )
    said = "\n".join(found.warnings)
    named = ("useConfigs", "cachePrepStmts", "batches are rewritten")
    assert all(name in said for name in named)
    assert "useFrobs has no effect: it is not known here" in said
    assert len(found.warnings) == 4
    assert "get_server_public_key=true" in found.url
    assert read("jdbc:mysql://h/d?useSSL=false&useServerPrepStmts=true").warnings == ()


@pytest.mark.parametrize(
    ("conn", "message"),
    [
        ("mysql://h/d", "conn: not a URL that is known here; write jdbc:mysql://"),
        ("jdbc:oracle:thin:@h:1521:x", "conn: not a URL"),
        ("jdbc:sqlserver://h/d", "conn: there is no driver for jdbc:sqlserver:"),
        ("jdbc:mysql:replication://h1,h2/d", "jdbc:mysql:replication: cannot be honoured"),
        ("jdbc:mysql://address=(host=h)(port=1)/d", "write hosts as h1:3306,h2:3306"),
        ("jdbc:mysql://h:x/d", "conn: has a host that is none; write hosts as"),
        ("jdbc:mysql://h/", "conn: names no database"),
        ("jdbc:mysql://u:a@h1,u:b@h2/d", "conn: hosts have different users or passwords"),
        ("jdbc:mysql://u:a/b@h/d", "conn: in a user and a password before a host write @ as %40"),
        ("jdbc:mysql://h/d?useSSL=maybe", "conn: useSSL=maybe is neither true nor false"),
        ("jdbc:mysql://h/d?sslMode=VERIFY_IDENTITY", "add ssl_ca=/path/to/authorities.pem"),
        ("jdbc:mysql://h/d?sslMode=SOMETIMES", "sslMode=SOMETIMES is not known"),
        ("jdbc:postgresql://h/d?sslcert=x", "sslcert cannot be honoured"),
        ("jdbc:mysql://h/d?connectTimeout=soon", "connectTimeout=soon is not a number"),
    ],
)
def test_what_cannot_be_honoured_is_refused(conn: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        read(conn)
