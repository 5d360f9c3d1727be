"""How a generator sends: by where the server runs, as asked for, and as ``--verbose`` says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dbdyno.experiment.design.workers import may_have_priority
from tests.live.engine.fixed_server import FixedServer, MariaDb, PostgreSql

pytestmark = pytest.mark.live

LIMIT_S = 180
CPUS = sorted(os.sched_getaffinity(0))
TWO_CPUS = pytest.mark.skipif(len(CPUS) < 2, reason="NOT TESTED: CPUs apart, which takes two")
FIRST = " and go first then (nice -20)" if may_have_priority() else ""
SLEEP = f"which sleep until an answer comes{FIRST}: the server may use the same CPUs"
NAP = "which take short naps where answers queue: the server has other CPUs"


class PinnedMariaDb(MariaDb):
    """One that may use the first CPU alone."""

    def command(self) -> Sequence[str | Path]:
        return ["taskset", "--cpu-list", f"{CPUS[0]}", *super().command()]


@pytest.fixture(scope="module")
def mariadb() -> Iterator[FixedServer]:
    """Return a private MariaDB on one CPU, with tables of sysbench and TPC-C."""
    with PinnedMariaDb() as server:
        sysbench(server, "--table-size=100", "prepare")
        ended = call("tpcc", "load", server.url(), "-w", "1")
        assert ended.returncode == 0, ended.stderr
        yield server


@pytest.fixture(scope="module")
def postgresql() -> Iterator[FixedServer]:
    """Return a private PostgreSQL on all CPUs, with tables of pgbench."""
    with PostgreSql() as server:
        ended = call("pgbench", *_of(server), "-i", "-q", "test")
        assert ended.returncode == 0, ended.stderr
        yield server


def call(*words: str, cpus: str | None = None) -> subprocess.CompletedProcess[str]:
    """Call dbdyno, on some CPUs if any are given."""
    wrapper = [] if cpus is None else ["taskset", "--cpu-list", cpus]
    arguments = [*wrapper, sys.executable, "-m", "dbdyno", *words]
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=LIMIT_S)


def sysbench(
    server: FixedServer, *words: str, cpus: str | None = None
) -> subprocess.CompletedProcess[str]:
    where = ("--mysql-host=127.0.0.1", f"--mysql-port={server.port}", "--mysql-db=test")
    script = ("sysbench", "oltp_point_select", *where, "--mysql-user=root", "--tables=1")
    return call(*script, *words, cpus=cpus)


def _of(server: FixedServer) -> tuple[str, ...]:
    return ("-h", "127.0.0.1", "-p", f"{server.port}", "-U", "postgres")


@TWO_CPUS
def test_the_cpus_of_server_and_generator_decide(mariadb: FixedServer) -> None:
    words = ("--table-size=100", "--threads=4", "--time=1", "--verbose", "run")
    beside = sysbench(mariadb, *words)
    assert SLEEP in beside.stderr
    apart = sysbench(mariadb, *words, cpus=f"{CPUS[1]}")
    assert f"dbdyno: 1 worker for 4 clients, {NAP}\n" in apart.stderr
    assert "dbdyno:" not in sysbench(mariadb, *words[:3], "run").stderr


@pytest.mark.parametrize(
    ("wait", "words"),
    [
        ("sleep", "sleep until an answer comes"),
        ("nap", "take short naps where answers queue"),
        ("spin", "look for answers without sleeping"),
        ("50us", "wait 50 µs for more answers"),
    ],
)
def test_what_is_asked_for_is_done(mariadb: FixedServer, wait: str, words: str) -> None:
    ended = sysbench(
        *(mariadb, "--table-size=100", "--threads=4", "--time=1"),
        *(f"--wait={wait}", "--workers=2", "--verbose", "run"),
    )
    assert ended.returncode == 0, ended.stderr
    assert f"dbdyno: 2 workers for 4 clients, which {words}: " in ended.stderr


def test_all_commands_take_the_same(mariadb: FixedServer, postgresql: FixedServer) -> None:
    said = "2 workers for 4 clients, which take short naps where answers queue: "
    for words in (
        ("pgbench", *_of(postgresql), "-c4", "-j2", "-T1", "-n", "-S", "--wait=nap", "--verbose"),
        (
            *("tpcc", "run", mariadb.url(), "-c", "4", "--duration", "1s", "--warmup", "0s"),
            *("--workers", "2", "--wait", "nap", "--verbose"),
        ),
    ):
        ended = call(*words, *(("test",) if words[0] == "pgbench" else ()))
        assert ended.returncode == 0, ended.stderr
        assert said in ended.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("sysbench", "oltp_point_select", "--wait=often", "run"),
        ("pgbench", "--wait=often", "test"),
        ("tpcc", "run", "mysql://root@127.0.0.1:1/test", "--wait", "often"),
        ("tpcc-mysql", "start", "--wait", "often", "-d", "test"),
        ("go-tpc", "tpcc", "run", "--wait-by", "often"),
    ],
)
def test_a_way_that_is_not_known_is_refused(words: Sequence[str]) -> None:
    ended = call(*words)
    assert ended.returncode != 0
    assert (
        "'often' is not known; write auto, sleep, priority, nap, spin, or as in 50us"
        in ended.stderr
    )
