"""Calls of go-tpc's form, and what they come to."""

from __future__ import annotations

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.go_tpc.address import address_beside, read_address, read_connection
from dbdyno.peers.go_tpc.arguments import Arguments, read_arguments
from dbdyno.peers.go_tpc.command import call
from dbdyno.peers.go_tpc.request import RunRequest, read_prepare, read_run
from dbdyno.peers.tpcc.request import TpccRequest

SERVER = ("-H", "db", "-P", "3307", "-U", "me", "-p", "secret", "-D", "tpcc")
STOCK = (
    *("tpcc", "--warehouses", "4", "run", *SERVER, "-T", "8", "--time", "1m", "--interval", "10s"),
    *("--weight", "45,43,4,4,4", "--isolation", "4", "--max-measure-latency", "16s"),
)


def run(*words: str) -> RunRequest:
    arguments = read_arguments([*STOCK, *words])
    return read_run(arguments, read_connection(arguments))


def prepare(*words: str) -> TpccRequest:
    arguments = read_arguments(["tpcc", "prepare", *SERVER, *words])
    return read_prepare(arguments, read_connection(arguments))


def url(*words: str) -> str:
    arguments = read_arguments(["tpcc", "check", *words])
    return read_address(arguments, read_connection(arguments).encryption).url


def mute(_: str) -> None:
    """Say nothing."""


def test_a_stock_call_is_understood() -> None:
    asked = run()
    request = asked.request
    assert request.address.url == "mysql://me@db:3307/tpcc?ssl_mode=disabled"
    assert request.address.password == "secret"
    assert (request.clients, request.duration_s, request.transactions) == (8, 60.0, None)
    assert (request.isolation, asked.interval_s, asked.output) == ("repeatable_read", 10, "plain")
    switches = (asked.is_endless, asked.waits, asked.ignores_errors, asked.is_silent)
    assert not any(switches)
    tpcc = request.trial_plan().workload["tpcc"]
    assert (tpcc["schema"], tpcc["home_warehouse"], tpcc["deck"]) == ("go_tpc", "random", False)
    assert tpcc["mix"]["payment"] == 43


@pytest.mark.parametrize(
    "words",
    [
        ["tpcc", "run", "-T", "8", "--time", "90s", "-p", "a b", "--wait"],
        ["-T8", "tpcc", "--time=90s", "--wait=true", "run", "-pa b"],
        ["--threads=8", "-p=a b", "--wait", "tpcc", "--time", "1m30s", "run"],
        ["tpcc", "--threads", "8", "--password=a b", "r", "--wait=1", "--time", "1.5m"],
        ["tpcc", "-T8", "--time=90s", "-pa b", "--wait", "--", "run"],
        ["tpcc", "run", "--wait=F", "-T=8", "--password", "a b", "--wait", "--time=90000ms"],
    ],
)
def test_flags_have_all_forms_before_and_behind_the_commands(words: list[str]) -> None:
    arguments = read_arguments(words)
    assert (arguments.workload, arguments.command) == ("tpcc", "run")
    asked = read_run(arguments, read_connection(arguments))
    assert (asked.request.clients, asked.request.duration_s, asked.waits) == (8, 90.0, True)
    assert asked.request.address.password == "a b"


def test_defaults_are_go_tpcs() -> None:
    arguments = read_arguments(["tpcc", "run"])
    asked = read_run(arguments, read_connection(arguments))
    assert asked.request.address.url == "mysql://root@127.0.0.1:4000/test?ssl_mode=disabled"
    assert (asked.request.clients, asked.interval_s) == (1, 10)
    assert asked.is_endless
    assert arguments.text("warehouses") == "10"
    assert asked.request.workload["pacing"] == {"keying": 0.0, "think": 0.0}


def test_errors_end_a_run_or_are_counted_without_a_second_try() -> None:
    strict, tolerant = run().request.trial_plan(), run("--ignore-error").request.trial_plan()
    assert (strict.stop_at_failure, strict.retry.max_retries) == (True, 10)
    assert not tolerant.stop_at_failure
    assert (tolerant.error_budget, tolerant.retry.max_retries) == (1.0, 0)


def test_a_count_and_a_time_both_end_a_run() -> None:
    plan = run("--count", "100").request.trial_plan()
    # Each of eight threads has its part.
    assert (plan.transactions, plan.duration_s) == (96, 60.0)
    assert run("--count", "5").request.transactions == 5
    counted = read_arguments(["tpcc", "run", "--count", "100"])
    asked = read_run(counted, read_connection(counted))
    assert (asked.is_endless, asked.request.trial_plan().duration_s) == (False, 1e7)


def test_waits_are_the_specifications() -> None:
    assert run("--wait").request.workload["pacing"] == {"keying": 1.0, "think": 1.0}


def test_several_hosts_are_combined_with_all_ports() -> None:
    assert url("-H", "a,b", "-P", "1,2") == "mysql://root@a:1,a:2,b:1,b:2/test?ssl_mode=disabled"
    assert url("-H", "a", "--host=b", "-P1") == "mysql://root@a:1,b:1/test?ssl_mode=disabled"
    assert url("--targets", "a:1,b:2") == "mysql://root@a:1,b:2/test?ssl_mode=disabled"
    assert url("-H", "::1") == "mysql://root@[::1]:4000/test?ssl_mode=disabled"


@pytest.mark.parametrize(
    ("words", "query"),
    [
        (["--conn-params", "tls=skip-verify&charset=utf8mb4"], "ssl_mode=required"),
        (["--conn-params", "tls=preferred"], "ssl_mode=preferred"),
        (["--ssl-ca", "/ca.pem"], "ssl_mode=verify_identity&ssl_ca=/ca.pem"),
        (["-d", "postgres"], "ssl_mode=required"),
        (["-d", "postgres", "--conn-params", "sslmode=disable"], "ssl_mode=disabled"),
        (
            ["-d", "postgres", "--conn-params", "sslmode=verify-full&sslrootcert=/ca.pem"],
            "ssl_mode=verify_identity&ssl_ca=/ca.pem",
        ),
        (["-d", "postgres", "--ssl-ca", "/ca.pem"], "ssl_mode=verify_ca&ssl_ca=/ca.pem"),
    ],
)
def test_encryption_is_as_gos_drivers_have_it(words: list[str], query: str) -> None:
    assert url(*words).partition("?")[2] == query


def test_encryption_may_be_asked_for_by_gos_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    monkeypatch.setenv("PGSSLROOTCERT", "/ca.pem")
    verified = "ssl_mode=verify_identity&ssl_ca=/ca.pem"
    assert url("-d", "postgres").partition("?")[2] == verified
    written = ("-d", "postgres", "--conn-params", "sslmode=disable")
    assert url(*written).partition("?")[2] == "ssl_mode=disabled"
    monkeypatch.setenv("PGSSLMODE", "perhaps")
    with pytest.raises(InputError, match="PGSSLMODE is not one of disable, allow"):
        url("-d", "postgres")


def test_parameters_of_connections_become_limits_and_an_isolation() -> None:
    mysql = "timeout=5s&readTimeout=1m&transaction_isolation=%27READ-COMMITTED%27"
    request = run("--isolation", "0", "--conn-params", mysql).request
    assert (request.limits.connect_s, request.limits.statement_s) == (5.0, 60.0)
    assert request.isolation == "read_committed"
    assert run("--conn-params", mysql).request.isolation == "repeatable_read"
    postgres = "sslmode=disable&connect_timeout=7&default_transaction_isolation=serializable"
    request = run("--isolation=0", "-d", "postgres", "--conn-params", postgres).request
    assert (request.limits.connect_s, request.isolation) == (7.0, "serializable")


def test_tables_are_as_they_are_asked_for() -> None:
    request = prepare("--warehouses", "4", "--parts", "2", "-T", "3")
    assert (request.warehouses, request.workload["partitions"], request.connections) == (4, 2, 3)
    assert not request.workload["foreign_keys"]
    plain = prepare("--use-fk", "--use-clustered-index=true", "--output-type=")
    assert (plain.workload["foreign_keys"], plain.workload["partitions"]) == (True, 0)
    assert plain.connections is None


def test_a_database_that_is_always_there_stands_beside() -> None:
    for driver, name in (("mysql", "information_schema"), ("postgres", "postgres")):
        arguments = read_arguments(["tpcc", "prepare", "-d", driver])
        assert address_beside(arguments, {}).url.endswith(f"/{name}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tpch", "prepare"], "go-tpc tpch is not supported: of go-tpc's workloads only tpcc"),
        (["ch", "run"], "go-tpc ch is not supported"),
        (["rawsql", "run"], "go-tpc rawsql is not supported"),
        (["tpc", "run"], "unknown workload; only tpcc is known"),
        (["tpcc", "load"], "unknown command of go-tpc tpcc; known: prepare, run, cleanup, check"),
        (["tpcc", "run", "now"], "there are words behind go-tpc tpcc run that belong to no flag"),
        (["tpcc", "run", "--warehouse", "4"], "unknown flag: --warehouse; did you mean --wareho"),
        (["tpcc", "run", "-x"], "unknown shorthand flag: -x; dbdyno go-tpc --help"),
        (["tpcc", "prepare", "--wait"], "unknown flag of prepare: --wait; it belongs to run"),
        (["tpcc", "run", "--use-fk"], "unknown flag of run: --use-fk; it belongs to prepare"),
        (["tpcc", "run", "-T"], "-T, --threads needs a value"),
        (["tpcc", "run", "--wait=maybe"], "--wait is a switch: write true, false, or no value"),
        (["tpcc", "run", "-T", "0"], "-T, --threads is not a whole number from 1"),
        (["tpcc", "run", "--time", "60"], "--time: '60' is not a duration with its unit"),
        (["tpcc", "run", "--time", "0s"], "--time must be above 0"),
        (["tpcc", "run", "--interval", "500ms"], "--interval: '500ms' is not a whole number of s"),
        (["tpcc", "run", "--output", "csv"], "--output: 'csv' is not one of plain, table, json"),
        (["tpcc", "run", "--isolation", "3"], "--isolation 3 is a level that neither MySQL nor"),
        (["tpcc", "run", "--isolation", "7"], "--isolation 7 is a level"),
        (["tpcc", "run", "--weight", "45,43,4,4"], "--weight: '45,43,4,4' is not five whole num"),
        (["tpcc", "run", "--weight", "45,43,4,4,5"], "with the sum 100"),
        (["tpcc", "run", "-d", "oracle"], "-d, --driver: 'oracle' is not one of mysql, postgres"),
        (["tpcc", "run", "-D", ""], "--db must not be empty"),
        (["tpcc", "run", "--conn-refresh-interval", "10s"], "--conn-refresh-interval is not supp"),
        (["tpcc", "prepare", "--output-type", "csv"], "--output-type is not supported: rows are"),
        (["tpcc", "prepare", "--output-dir", "x"], "--output-dir is not supported"),
        (["tpcc", "prepare", "--use-clustered-index=false"], "--use-clustered-index is not supp"),
        (["tpcc", "prepare", "--parts", "11"], "--parts 11 is more than --warehouses 10"),
        (["tpcc", "prepare", "--parts", "2", "--partition-type", "2"], "partitioned by hash only"),
        (["tpcc", "check", "--ssl-cert", "x"], "--ssl-cert is not supported: connections have no"),
        (["tpcc", "check", "--conn-params", "tls=true"], "tls asks to verify the server, which"),
        (
            ["tpcc", "check", "--conn-params", "tidb_isolation_read_engines='tiflash'"],
            "--conn-params: tidb_isolation_read_engines is not supported: connections take no "
            "variables of a session; set it for all sessions of the server with SET GLOBAL",
        ),
        (
            ["tpcc", "check", "-d", "postgres", "--conn-params", "synchronous_commit=off"],
            "synchronous_commit is not supported: .*; set it for the user with ALTER ROLE",
        ),
    ],
)
def test_what_cannot_be_done_is_named(words: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        # No server is asked: the call is wrong before.
        call(words, mute, mute)


@pytest.mark.parametrize(
    "words",
    [
        ["tpcc", "run", "-P", "kXkXk9"],
        ["tpcc", "run", "-T", "kXkXk9"],
        ["tpcc", "run", "--pasword=kXkXk9"],
        ["tpcc", "run", "--pasword", "kXkXk9"],
        ["tpcc", "run", "-p", "", "kXkXk9"],
        ["kXkXk9", "tpcc"],
        ["tpcc", "kXkXk9"],
        ["tpcc", "run", "--wait=kXkXk9"],
        ["tpcc", "run", "--conn-params", "password=kXkXk9"],
        ["tpcc", "run", "--conn-params", "/kXkXk9"],
        ["tpcc", "run", "-d", "postgres", "--conn-params", "sslmode=kXkXk9"],
        ["tpcc", "run", "--conn-params", "transaction_isolation=kXkXk9"],
    ],
)
def test_no_message_repeats_what_may_be_a_password(words: list[str]) -> None:
    with pytest.raises(InputError) as error:
        call(words, mute, mute)
    assert "kXkXk9" not in str(error.value)


def test_what_has_no_effect_is_said() -> None:
    words = ["tpcc", "run", "-S", "10081", "--max-procs=2", "--pprof", ":1", "-t", "2"]
    said = list(read_arguments(words).warnings())
    assert said[0] == "-S, --statusPort has no effect: no other port of the server is asked"
    assert len(said) == 4
    assert list(read_arguments(["tpcc", "run"]).warnings()) == []
    parameters = read_connection(read_arguments(["tpcc", "run", "--conn-params", "charset=utf8"]))
    assert parameters.warnings == ("--conn-params charset has no effect on the load",)


def test_help_and_version_need_no_server() -> None:
    def said(*words: str) -> str:
        texts: list[str] = []
        call(words, texts.append, texts.append)
        return "".join(texts)

    assert said() == said("--help") == said("help")
    assert "--warehouses" not in said("--help")
    whole = said("tpcc", "--help")
    for flag in ("--warehouses N", "--no-check", "--weight LIST", "-H, --host HOST", "--out DIR"):
        assert flag in whole
    assert "--weight LIST" in said("tpcc", "run", "-h", "--time", "nonsense")
    assert "--weight" not in said("tpcc", "prepare", "--help")
    assert said("version").startswith("Release version: dbdyno ")


def test_a_switch_that_is_off_is_off() -> None:
    arguments: Arguments = read_arguments(["tpcc", "run", "--ignore-error=false", "--silence"])
    assert not arguments.switch("ignore-error")
    assert arguments.switch("silence")
