"""Little's law in what commands print: throughput x mean time = clients, whoever has the CPUs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from dbdyno._native import Session
from tests.live.engine.fixed_server import FixedServer, MariaDb, PostgreSql

pytestmark = pytest.mark.live

WITHIN = 0.03
TIME_S = 2
LIMIT_S = 180
CLIENTS = (1, 8, 64, 200)
MANY_CLIENTS = 1000
BURN = "while True: pass"
MANY_PROGRAMS = 8
IN_EFFECT = "of 64 clients waited for the server"
TABLES_OF = {
    "go-tpc": ("-D", "go_tpc", "--warehouses", "1"),
    "tpcc-mysql": ("-d", "tpcc_mysql"),
}
"""By command, where its tables are. go-tpc would take ten warehouses: minutes on a slow machine."""
SHORT_TRANSACTIONS = {
    "pgbench": (
        ("-n", "-S", "-T", "2", "-c", "64"),
        r"latency average = ([\d.]+) ms",
        (r"tps = ([\d.]+)", 1),
    ),
    "go-tpc": (
        (
            *("tpcc", "run", *TABLES_OF["go-tpc"]),
            *("-T", "64", "--time", "3s", "--weight", "0,0,100,0,0"),
        ),
        r"\[Summary\] ORDER_STATUS - .* Avg\(ms\): ([\d.]+)",
        (r"\[Summary\] ORDER_STATUS - .* TPM: ([\d.]+)", 60),
    ),
}
"""By command: what 64 clients read, where the mean is printed, and where the rate in so many s."""
POINT_SELECT = ("oltp_point_select", "--tables=1", "--table-size=1000")
PAUSES = "\\set id random(1, 100)\n\\sleep 50 ms\nSELECT :id;\n\\sleep 20 ms\n"
WITHOUT_STATEMENTS = "\\set id random(1, 100)\n\\sleep 2 ms\n"


@pytest.fixture(scope="module")
def mariadb() -> Iterator[FixedServer]:
    """Return a private MariaDB with tables of sysbench and TPC-C."""
    with MariaDb("--max-connections=1100", "--back-log=1100") as server:
        said(server, "sysbench", *POINT_SELECT, "prepare")
        said(server, "tpcc", "load", server.url(), "-w", "1")
        session = Session.connect(server.url())
        session.query("CREATE DATABASE tpcc_mysql")
        session.close()
        for command, words in {"go-tpc": ("tpcc", "prepare"), "tpcc-mysql": ("load",)}.items():
            said(server, command, *words, *TABLES_OF[command])
        yield server


@pytest.fixture(scope="module")
def postgresql() -> Iterator[FixedServer]:
    """Return a private PostgreSQL with tables of pgbench."""
    with PostgreSql("max_connections=300") as server:
        said(server, "pgbench", "-i", "-q")
        yield server


def said(server: FixedServer, command: str, *words: str | Path, wrapper: Sequence[str] = ()) -> str:
    """Return what a command prints, warnings last; it must succeed."""
    places: dict[str, tuple[str, ...]] = {
        "sysbench": (
            *("--mysql-host=127.0.0.1", f"--mysql-port={server.port}"),
            *("--mysql-user=root", "--mysql-db=test"),
        ),
        "pgbench": ("-h", "127.0.0.1", "-p", f"{server.port}", "-U", "postgres"),
    }
    port = ("127.0.0.1", "-P", f"{server.port}")
    behind = {
        "pgbench": ("test",),
        "go-tpc": ("-H", *port),
        "tpcc-mysql": ("-h", *port),
    }.get(command, ())
    call = [*wrapper, sys.executable, "-m", "dbdyno", command, *places.get(command, ())]
    call += [*map(str, words), *behind]
    ended = subprocess.run(call, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def number(pattern: str, text: str) -> float:
    """Return the number that a pattern finds."""
    found = re.search(pattern, text)
    assert found is not None, text
    return float(found[1].replace(",", ""))


def assert_sysbench_accounts_for(
    server: FixedServer, clients: int, wrapper: Sequence[str] = ()
) -> None:
    """Hold sysbench's printed figures to the law; it prints hundredths of a millisecond."""
    words = (*POINT_SELECT, f"--threads={clients}", f"--time={TIME_S}", "run")
    printed = said(server, "sysbench", *words, wrapper=wrapper)
    rate = number(r"transactions: +\d+ +\(([\d.]+) per sec", printed)
    accounted = rate * number(r"avg: +([\d.]+)", printed) / 1000
    # After the time asked for a client still has its last transaction to end.
    busy_s = number(r"execution time \(avg/stddev\): +([\d.]+)", printed)
    total_s = number(r"total time: +([\d.]+)s", printed)
    assert (1 - WITHIN) * TIME_S <= busy_s <= total_s
    rounding = rate * 0.005 / 1000
    assert accounted == pytest.approx(clients * busy_s / total_s, abs=WITHIN * clients + rounding)


def by_pgbench(
    server: FixedServer, clients: int, wrapper: Sequence[str] = (), *options: str | Path
) -> float:
    """Return the same of pgbench's."""
    words = (*("-n", "-T", "2", "-c", f"{clients}"), *(options or ("-S", "-M", "prepared")))
    printed = said(server, "pgbench", *words, wrapper=wrapper)
    return number(r"tps = ([\d.]+)", printed) * number(r"average = ([\d.]+) ms", printed) / 1000


def by_tpcc(server: FixedServer, clients: int) -> tuple[float, float]:
    """Return the same of ``dbdyno tpcc``'s document, and how many transactions a client did."""
    words = ("run", server.url(), "--terminals", f"{clients}", "--warmup", "0s", "--duration", "5s")
    run = json.loads(said(server, "tpcc", *words, "--json"))
    return run["clients"]["accounted"], run["transactions"] / clients


@pytest.mark.parametrize("clients", CLIENTS)
def test_printed_times_account_for_all_clients(
    mariadb: FixedServer, postgresql: FixedServer, clients: int
) -> None:
    assert by_pgbench(postgresql, clients) == pytest.approx(clients, rel=WITHIN)
    assert_sysbench_accounts_for(mariadb, clients)


def test_printed_times_account_for_a_thousand_clients(mariadb: FixedServer) -> None:
    assert_sysbench_accounts_for(mariadb, MANY_CLIENTS)


@pytest.mark.parametrize("clients", [1, 8])
def test_times_of_transactions_of_many_statements_do(mariadb: FixedServer, clients: int) -> None:
    accounted, each = by_tpcc(mariadb, clients)
    # The transaction that the window's end cuts through counts as a whole, or not at all.
    assert accounted == pytest.approx(clients, rel=WITHIN + 2 / each)


def by_go_tpc(server: FixedServer, clients: int) -> float:
    """Return the same of go-tpc's rows, which have the sum of the times of a kind."""
    words = ("tpcc", "run", *TABLES_OF["go-tpc"], "-T", f"{clients}", "--time", "5s")
    printed = said(server, "go-tpc", *words)
    sums_ms = re.findall(r"\[Summary\] .* Sum\(ms\): ([\d.]+)", printed)
    assert len(sums_ms) == 5, printed
    return sum(map(float, sums_ms)) / 1000 / 5


def by_tpcc_mysql(server: FixedServer, clients: int) -> float:
    """Return the same of tpcc_start's lines, which have a mean for each kind."""
    words = ("start", *TABLES_OF["tpcc-mysql"], "-c", f"{clients}", "-r", "0", "-l", "5")
    printed = said(server, "tpcc-mysql", *words)
    kinds = re.findall(r" sc:(\d+) lt:(\d+) .* avg_rt: ([\d.]+)", printed)
    assert len(kinds) == 5
    return sum((int(done) + int(late)) * float(ms) for done, late, ms in kinds) / 1000 / 5


@pytest.mark.parametrize("accounted", [by_go_tpc, by_tpcc_mysql])
def test_means_of_each_kind_account_for_all_clients(
    mariadb: FixedServer, accounted: Callable[[FixedServer, int], float]
) -> None:
    # Of each client the end cuts one transaction off, among some hundred.
    assert accounted(mariadb, 4) == pytest.approx(4, rel=WITHIN + 0.05)


@contextmanager
def one_cpu_that_others_use(programs: int = 2) -> Iterator[tuple[str, ...]]:
    """Keep a CPU busy with programs; return how a command is started on that CPU alone."""
    cpu = min(os.sched_getaffinity(0))
    wrapper = ("taskset", "--cpu-list", f"{cpu}")
    burn = [*wrapper, sys.executable, "-c", BURN]
    # The scheduler shares a CPU among sessions, whatever runs in each.
    burners = [subprocess.Popen(burn, start_new_session=True) for _ in range(programs)]
    try:
        yield wrapper
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


@contextmanager
def cpus_apart(*servers: FixedServer) -> Iterator[tuple[str, ...]]:
    """Keep servers off a CPU; return how a command is started on that CPU alone."""
    cpus = os.sched_getaffinity(0)
    if len(cpus) < 2:
        pytest.skip("NOT TESTED: Little's law with CPUs apart, which takes two CPUs")
    pinned = [each.process.pid for each in servers if each.process is not None]
    bind(pinned, cpus - {min(cpus)})
    try:
        yield ("taskset", "--cpu-list", f"{min(cpus)}")
    finally:
        bind(pinned, cpus)


def bind(processes: Sequence[int], cpus: set[int]) -> None:
    """Bind processes with all their threads to CPUs; PostgreSQL forks its sessions from them."""
    listed = ",".join(map(str, sorted(cpus)))
    for process in processes:
        words = ("taskset", "--all-tasks", "--cpu-list", "--pid", listed, f"{process}")
        subprocess.run(words, check=True, capture_output=True)


@pytest.mark.parametrize("clients", [8, 64])
def test_times_of_a_generator_with_a_cpu_of_its_own_do(
    mariadb: FixedServer, postgresql: FixedServer, clients: int
) -> None:
    with cpus_apart(mariadb, postgresql) as wrapper:
        assert_sysbench_accounts_for(mariadb, clients, wrapper)
        assert by_pgbench(postgresql, clients, wrapper) == pytest.approx(clients, rel=WITHIN)


def test_times_of_a_generator_without_a_cpu_account_for_all_clients(
    mariadb: FixedServer, postgresql: FixedServer
) -> None:
    with one_cpu_that_others_use() as wrapper:
        for clients in (8, 64):
            assert_sysbench_accounts_for(mariadb, clients, wrapper)
            assert by_pgbench(postgresql, clients, wrapper) == pytest.approx(clients, rel=WITHIN)
    words = (*POINT_SELECT, "--threads=64", "--time=2")
    # Answers lie unread where the server has a CPU, and the generator has less than it needs.
    with one_cpu_that_others_use(MANY_PROGRAMS) as wrapper, cpus_apart(mariadb):
        printed = said(mariadb, "sysbench", *words, "run", wrapper=wrapper)
        document = json.loads(said(mariadb, "sysbench", *words, "--json", "run", wrapper=wrapper))
    assert number(rf"On average ([\d.]+) {IN_EFFECT}", printed) < 0.95 * 64
    assert document["clients"]["asked"] == 64
    assert document["clients"]["in_effect"] < 0.95 * 64
    busy_s = document["fairness"]["busy_s"]["mean"]
    accounted = 64 * busy_s / document["elapsed_s"]
    assert document["clients"]["accounted"] == pytest.approx(accounted, rel=WITHIN)
    assert document["server_response_ms"]["mean"] < document["response_ms"]["mean"]


@pytest.mark.parametrize("command", list(SHORT_TRANSACTIONS))
def test_commands_print_the_servers_own_time_beside_theirs(
    mariadb: FixedServer, postgresql: FixedServer, command: str
) -> None:
    words, mean, (rate, of_s) = SHORT_TRANSACTIONS[command]
    server = postgresql if command == "pgbench" else mariadb
    with one_cpu_that_others_use(MANY_PROGRAMS) as wrapper, cpus_apart(server):
        printed = said(server, command, *words, wrapper=wrapper)
    whole_ms = number(r"Of the average time of ([\d.]+) ms the server took", printed)
    server_ms = number(r"the server took ([\d.]+) ms\.", printed)
    in_effect = number(rf"On average ([\d.]+) {IN_EFFECT}", printed)
    per_s = number(rate, printed) / of_s
    assert in_effect < 0.95 * 64
    assert in_effect / 64 == pytest.approx(server_ms / whole_ms, rel=WITHIN)
    if command == "pgbench":
        assert_mean_is_that_of_all_clients(printed, number(mean, printed), per_s, whole_ms)
        return
    assert number(mean, printed) == pytest.approx(whole_ms, rel=WITHIN)
    accounted = per_s * whole_ms / 1000
    # The end of the window cuts through a transaction of each client.
    assert accounted == pytest.approx(64, rel=2 * WITHIN)


def assert_mean_is_that_of_all_clients(
    printed: str, mean_ms: float, per_s: float, whole_ms: float
) -> None:
    """pgbench divides the time of all 64 clients, also of those that wait for the last to end."""
    elapsed_s = number(r"actually processed: (\d+)", printed) / per_s
    assert per_s * mean_ms / 1000 == pytest.approx(64, rel=0.001)
    assert whole_ms - 0.001 <= mean_ms <= whole_ms * elapsed_s / TIME_S


def test_a_generator_without_a_cpu_does_not_claim_what_it_cannot_see(mariadb: FixedServer) -> None:
    """Over a Unix socket no kernel says when an answer arrived."""
    socket = f"--mysql-socket={mariadb.directory}/socket"
    words = (
        *(*POINT_SELECT, "--threads=64", "--time=2", "--mysql-host=localhost", socket),
        "--wait=sleep",  # root's generator would go before the others
    )
    with one_cpu_that_others_use() as wrapper:
        printed = said(mariadb, "sysbench", *words, "run", wrapper=wrapper)
        document = json.loads(said(mariadb, "sysbench", *words, "--json", "run"))
    assert number(r"the generator waited for a CPU for ([\d.]+)% of the time", printed) > 5
    assert document["clients"]["in_effect"] is None
    assert document["server_response_ms"]["mean"] is None
    busy_s = document["fairness"]["busy_s"]["mean"]
    accounted = 64 * busy_s / document["elapsed_s"]
    assert document["clients"]["accounted"] == pytest.approx(accounted, rel=WITHIN)


@pytest.mark.parametrize("script", [PAUSES, WITHOUT_STATEMENTS], ids=["pauses", "no statements"])
def test_a_pause_of_a_script_is_part_of_its_time(
    postgresql: FixedServer, tmp_path: Path, script: str
) -> None:
    path = tmp_path / "script.sql"
    path.write_text(script)
    assert by_pgbench(postgresql, 4, (), "-f", path) == pytest.approx(4, rel=WITHIN)
