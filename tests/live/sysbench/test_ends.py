"""How a call ends that does not go as wanted: status, words, and what is kept."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from dbdyno.store.model import TrialStatus
from dbdyno.store.reader import read_result
from tests.live.engine.fixed_server import MariaDb
from tests.live.sysbench.programs import DBDYNO, LIMIT_S, SYSBENCH, Database

TABLE = ("oltp_read_write", "--tables=2", "--table-size=1000")


@pytest.mark.live
def test_tables_that_are_there_are_not_touched(server: Database) -> None:
    server.must(SYSBENCH, *TABLE, "prepare")
    refused = server.call(DBDYNO, *TABLE, "prepare")
    assert refused.status == 1
    assert "FATAL: table sbtest1 is there already, and nothing is overwritten" in refused.output
    assert "Creating" not in refused.output


@pytest.mark.live
def test_a_run_without_its_rows_says_so(mysql: Database) -> None:
    less = ("oltp_point_select", "--tables=2", "--table-size=10")
    run = ("oltp_point_select", "--tables=2", "--time=1")
    mysql.must(DBDYNO, *less, "prepare")
    said = mysql.must(DBDYNO, *run, "--table-size=20", "run").output
    assert "WARNING: table sbtest1 has ids up to 10 only, and the run looks for ids" in said
    assert "(so it is with 1 more table): many queries will find nothing" in said
    assert "WARNING" not in mysql.must(DBDYNO, *run, "--table-size=10", "run").output
    assert mysql.must(DBDYNO, *run, "--table-size=20", "--verbosity=0", "run").output == ""
    mysql.must(DBDYNO, *less, "cleanup")
    empty = ("oltp_insert", "--auto-inc=off")
    mysql.must(DBDYNO, *empty, "prepare")
    said = mysql.must(DBDYNO, *run[:1], "--time=1", "run").output
    assert "WARNING: table sbtest1 has no rows, and the run looks for ids up to 10000: " in said
    mysql.must(DBDYNO, *empty, "cleanup")


@pytest.mark.live
def test_rows_that_a_policy_hides_are_noticed_after_the_run(pgsql: Database) -> None:
    """The owner is no superuser here, and the policy is for it, too."""
    table = ("oltp_point_select", "--tables=1", "--table-size=1000")
    pgsql.must(DBDYNO, *table, "prepare")
    pgsql.query("ALTER TABLE sbtest1 ENABLE ROW LEVEL SECURITY")
    pgsql.query("ALTER TABLE sbtest1 FORCE ROW LEVEL SECURITY")
    run = pgsql.must(DBDYNO, *table, "--time=1", "run")
    assert "WARNING: 100% of SELECT and UPDATE statements found no row" in run.output + run.errors
    document = json.loads(pgsql.must(DBDYNO, *table, "--time=1", "--json", "run").output)
    assert document["warning"].startswith("100% of SELECT and UPDATE statements found no row")
    pgsql.must(DBDYNO, *table, "cleanup")


@pytest.mark.live
def test_ids_with_gaps_are_noticed_before_the_run_and_in_its_result(
    server: Database, tmp_path: Path
) -> None:
    table = ("oltp_read_write", "--tables=1", "--table-size=3000", "--delete_inserts=0")
    server.must(DBDYNO, *table, "prepare")
    server.query("DELETE FROM sbtest1 WHERE id % 3 <> 2")
    result = tmp_path / "result"
    run = (*table, "--time=0", "--events=50", f"--out={result}", "run")
    said = server.must(DBDYNO, *run).output
    found = re.search(r"sbtest1 has (\d+) of 1000 ids between 1 and 3000 that were looked", said)
    assert found, said
    assert 250 < int(found[1]) < 420
    (trial,) = read_result(result).trials
    assert trial.end is not None
    found_by_id = [each for each in trial.end.statements if "WHERE id=?" in each.sql]
    assert {each.verb for each in found_by_id} == {"select", "update"}
    for verb in ("select", "update"):
        of_it = [each for each in found_by_id if each.verb == verb]
        without_rows = sum(each.without_rows for each in of_it)
        assert 0.5 < without_rows / sum(each.executions for each in of_it) < 0.8, of_it


@pytest.mark.live
@pytest.mark.parametrize("script", ["oltp_read_only", "oltp_write_only"])
def test_a_server_that_limits_selects_is_refused_in_words(script: str) -> None:
    """Ranges of five rows in place of a hundred would be a higher rate for less work."""
    table = (script, "--tables=1", "--table-size=5000", "--threads=4")
    with MariaDb() as server:
        database = Database("mysql", server.url(), None)
        database.must(DBDYNO, *table, "prepare")
        server.query("SET GLOBAL sql_select_limit = 5")
        ended = database.call(DBDYNO, *table, "--time=1", "run")
    assert ended.status == 1
    assert "FATAL: " in ended.output
    assert "the server ends each SELECT after 5 rows" in ended.output
    assert "lost" not in ended.output


@pytest.mark.live
def test_a_generator_opens_as_many_files_as_it_may(mysql: Database) -> None:
    table = ("oltp_point_select", "--tables=1", "--table-size=100", "--threads=80", "--time=1")
    mysql.must(DBDYNO, *table, "prepare")
    ended = mysql.call(("prlimit", "--nofile=64:1000", *DBDYNO), *table, "run")
    mysql.must(DBDYNO, *table, "cleanup")
    assert ended.status == 0, ended.output + ended.errors


@pytest.mark.live
def test_a_wrong_password_and_a_wrong_port_are_said(mysql: Database) -> None:
    denied = mysql.call(DBDYNO, *TABLE, "--mysql-password=wrong", "run")
    assert denied.status == 1
    assert "FATAL: " in denied.output
    assert "Access denied for user 'dbdyno'" in denied.output
    nobody = mysql.call(DBDYNO, *TABLE, "--mysql-port=1", "run")
    assert "is the server up, and are host and port right?" in nobody.output
    assert nobody.status == 1


@pytest.mark.live
def test_an_error_that_is_not_to_be_ignored_is_fatal(mysql: Database, tmp_path: Path) -> None:
    """Without transactions, two clients delete a row, and the second finds it inserted again."""
    options = (*TABLE, "--tables=1", "--table-size=1", "--skip-trx", "--threads=4", "--time=20")
    mysql.must(DBDYNO, *options, "prepare")
    result = tmp_path / "result"
    ended = mysql.call(DBDYNO, *options, f"--out={result}", "run")
    assert ended.status == 1
    assert "FATAL: Duplicate entry '1' for key 'PRIMARY' (error 1062" in ended.output
    assert "SQL statistics" not in ended.output
    (trial,) = read_result(result).trials
    assert trial.status is TrialStatus.FAILED
    assert trial.reason is not None
    assert "1062" in trial.reason
    ignored = ("--mysql-ignore-errors=1062,1213", "--time=2")
    statistics = mysql.must(DBDYNO, *options, *ignored, "run").read.statistics()
    assert statistics["ignored errors"] > 0
    mysql.must(DBDYNO, *options, "cleanup")


@pytest.mark.live
def test_an_interrupted_run_says_what_it_measured(mysql: Database) -> None:
    mysql.must(DBDYNO, *TABLE, "prepare")
    words = [*DBDYNO, *mysql.options, *TABLE, "--time=60", "--report-interval=1", "run"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        before = ""
        while "[ 1s ]" not in before:
            line = running.stdout.readline()
            assert line, before
            before += line
        running.send_signal(signal.SIGINT)
        rest = running.stdout.read()
        assert running.wait(LIMIT_S) == 1
    assert "SQL statistics:" in rest
    assert rest.endswith("FATAL: stopped; the figures are of the time until then\n")
    mysql.must(DBDYNO, *TABLE, "cleanup")


@pytest.mark.live
def test_what_a_forced_shutdown_leaves_out_is_said(mysql: Database) -> None:
    mysql.must(DBDYNO, *TABLE, "prepare")
    forced = mysql.must(DBDYNO, *TABLE, "--threads=16", "--time=1", "--forced-shutdown=0", "run")
    mysql.must(DBDYNO, *TABLE, "cleanup")
    assert re.search(r"WARNING: \d+ transactions were under way when", forced.output)


@pytest.mark.live
def test_a_run_is_a_result_and_a_document_on_request(database: Database, tmp_path: Path) -> None:
    options = (*TABLE, "--time=2", "--threads=2", "--percentiles=50,99.9", "--json")
    database.must(DBDYNO, *TABLE, "prepare")
    result = tmp_path / "result"
    document = json.loads(database.must(DBDYNO, *options, f"--out={result}", "run").output)
    database.must(DBDYNO, *TABLE, "cleanup")
    assert set(document["response_ms"]["percentiles"]) == {"95", "50", "99.9"}
    (trial,) = read_result(result).trials
    assert trial.status is TrialStatus.COMPLETED
    committed = sum(trial.intervals["committed"])
    assert committed == document["transactions"] > 0
    assert database.password is None or database.password not in str(document)


def test_scripts_of_one_table_take_the_options_of_all(mysql: Database) -> None:
    tables = ("--tables=3", "--table-size=100")
    for script in ("select_random_points", "select_random_ranges"):
        for program in (SYSBENCH, DBDYNO):
            mysql.must(program, script, *tables, "prepare")
            done = mysql.must(
                program, script, *tables, "--events=5", "--mysql-ignore-errors=none", "run"
            )
            assert done.read.statistics()["transactions"] == 5
            # sysbench itself refuses to remove what it has made.
            removed = mysql.must(DBDYNO, script, *tables, "cleanup")
            assert "Dropping table 'sbtest3'" in removed.output


def test_what_a_plan_refuses_is_said_of_the_option(mysql: Database) -> None:
    done = mysql.call(DBDYNO, "oltp_read_only", "--table-size=0", "prepare")
    assert done.status == 1
    assert done.errors.startswith("--table-size is 0")
    done = mysql.call(DBDYNO, "oltp_read_only", "--mysql-ignore-errors=dedlock", "run")
    assert done.errors.startswith("--mysql-ignore-errors is dedlock")
