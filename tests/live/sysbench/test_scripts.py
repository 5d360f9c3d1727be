"""Every script prepares, runs and cleans up on every kind of server."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.sysbench.arguments import read_arguments
from dbdyno.peers.sysbench.catalogue import SCRIPTS
from tests.live.sysbench.programs import Database

EVENTS = 40

SHIPPED = Path("/usr/share/sysbench")

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
    prepared = database.here(script, *options, "prepare")
    assert "Creating table 'sbtest1'...\n" in prepared.output
    statistics = database.here(script, *options, "run").read.statistics()
    assert statistics["transactions"] == EVENTS
    kinds = tuple(statistics[name] for name in ("read", "write", "other"))
    if script == "bulk_insert":
        # So few rows are sent in one statement at the end.
        assert kinds == (0, 1, 0)
        assert database.query("SELECT COUNT(*) FROM sbtest1") == [(str(EVENTS),)]
    else:
        assert kinds == tuple(EVENTS * count for count in STATEMENTS[script])
    assert database.here(script, *options, "cleanup").status == 0
    with pytest.raises(RuntimeError, match="sbtest1"):
        database.query("SELECT COUNT(*) FROM sbtest1")


@pytest.mark.live
@pytest.mark.parametrize("script", SCRIPTS)
def test_the_files_that_sysbench_ships_are_known(script: str, tmp_path: Path) -> None:
    file = SHIPPED / f"{script}.lua"
    for words in ([str(file), "run"], [f"--test={file}", "run"]):
        arguments = read_arguments(words)
        assert (arguments.script, arguments.command) == (script, "run")
    changed = tmp_path / file.name
    changed.write_text(f"{file.read_text()}\n\n  -- Ours.\n")
    assert read_arguments([str(changed)]).script == script
    changed.write_text(f"{file.read_text()}\nsysbench.cmdline.options.more = 1\n")
    with pytest.raises(InputError, match=f"is not the script that .*; write {script} for"):
        read_arguments([str(changed)])


@pytest.mark.live
def test_a_changed_file_that_sysbench_would_read_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [str(SHIPPED / "oltp_read_only.lua"), "run"]
    common = (SHIPPED / "oltp_common.lua").read_text()
    Path("oltp_common.lua").write_text(common)
    assert read_arguments(words).script == "oltp_read_only"
    Path("oltp_common.lua").write_text(common.replace("point_selects", "selects"))
    with pytest.raises(InputError, match="is not the script that sysbench"):
        read_arguments(words)


@pytest.mark.live
@pytest.mark.parametrize("script", ["oltp_read_only", "bulk_insert"])
def test_a_script_needs_its_tables(database: Database, script: str) -> None:
    failed = database.here(script, "--events=10", "run")
    assert failed.status == 1
    assert "sbtest1" in failed.output.partition("FATAL: ")[2]


@pytest.mark.live
def test_tables_are_warmed(database: Database) -> None:
    options = ("oltp_read_only", "--tables=2", "--table-size=100", "--threads=2")
    assert database.here(*options, "prepare").status == 0
    for command in ("warmup", "prewarm"):
        lines = database.here(*options, command).output.splitlines()
        assert sorted(lines[-2:]) == ["Prewarming table sbtest1", "Prewarming table sbtest2"]
    assert database.here(*options, "cleanup").status == 0
    assert database.here(*options, "warmup").status == 1


@pytest.mark.live
def test_ids_that_are_given_need_empty_tables(database: Database) -> None:
    options = ("oltp_insert", "--auto-inc=off", "--tables=2", "--threads=3", "--events=300")
    assert "Inserting" not in database.here(*options, "prepare").output
    assert database.here(*options, "run").status == 0
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
        ("--reconnect=5",),
    ],
    ids=" ".join,
)
def test_options_reach_the_server(database: Database, options: tuple[str, ...]) -> None:
    call = ("oltp_read_write", "--tables=2", "--table-size=500", "--events=50", *options)
    assert database.here(*call, "prepare").status == 0
    # One that was under way at the end of the warm-up is counted besides.
    transactions = database.here(*call, "run").read.statistics()["transactions"]
    assert transactions in (50, 51)
    assert database.here(*call, "cleanup").status == 0


@pytest.mark.live
def test_tables_are_of_the_engine_that_was_asked_for(myrocks: Database) -> None:
    assert myrocks.here("oltp_read_write", "--table-size=10", "prepare").status == 0
    asked = "SELECT engine FROM information_schema.tables WHERE table_name = 'sbtest1'"
    assert myrocks.query(asked) == [("ROCKSDB",)]
    assert myrocks.here("oltp_read_write", "cleanup").status == 0
