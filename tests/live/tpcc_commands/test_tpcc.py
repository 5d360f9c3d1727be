"""``dbdyno tpcc`` from loading to dropping, on real servers."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import polars as pl
import pytest

from dbdyno.store.model import TrialStatus
from dbdyno.store.reader import read_result
from tests.live.engine.fixed_server import PostgreSql
from tests.live.tpcc_commands.conftest import DBDYNO, LIMIT_S, Place, dbdyno, must

SHORT = ("--duration", "1s", "--warmup", "0.5s", "--interval", "1s", "--terminals", "4")


@pytest.mark.live
def test_a_run_is_told_stored_and_leaves_consistent_tables(loaded: Place, tmp_path: Path) -> None:
    two_lines = ("--duration", "2s")
    said = must("tpcc", "run", loaded.url, *SHORT, *two_lines, "--out", tmp_path / "result").output
    lines = [line for line in said.splitlines() if "New-Orders/min" in line]
    assert [line.split("]")[0].split()[-1] for line in lines] == ["warm-up", "s", "s"]
    assert "NOPM (the unpaced figure" in said
    (trial,) = read_result(tmp_path / "result").trials
    assert trial.status is TrialStatus.COMPLETED
    window = trial.intervals.filter(phase="window", transaction="new_order")
    row = next(line for line in said.splitlines() if line.startswith("New-Order "))
    counted = sum(window["committed"]) + sum(window["rolled_back"])
    assert int(row.split()[1].replace(",", "")) == counted > 0
    assert must("tpcc", "check", loaded.url).output.endswith("All hold.\n")


@pytest.mark.live
def test_a_document_in_place_of_text(loaded: Place) -> None:
    said = must("tpcc", "run", loaded.url, *SHORT, "--json", "--mix", "0,1,0,0,0", "--seed", "3")
    document = json.loads(said.output)
    assert set(document["kinds"]) >= {"payment"}
    assert document["kinds"]["payment"]["committed"] == document["transactions"] > 0
    assert document["seed"] == 3


@pytest.mark.live
def test_a_rate_is_offered_and_each_transaction_can_be_read(loaded: Place, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    options = ("--rate", "60", "--arrivals", "constant", "--transactions", "90", "--log", log)
    said = must("tpcc", "run", loaded.url, "--terminals", "4", *options).output
    assert "for 60 transactions/s (constant arrivals), " in said
    rows = pl.read_csv(log)
    assert len(rows) == 90
    # Of the very last, one worker may have taken what would have been another's turn.
    due_s = rows["scheduled_s"].sort().head(80)
    assert due_s.diff().drop_nulls().to_list() == pytest.approx([1 / 60] * 79, abs=2e-6)
    orders = rows.filter(transaction="new_order", ending="committed")
    assert orders["note"].str.contains(r"^w_id=1 d_id=\d+ o_id=\d{4}$").all()
    again = dbdyno("tpcc", "run", loaded.url, *options)
    assert again.status == 2
    assert "log.csv can't be begun: File exists" in again.errors


@pytest.mark.live
def test_ctrl_c_shows_what_was_measured(loaded: Place) -> None:
    words = [*DBDYNO, "tpcc", "run", loaded.url, "--warmup", "0s", "--interval", "1s"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        while "New-Orders/min" not in (line := run.stdout.readline()):
            assert line, run.stderr.read()
        run.send_signal(signal.SIGINT)
        rest, errors = run.stdout.read(), run.stderr.read()
        assert run.wait(LIMIT_S) == 1
    assert "NOPM (the unpaced figure" in rest
    assert errors == "stopped; the figures are of the time until then\n"


@pytest.mark.live
def test_what_is_not_there_is_said(loaded: Place) -> None:
    missing = dbdyno("tpcc", "run", loaded.url, "--schema", "benchmarksql", *SHORT)
    assert missing.status == 1
    assert "no warehouses in the tables of schema benchmarksql" in missing.errors
    many = dbdyno("tpcc", "run", loaded.url, "--warehouses", "2", *SHORT)
    assert many.status == 1
    assert "2 warehouses are asked for, but those loaded at" in many.errors
    again = dbdyno("tpcc", "load", loaded.url)
    assert again.status == 1
    assert "is there already, and nothing is overwritten" in again.errors
    wrong = dbdyno("tpcc", "run", loaded.url, "--terminls", "4")
    assert wrong.status == 2
    assert "--terminals" in wrong.errors


@pytest.mark.live
def test_tables_in_sqlite_and_away_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'tpcc.db'}"
    loaded = must("tpcc", "load", url, "--schema", "go-tpc", "--foreign-keys", "--json")
    words = json.loads(loaded.output)
    assert words["rows"] == words["size"]["logical"]["rows"] > 500_000
    assert 0.3 < words["size"]["logical_per_disk"] < 1.0
    moment = ("--duration", "1s", "--warmup", "0s")
    said = must("tpcc", "run", url, "--schema", "go-tpc", *moment)
    assert "NOPM" in said.output
    # Its tables have the specification's names.
    assert "schema spec" in must("tpcc", "run", url, *moment).output
    must("tpcc", "drop", url, "--schema", "go-tpc")
    assert dbdyno("tpcc", "run", url, "--schema", "go-tpc").status == 1


@pytest.mark.live
def test_a_password_in_the_url_is_used_and_printed_nowhere(mariadb: Place) -> None:
    for password, said in (("se%26cret", "there are no warehouses"), ("wrong", "Access denied")):
        url = mariadb.url.replace("://", f"://{mariadb.user}:{password}@")
        done = dbdyno("tpcc", "run", url, "--schema", "benchmarksql", *SHORT)
        assert done.status == 1
        assert said in done.errors
        assert password not in done.output + done.errors


@pytest.mark.live
def test_time_zone_style_of_dates_and_search_path_change_nothing() -> None:
    earliest = "SELECT to_char(min(o_entry_d), 'YYYY-MM-DD HH24'), sum(o_id) FROM orders"
    found = []
    with PostgreSql() as server:
        for settings in (
            {},
            {
                "TimeZone": "'Asia/Kathmandu'",
                "DateStyle": "'German, DMY'",
                "IntervalStyle": "sql_standard",
                "search_path": "first, public",
            },
        ):
            server.query("CREATE SCHEMA IF NOT EXISTS first")
            for name, value in settings.items():
                server.query(f"ALTER DATABASE test SET {name} = {value}")
            must("tpcc", "load", server.url(), "-w", "1")
            found.append(server.query(earliest))
            for protocol in ("prepared", "text", "multi"):
                said = must("tpcc", "run", server.url(), *SHORT, "--protocol", protocol).output
                assert "all that was acknowledged is stored" in said
            assert must("tpcc", "check", server.url()).output.endswith("All hold.\n")
            must("pgbench", "-i", "-U", "postgres", server.url())
            must("pgbench", "-U", "postgres", "-n", "-c2", "-t20", server.url())
            must("tpcc", "drop", server.url())
            server.query("DROP TABLE pgbench_accounts, pgbench_branches, pgbench_history")
            server.query("DROP TABLE pgbench_tellers")
    assert found[0] == found[1]
