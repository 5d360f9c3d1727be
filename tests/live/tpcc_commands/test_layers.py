"""What layers in front of servers need: tables of one's own, shards, one statement a round trip."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dbdyno.json_documents import read_json
from tests.live.engine.fixed_server import MariaDb
from tests.live.faults.liar import LyingProxy
from tests.live.tpcc_commands.conftest import dbdyno, must

TABLES = (
    *("warehouse", "district", "customer", "history", "new_order"),
    *("orders", "order_line", "item", "stock"),
)
UPDATES_WITHOUT_AUTOCOMMIT = """
experiment: updates-without-autocommit
question: Is each update committed?
target: {{url: "{url}"}}
workload: {{sysbench: {{script: oltp_update_index, tables: 1, table_size: 1000}}}}
load: {{clients: 2}}
session: {{autocommit: false}}
procedure: {{rounds: 1, warmup: 0s, duration: 1s}}
"""
SWITCHES_AUTOCOMMIT_OFF = """
experiment: script-without-commit
question: Is each update committed?
target: {{url: "{url}"}}
workload:
  sql:
    setup:
      - {{sql: "CREATE TABLE c (id INT PRIMARY KEY, v INT)"}}
      - {{fill: c, rows: 8, columns: {{id: {{sequence: 1}}, v: [0, 0]}}}}
    transactions:
      add: ["/* x */ {switch}", "UPDATE c SET v = v + 1 WHERE id = :id"]
    variables: {{id: [1, 8]}}
load: {{clients: 2}}
procedure: {{rounds: 1, warmup: 0s, duration: 1s}}
"""
"""Nothing in it commits."""
MOMENT = ("--duration", "1s", "--warmup", "0s", "--terminals", "2")


@pytest.mark.live
def test_tables_of_ones_own_are_filled_shard_by_shard(tmp_path: Path) -> None:
    ddl = tmp_path / "tables.sql"
    with MariaDb() as first, MariaDb() as second:
        must("tpcc", "load", first.url(), "-w", "1-1")
        made = [first.query(f"SHOW CREATE TABLE {table}")[0][1] for table in TABLES]
        ddl.write_text("".join(f"{sql} COMMENT 'srv \"s1\";'\n;\n" for sql in made))
        refused = dbdyno("tpcc", "load", second.url(), "-w", "2-2", "--tables", "existing")
        assert refused.status == 1
        assert "is not there: make all tables before" in refused.errors
        loaded = must(
            *("tpcc", "load", second.url(), "-w", "2-2", "--ddl", ddl, "--bulk", "insert")
        )
        assert "(insert)" in loaded.output
        assert second.query("SELECT w_id FROM warehouse") == [("2",)]
        assert second.query("SELECT COUNT(*) FROM item") == [("100000",)]
        comment = "SELECT table_comment FROM information_schema.tables WHERE table_name = 'item'"
        assert second.query(comment) == [('srv "s1";',)]
        again = dbdyno("tpcc", "load", second.url(), "-w", "2-2", "--tables", "existing")
        assert again.status == 1
        assert "has rows already, and nothing is overwritten" in again.errors
        for table in TABLES:
            second.query(f"TRUNCATE TABLE {table}")
        must("tpcc", "load", second.url(), "-w", "2-2", "--tables", "existing")
        assert must("tpcc", "check", second.url()).output.endswith("All hold.\n")
        _runs_with_each_way_of_sending(first)


def _runs_with_each_way_of_sending(server: MariaDb) -> None:
    for options, shares in [
        ((), True),
        (("--pipelining", "off"), False),
        (("--autocommit", "on"), False),
    ]:
        said = must("tpcc", "run", server.url(), *MOMENT, *options).output
        assert ("statements share round trips" in said) == shares
        costs = re.search(r"([\d.]+) statements in ([\d.]+) round trips", said)
        assert costs is not None
        statements, round_trips = (float(number) for number in costs.groups())
        # BEGIN and COMMIT are round trips, too, and no statements.
        assert (round_trips < statements) == shares


@pytest.mark.live
def test_a_layer_whose_answers_show_no_transaction_gets_each_commit_and_rollback(
    tmp_path: Path,
) -> None:
    update = tmp_path / "update.yaml"
    with (
        MariaDb() as server,
        LyingProxy(server, keeps_every=1, speaks="mysql without flags") as layer,
    ):
        must("tpcc", "load", server.url(), "-w", "1")
        run = must("tpcc", "run", layer.url, "--terminals", "2", "--duration", "3s").output
        assert int(re.search(r"rolled back\D+(\d+)", run)[1]) > 0, run  # type: ignore[index]
        assert must("tpcc", "check", server.url()).output.endswith("All hold.\n")
        update.write_text(UPDATES_WITHOUT_AUTOCOMMIT.format(url=layer.url))
        must("run", update, "--out", tmp_path / "result", cwd=tmp_path)
        ledger = read_json(tmp_path / "result/trials/0001/trial.json")["dataset"]["ledger"]
        assert ledger["standing"] == "holds", ledger
        for number, switch in enumerate(("SET autocommit=0", "set @@session.autocommit = OFF")):
            update.write_text(SWITCHES_AUTOCOMMIT_OFF.format(url=layer.url, switch=switch))
            must("run", update, "--out", tmp_path / f"script{number}", cwd=tmp_path)
            trial = read_json(tmp_path / f"script{number}/trials/0001/trial.json")
            assert trial["dataset"]["ledger"]["standing"] == "holds", trial["dataset"]["ledger"]
            assert server.query("SELECT SUM(v) > 0 FROM c") == [("1",)]
