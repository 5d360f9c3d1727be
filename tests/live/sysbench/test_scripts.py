"""Every script prepares, runs and cleans up on every kind of server."""

from __future__ import annotations

import pytest

from dbdyno.sysbench.catalogue import SCRIPTS
from tests.live.sysbench.programs import DBDYNO, Database

EVENTS = 40

STATEMENTS = {
    "oltp_read_write": (14, 4, 2),
    "oltp_read_only": (14, 0, 2),
    "oltp_write_only": (0, 4, 2),
    "oltp_point_select": (1, 0, 0),
    "oltp_update_index": (0, 1, 0),
    "oltp_update_non_index": (0, 1, 0),
    "oltp_insert": (0, 1, 0),
    "oltp_delete": (0, 1, 0),
    "select_random_points": (1, 0, 0),
    "select_random_ranges": (1, 0, 0),
}
"""Reads, writes and others of a transaction that meets nobody."""


@pytest.mark.live
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_prepares_runs_and_cleans_up(database: Database, script: str) -> None:
    options = ("--table-size=1000", f"--events={EVENTS}", "--threads=1")
    prepared = database.must(DBDYNO, script, *options, "prepare")
    assert "Creating table 'sbtest1'...\n" in prepared.output
    statistics = database.must(DBDYNO, script, *options, "run").read.statistics()
    assert statistics["transactions"] == EVENTS
    kinds = tuple(statistics[name] for name in ("read", "write", "other"))
    if script == "bulk_insert":
        # So few rows are sent in one statement at the end.
        assert kinds == (0, 1, 0)
        assert database.query("SELECT COUNT(*) FROM sbtest1") == [(str(EVENTS),)]
    else:
        assert kinds == tuple(EVENTS * count for count in STATEMENTS[script])
    assert database.must(DBDYNO, script, *options, "warmup").output.endswith("table sbtest1\n")
    database.must(DBDYNO, script, *options, "cleanup")
    again = database.call(DBDYNO, script, *options, "run")
    assert again.status == 1
    assert "sbtest1" in again.output.partition("FATAL: ")[2]


@pytest.mark.live
def test_ids_that_are_given_need_empty_tables(database: Database) -> None:
    options = ("oltp_insert", "--auto-inc=off", "--tables=2", "--threads=3", "--events=300")
    prepared = database.must(DBDYNO, *options, "prepare")
    assert "Inserting" not in prepared.output
    database.must(DBDYNO, *options, "run")
    counts = [database.query(f"SELECT COUNT(*) FROM sbtest{n}")[0][0] for n in (1, 2)]
    assert sum(int(count or 0) for count in counts) == 300


@pytest.mark.live
@pytest.mark.parametrize(
    "options",
    [
        ("--secondary",),
        ("--create-secondary=off", "--auto-inc=off"),
        ("--skip-trx", "--db-ps-mode=disable", "--range-selects=off"),
        ("--rand-type=zipfian", "--rand-zipfian-exp=1.1", "--scrambled"),
        ("--compatible", "--warmup-time=1"),
    ],
    ids=" ".join,
)
def test_options_reach_the_server(database: Database, options: tuple[str, ...]) -> None:
    call = ("oltp_read_write", "--tables=2", "--table-size=500", "--events=50", *options)
    database.must(DBDYNO, *call, "prepare")
    # One that was under way at the end of the warm-up is counted besides.
    transactions = database.must(DBDYNO, *call, "run").read.statistics()["transactions"]
    assert transactions in (50, 51)
    database.must(DBDYNO, *call, "cleanup")
