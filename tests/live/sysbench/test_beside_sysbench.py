"""Real sysbench and dbdyno on the same tables: whoever made them, both find the same work there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dbdyno.peers.sysbench.catalogue import SCRIPTS
from tests.live.sysbench.programs import DBDYNO, SYSBENCH, Database, sqlite
from tests.sysbench_output import Output

TABLE = ("--tables=2", "--table-size=10000")
LOAD = ("--threads=1", "--events=20", "--rand-type=uniform")

RICH = (
    "--point-selects=3",
    "--simple-ranges=2",
    "--sum-ranges=0",
    "--order-ranges=3",
    "--distinct-ranges=1",
    "--index-updates=4",
    "--non-index-updates=2",
    "--delete-inserts=3",
    "--range-size=7",
)

ON_ONE_TABLE = ("select_random_points", "select_random_ranges")

ALL = sorted(set(SCRIPTS) - {"bulk_insert"}, key=lambda script: script == "oltp_delete")
"""The script that removes rows comes last: a statement that finds none counts otherwise."""

SOME = ("oltp_read_write", "oltp_insert", "select_random_points")


def comparable(output: Output, script: str) -> dict[str, int]:
    """Return all counts; a row that is deleted for the second time may be no write."""
    counts = output.statistics()
    if script == "oltp_delete":
        counts["write"] += counts.pop("other")
    return counts


@pytest.mark.live
@pytest.mark.parametrize(
    ("maker", "cleaner", "scripts", "options"),
    [
        (SYSBENCH, DBDYNO, ALL, ()),
        (DBDYNO, SYSBENCH, SOME, ("--db-ps-mode=disable",)),
        (DBDYNO, SYSBENCH, SOME[:1], RICH),
        (SYSBENCH, DBDYNO, SOME[:1], ("--skip-trx",)),
    ],
    ids=["sysbench's tables", "dbdyno's tables as text", "rich", "skip-trx"],
)
def test_both_do_the_same_on_tables_of_either(
    server: Database,
    maker: tuple[str, ...],
    cleaner: tuple[str, ...],
    scripts: Sequence[str],
    options: tuple[str, ...],
) -> None:
    server.must(maker, "oltp_read_write", *TABLE, "prepare")
    for script in scripts:
        table = ("--table-size=10000",) if script in ON_ONE_TABLE else TABLE
        call = (script, *table, *LOAD, *options, "run")
        theirs, ours = (server.must(program, *call).read for program in (SYSBENCH, DBDYNO))
        assert comparable(ours, script) == comparable(theirs, script), script
    server.must(cleaner, "oltp_read_write", *TABLE, "cleanup")


@pytest.mark.live
def test_both_say_the_same_before_they_begin(mysql: Database) -> None:
    said = ("--rate=50", "--report-interval=1", "--report-checkpoints=3", "--rand-seed=7")
    call = ("oltp_point_select", *said, "--validate", "--forced-shutdown=5", "--events=5", "run")
    mysql.must(SYSBENCH, "oltp_point_select", "prepare")
    theirs, ours = (mysql.must(program, *call).output for program in (SYSBENCH, DBDYNO))
    mysql.must(SYSBENCH, "oltp_point_select", "cleanup")
    begun = theirs.partition("Threads started!")[0].splitlines()[1:]
    # The first line is of who runs; the second of ours says how it behaves.
    assert ours.partition("Threads started!")[0].splitlines()[2:] == begun
    assert "Validation checks: on." in begun


@pytest.mark.live
def test_rates_are_counts_by_the_whole_time(mysql: Database) -> None:
    mysql.must(SYSBENCH, "oltp_point_select", "prepare")
    # sysbench's own time for the rates is some milliseconds longer than the one that it prints.
    for program, time_s, tolerance in ((SYSBENCH, 5, 1e-2), (DBDYNO, 1, 1e-4)):
        output = mysql.must(program, "oltp_point_select", f"--time={time_s}", "run").read
        (fields,) = output.reports
        count, rate = fields["transactions"]
        (total_time_s,) = fields["total time"]
        assert float(rate) == pytest.approx(int(count) / float(total_time_s), rel=tolerance)
    mysql.must(SYSBENCH, "oltp_point_select", "cleanup")


@pytest.mark.live
def test_both_see_the_same_tables(server: Database) -> None:
    """The schema is the same by the server's own account."""
    schemas = []
    for program in (SYSBENCH, DBDYNO):
        server.must(program, "oltp_read_write", *TABLE, "prepare")
        schemas.append(schema(server))
        server.must(program, "oltp_read_write", *TABLE, "cleanup")
    assert schemas[0] == schemas[1]
    assert len(schemas[0]) >= 2 * 4


def schema(server: Database) -> list[tuple[str | None, ...]]:
    columns = server.query(
        "SELECT table_name, column_name, data_type, is_nullable, character_maximum_length "
        "FROM information_schema.columns WHERE table_name LIKE 'sbtest%' "
        "ORDER BY table_name, ordinal_position"
    )
    if server.driver == "mysql":
        return columns + [
            (row[1].partition(" AUTO_INCREMENT=")[0],)
            for number in (1, 2)
            for row in server.query(f"SHOW CREATE TABLE sbtest{number}")
            if row[1] is not None
        ]
    return columns + server.query(
        "SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'sbtest%' ORDER BY indexdef"
    )


@pytest.mark.live
def test_bulk_insert_goes_on_where_the_other_prepared(server: Database) -> None:
    for maker, runner in ((SYSBENCH, DBDYNO), (DBDYNO, SYSBENCH)):
        server.must(maker, "bulk_insert", "--threads=2", "prepare")
        server.must(runner, "bulk_insert", "--threads=2", "--events=30000", "run")
        counts = [server.query(f"SELECT COUNT(*) FROM sbtest{number}")[0] for number in (1, 2)]
        assert sum(int(count or 0) for (count,) in counts) == 30_000
        server.must(maker, "bulk_insert", "--threads=2", "cleanup")


@pytest.mark.live
def test_both_outputs_are_read_by_one_reader(server: Database) -> None:
    server.must(DBDYNO, "oltp_read_write", *TABLE, "prepare")
    # sysbench prints intervals and checkpoints from two threads: at one instant they would mix.
    call = (
        "oltp_read_write",
        *TABLE,
        *("--threads=2", "--time=5", "--report-interval=2", "--report-checkpoints=3"),
        *("--histogram", "--rate=50", "--percentile=99", "--forced-shutdown=5", "run"),
    )
    theirs, ours = (server.must(program, *call).read for program in (SYSBENCH, DBDYNO))
    for output in (theirs, ours):
        assert [line[0] for line in output.intervals] == ["2", "4"]
        assert len(output.queues) == 2
        assert output.checkpoints == ["3"]
        assert len(output.reports) == 2
        assert output.buckets
        assert {line[7] for line in output.intervals} == {"99"}
    # The first two lines are ours alone; sysbench has one that names its Lua.
    assert theirs.header[1:] == ours.header[2:]
    assert theirs.reports[0].keys() == ours.reports[0].keys()


@pytest.mark.live
def test_every_server_and_protocol_gives_the_same_rows(
    mysql: Database, myrocks: Database, pgsql: Database, tmp_path: Path
) -> None:
    """What was read is proved by its hash: it is equal just where all rows are."""
    databases = [mysql, myrocks, pgsql, sqlite(tmp_path)]
    options = ("oltp_read_only", *TABLE, "--threads=2", "--events=60", "--rand-seed=7")
    for database in databases:
        assert database.here(*options, "prepare").status == 0
    hashes = {
        read_hash(database, *options, f"--db-ps-mode={mode}")
        for database in databases
        for mode in ("auto", "disable")
    }
    assert len(hashes) == 1
    assert read_hash(mysql, *options, "--rand-seed=8") not in hashes
    mysql.query("UPDATE sbtest1 SET c = CONCAT(LEFT(c, 118), 'x')")
    assert read_hash(mysql, *options) not in hashes
    for database in databases:
        assert database.here(*options, "cleanup").status == 0


def read_hash(database: Database, *options: str) -> str:
    """Return the hash of all rows that one client reads, so that its transactions are the same."""
    asked = (*options, "--threads=1", "--read-hash", "--json", "run")
    document = json.loads(database.here(*asked).output)
    return str(document["facts"]["rows_read_hash"])
