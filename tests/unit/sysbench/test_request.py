"""What a call becomes: the server's URL, and the plan that a generator receives."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.call import address
from dbdyno.peers.sysbench.arguments import read_arguments
from dbdyno.peers.sysbench.request import Request, read_request
from dbdyno.protocol.trial_plan import TrialPlan


def request(*options: str) -> Request:
    words = ["oltp_read_write", "run", "--mysql-host=db", *options]
    return read_request(read_arguments(words))


@pytest.mark.parametrize(
    ("options", "url"),
    [
        (["--mysql-host=db"], "mysql://sbtest@db:3306/sbtest?ssl_mode=disabled"),
        (
            ["--mysql-host=db,::1", "--mysql-port=1,2"],
            "mysql://sbtest@db:1,db:2,[::1]:1,[::1]:2/sbtest?ssl_mode=disabled",
        ),
        (
            ["--mysql-user=a@b", "--mysql-db=x/y", "--mysql-ssl=on"],
            "mysql://a%40b@db:3306/x%2Fy?ssl_mode=required",
        ),
        (
            ["--mysql-ssl=VERIFY_CA", "--mysql-ssl-ca=/ca.pem"],
            "mysql://sbtest@db:3306/sbtest?ssl_mode=verify_ca&ssl_ca=/ca.pem",
        ),
        (
            ["--mysql-host=localhost", "--mysql-socket=/a,/b"],
            "mysql://sbtest@localhost:3306/sbtest?ssl_mode=disabled&socket=/a,/b",
        ),
        (
            ["--db-driver=pgsql", "--pgsql-host=h", "--pgsql-port=7", "--pgsql-sslmode=require"],
            "postgresql://sbtest@h:7/sbtest?ssl_mode=require",
        ),
        (
            ["--db-driver=pgsql", "--pgsql-host=/run/postgresql"],
            "postgresql://sbtest@localhost/sbtest?socket=/run/postgresql/.s.PGSQL.5432",
        ),
        (
            ["--db-driver=pgsql", "--pgsql-host=a,b", "--pgsql-db=host=c sslmode=disable dbname=d"],
            "postgresql://sbtest@a:5432,b:5432/d?ssl_mode=disable&load_balance=round_robin",
        ),
        (
            ["--mysql-host=127.0.0.1,127.0.0.1", "--mysql-port=1,2"],
            "mysql://sbtest@127.0.0.1:1,127.0.0.1:2/sbtest?ssl_mode=disabled",
        ),
        (
            ["--mysql-host=localhost,localhost", "--mysql-socket=/so ck/m,s"],
            "mysql://sbtest@localhost:3306/sbtest?ssl_mode=disabled&socket=/so%20ck/m,s",
        ),
        (["--db-driver=sqlite", "--sqlite-db=/a b.db"], "sqlite:////a%20b.db"),
    ],
)
def test_the_url_is_what_the_options_say(options: list[str], url: str) -> None:
    assert request(*options).address.url == url


def test_localhost_is_the_socket_that_the_client_library_would_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    socket = tmp_path / "mysqld.sock"
    monkeypatch.setattr(address, "USUAL_SOCKETS", (str(tmp_path / "none"), str(socket)))
    assert "socket" not in request("--mysql-host=localhost").address.url
    socket.touch()
    assert f"socket={socket}" in request("--mysql-host=localhost").address.url
    assert "socket" not in request("--mysql-host=localhost", "--mysql-port=3307").address.url


def test_the_password_is_never_a_part_of_the_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBDYNO_PASSWORD", "from outside")
    assert request().address.password == "from outside"
    asked = request("--mysql-password=secret")
    assert asked.address.password == "secret"
    assert "secret" not in str(asked.trial_plan())


def plan(*options: str) -> TrialPlan:
    return request(*options).trial_plan()


def test_the_behaviour_is_dbdynos_or_sysbenchs() -> None:
    ours, theirs = plan(), plan("--compatible")
    assert ours.workload["sysbench"]["distribution"] == "uniform"
    assert theirs.workload["sysbench"]["distribution"] == "special"
    chosen = plan("--compatible", "--rand-type=pareto")
    assert chosen.workload["sysbench"]["distribution"] == "pareto"
    assert not ours.retry.new_input
    assert theirs.retry.new_input
    assert theirs.retry.backoff_max_ms == 0.0


def test_errors_that_are_retried_are_those_of_sysbench() -> None:
    assert plan().retry.errors == ("1213", "1020", "1205")
    assert plan("--mysql-ignore-errors=all").retry.errors == ("all",)
    assert plan("--mysql-ignore-errors=").retry.errors == ()
    postgresql = plan("--db-driver=pgsql", "--mysql-ignore-errors=1062")
    assert postgresql.retry.errors == ("40P01", "40001", "23505")


def test_limits_are_those_of_the_call() -> None:
    limited = plan("--time=0", "--events=50", "--rate=20", "--forced-shutdown=3", "--warmup-time=2")
    assert limited.duration_s == 1e7
    assert limited.transactions == 50
    assert limited.arrivals == {"poisson": {"rate_per_s": 20.0}}
    assert limited.limits.drain_s == 3.0
    assert limited.warmup_s == 2.0
    assert plan().transactions is None
    assert plan("--db-ps-mode=disable").protocol == "text"


def test_a_seed_is_the_one_given_or_a_new_one() -> None:
    assert (plan("--rand-seed=5").seed, plan().seed == plan().seed) == (5, False)


def test_tables_are_made_by_what_all_scripts_have_in_common() -> None:
    for command in ("prepare", "cleanup"):
        words = ["oltp_common", command, "--mysql-host=db", "--tables=3", "--secondary"]
        workload = read_request(read_arguments(words)).workload
        assert (workload["script"], workload["tables"]) == ("oltp_point_select", 3)
        assert workload["secondary"]


def test_bulk_insert_has_a_table_for_each_client() -> None:
    words = ["bulk_insert", "run", "--mysql-host=db", "--threads=5", "--tables=2"]
    assert read_request(read_arguments(words)).workload["tables"] == 5


def test_postgresqls_authorities_are_looked_for_where_libpq_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PGSSLROOTCERT", raising=False)
    words = ("--db-driver=pgsql", "--pgsql-host=h", "--pgsql-sslmode=verify-ca")

    def authorities(*options: str) -> str:
        return request(*words, *options).address.url.partition("&ssl_ca=")[2]

    with pytest.raises(InputError, match="sslmode=verify-ca needs certificates of auth"):
        authorities()
    usual = tmp_path / ".postgresql" / "root.crt"
    usual.parent.mkdir()
    usual.touch()
    assert authorities() == str(usual)
    named, of_variable = tmp_path / "named.crt", tmp_path / "variable.crt"
    for file in (named, of_variable):
        file.touch()
    monkeypatch.setenv("PGSSLROOTCERT", str(of_variable))
    assert authorities() == str(of_variable)
    assert authorities(f"--pgsql-sslrootcert={named}") == str(named)


def test_what_no_option_says_of_postgresql_is_found_as_by_libpq(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGPASSWORD", "from libpq")
    monkeypatch.setenv("PGSSLMODE", "disable")
    monkeypatch.setenv("PGHOST", "elsewhere")
    words = ("--db-driver=pgsql", "--pgsql-host=h")
    address = request(*words).address
    assert address.password == "from libpq"
    assert address.url.endswith("@h:5432/sbtest?ssl_mode=disable")
    assert request(*words, "--pgsql-password=own").address.password == "own"
    monkeypatch.delenv("PGSSLMODE")
    assert "ssl_mode=prefer" in request(*words).address.url
