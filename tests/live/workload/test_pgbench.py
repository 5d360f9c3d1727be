"""pgbench's scripts, beside the real pgbench on the same PostgreSQL."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from dbdyno.experiment.workload.pgbench import Pgbench
from dbdyno.target.base import Server
from tests.live.target.queries import query
from tests.live.workload.trials import Trial, drop, load, run_trial, verify

pytestmark = pytest.mark.live

TABLE = (
    Path(__file__).parents[3]
    / "crates"
    / "workload"
    / "tests"
    / "data"
    / "pgbench-15-expressions.tsv"
)
LIMIT_S = 300


def pgbench_program() -> str:
    """Return the installed pgbench."""
    program = shutil.which("pgbench") or "/usr/lib/postgresql/15/bin/pgbench"
    assert Path(program).exists(), "pgbench is missing: install the package postgresql"
    return program


def real_pgbench(server: Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed pgbench."""
    url = urlsplit(server.url)
    environment = os.environ | {
        "PGHOST": url.hostname or "",
        "PGPORT": str(url.port),
        "PGUSER": url.username or "",
        "PGPASSWORD": server.password or "",
        "PGDATABASE": url.path.lstrip("/"),
    }
    return subprocess.run(
        [pgbench_program(), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )


def pgbench(*scripts: str, **fields: Any) -> Pgbench:
    """Return a workload; scripts are names of built-in ones, or texts."""
    return Pgbench.model_validate(
        {"scripts": [script if " " not in script else {"text": script} for script in scripts]}
        | fields
    )


def run_script(server: Server, script: str, **fields: Any) -> Trial:
    return run_trial(server, pgbench(script, setup=[], **fields))


def test_a_set_up_without_tables_is_always_complete(any_server: Server) -> None:
    of_others = pgbench("SELECT 1;", setup=[])
    assert load(any_server, of_others)[-1]["event"] == "dataset"
    assert {"event": "verified", "complete": True} in verify(any_server, of_others)


@pytest.fixture
def tables(any_server: Server) -> Iterator[Server]:
    """Return a server with pgbench's tables."""
    assert load(any_server, pgbench("select-only"))[-1]["event"] == "dataset"
    yield any_server
    drop(any_server, pgbench("select-only"))


def number(server: Server, sql: str) -> int:
    return int(query(server, sql)[0][0] or 0)


def test_built_in_scripts_keep_the_balances(tables: Server) -> None:
    """What was added to accounts is in the history; tellers and branches have tpcb-like's part."""
    scripts = pgbench("tpcb-like@2", "simple-update", "select-only")
    trial = run_trial(tables, scripts, transactions=300, duration_s=30.0)
    assert trial.end["status"] == "completed"
    done = {name: kind["committed"] for name, kind in trial.kinds.items()}
    assert done.keys() == {"tpcb-like", "simple-update", "select-only"}
    assert min(done.values()) > 5
    history = "SELECT SUM(delta) FROM pgbench_history"
    assert number(tables, "SELECT COUNT(*) FROM pgbench_history") == (
        done["tpcb-like"] + done["simple-update"]
    )
    assert number(tables, "SELECT SUM(abalance) FROM pgbench_accounts") == number(tables, history)
    branches = number(tables, "SELECT SUM(bbalance) FROM pgbench_branches")
    assert branches == number(tables, "SELECT SUM(tbalance) FROM pgbench_tellers")
    assert {"event": "verified", "complete": True} in verify(tables, pgbench("select-only"))


SCHEMA = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, c.reloptions,
  (SELECT string_agg(pg_get_indexdef(indexrelid), ';') FROM pg_index WHERE indrelid = c.oid)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relname LIKE 'pgbench%' AND c.relkind = 'r' AND a.attnum > 0 ORDER BY 1, a.attnum
"""
CONTENT = (
    "SELECT md5(string_agg(t::text, ',' ORDER BY aid)) FROM pgbench_accounts t",
    "SELECT md5(string_agg(t::text, ',' ORDER BY tid)) FROM pgbench_tellers t",
    "SELECT md5(string_agg(t::text, ',' ORDER BY bid)) FROM pgbench_branches t",
)


def test_tables_are_those_of_pgbench(postgres: Server) -> None:
    def everything() -> list[object]:
        return [query(postgres, sql) for sql in (SCHEMA, *CONTENT)]

    ours = pgbench("select-only", scale=2, fillfactor=90)
    load(postgres, ours)
    loaded = everything()
    assert real_pgbench(postgres, "-n", "-S", "-t", "10").returncode == 0
    drop(postgres, ours)
    made = real_pgbench(postgres, "-i", "-q", "-s", "2", "-F", "90")
    assert made.returncode == 0, made.stderr
    assert everything() == loaded
    assert {"event": "verified", "complete": True} in verify(postgres, ours)
    assert run_trial(postgres, ours).end["status"] == "completed"
    drop(postgres, ours)


def test_the_table_of_expressions_is_that_of_pgbench(postgres: Server, tmp_path: Path) -> None:
    """The Rust tests hold our values against the table; this holds pgbench's against it."""
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()]
    query(postgres, "DROP TABLE IF EXISTS result", "CREATE TABLE result (number int, value text)")
    script = tmp_path / "script.sql"
    arguments = ("-n", "-t", "1", "-M", "simple", "-D", "default_seed=0", "-f", str(script))
    values = [(number, row) for number, row in enumerate(rows) if row[1] != "error"]
    script.write_text(
        "".join(
            f"\\set x {expression}\nINSERT INTO result VALUES ({number}, ':x');\n"
            for number, (expression, _) in values
        )
    )
    done = real_pgbench(postgres, *arguments)
    assert done.returncode == 0, done.stderr
    found = {row[0]: row[1] for row in query(postgres, "SELECT number, value FROM result")}
    assert found == {str(number): value for number, (_, value) in values}
    for expression, value in rows:
        if value == "error":
            script.write_text(f"\\set x {expression}\nSELECT 1;\n")
            assert real_pgbench(postgres, *arguments).returncode != 0, expression


DISTRIBUTIONS = """\
\\set uniform random(-3, 6)
\\set gaussian random_gaussian(1, 10, 2.5)
\\set exponential random_exponential(1, 10, 3)
\\set zipfian random_zipfian(1, 10, 1.3)
INSERT INTO drawn VALUES (':uniform', ':gaussian', ':exponential', ':zipfian');
"""
DRAWS = 8000


def chi_square(ours: Counter[str], theirs: Counter[str]) -> float:
    """Return the statistic of two samples with ten classes."""
    total_ours, total_theirs = ours.total(), theirs.total()
    statistic = 0.0
    for key in ours.keys() | theirs.keys():
        both = (ours[key] + theirs[key]) / (total_ours + total_theirs)
        statistic += (ours[key] - both * total_ours) ** 2 / (both * total_ours)
        statistic += (theirs[key] - both * total_theirs) ** 2 / (both * total_theirs)
    return statistic


def test_random_functions_are_spread_as_pgbench_spreads_them(
    postgres: Server, tmp_path: Path
) -> None:
    columns = ("uniform", "gaussian", "exponential", "zipfian")
    create = f"CREATE UNLOGGED TABLE drawn ({', '.join(f'{c} text' for c in columns)})"

    def drawn() -> dict[str, Counter[str]]:
        return {
            column: Counter(
                {
                    str(value): int(count or 0)
                    for value, count in query(
                        postgres, f"SELECT {column}, COUNT(*) FROM drawn GROUP BY 1"
                    )
                }
            )
            for column in columns
        }

    query(postgres, "DROP TABLE IF EXISTS drawn", create)
    script = tmp_path / "draw.sql"
    script.write_text(DISTRIBUTIONS)
    done = real_pgbench(
        postgres, "-n", "-t", str(DRAWS), "--random-seed=7", "-M", "simple", "-f", str(script)
    )
    assert done.returncode == 0, done.stderr
    theirs = drawn()
    query(postgres, "TRUNCATE drawn")
    run_trial(postgres, pgbench(DISTRIBUTIONS, setup=[]), transactions=DRAWS, duration_s=30.0)
    ours = drawn()
    for column in columns:
        assert ours[column].total() > 1000
        # One in a million exceeds this with 9 degrees of freedom.
        assert chi_square(ours[column], theirs[column]) < 46.7, (column, ours, theirs)
    # It tells distributions apart that are near each other.
    assert chi_square(ours["gaussian"], theirs["exponential"]) > 46.7


WALK = """\
\\set i 5 + :start
\\set word 1
\\if :i = 7
INSERT INTO walk VALUES ('seven');
\\elif :i < 7
  \\if false
INSERT INTO walk VALUES ('never');
  \\else
INSERT INTO walk VALUES ('six :i');
  \\endif
\\else
INSERT INTO walk VALUES ('more');
\\endif
BEGIN;
SELECT 41 + 1 AS answer, 'text' AS w, NULL::int AS nothing \\gset got_
SELECT n AS last FROM (VALUES (1), (2), (3)) AS t(n) ORDER BY n \\aset
SELECT n AS last FROM (VALUES (1)) AS t(n) WHERE n > 5 \\aset
\\sleep 1 ms
INSERT INTO walk VALUES ('before')\\; SELECT 7 AS seven, 8 AS eight \\gset joined_
SELECT 1 AS one\\; UPDATE walk SET text = text\\; SELECT 2 AS two, 3 AS one \\aset all_
INSERT INTO walk VALUES (':joined_seven:joined_eight:all_one:all_two');
SELECT * FROM (VALUES (11, 'b', 13)) AS t(a, b, c) \\gset star_
INSERT INTO walk VALUES ('star ' || :star_c::int || ':star_b:star_d' || (:star_a + 1)::text);
SHOW server_version_num \\gset
INSERT INTO walk VALUES ('version ' || :server_version_num::int);
INSERT INTO walk VALUES (':got_w:got_answer-:last-' || (:got_answer + 1)::text);
INSERT INTO walk SELECT n FROM (VALUES ('joined')) AS t(n)\\; INSERT INTO walk VALUES ('second');
END;
INSERT INTO walk VALUES (:client_id::text || ':scale' || :random_seed::text || :default_seed::text);
"""


@pytest.mark.parametrize(
    ("start", "branch"), [(0, "six 5"), (2, "seven"), (3, "more")], ids=["elif", "if", "else"]
)
def test_a_script_does_what_it_does_in_pgbench(
    postgres: Server, tmp_path: Path, start: int, branch: str
) -> None:
    def walked() -> set[str]:
        return {str(text) for (text,) in query(postgres, "SELECT text FROM walk")}

    query(postgres, "DROP TABLE IF EXISTS walk", "CREATE TABLE walk (text text)")
    script = tmp_path / "walk.sql"
    script.write_text(WALK)
    options = [f"-Dstart={start}", "-Drandom_seed=42", "-Ddefault_seed=9", "-Dscale=3"]
    done = real_pgbench(postgres, "-n", "-t", "2", "-M", "simple", *options, "-f", str(script))
    assert done.returncode == 0, done.stderr
    theirs = walked()
    assert branch in theirs
    query(postgres, "TRUNCATE walk")
    variables = {"start": start, "default_seed": 9}
    trial = run_trial(
        postgres, pgbench(WALK, setup=[], scale=3, variables=variables), clients=1, duration_s=0.3
    )
    assert trial.end["status"] == "completed", trial.end["reason"]
    assert walked() == theirs


PIPELINED = """\
\\set first random(5, 5)
\\if :first > 1
\\startpipeline
BEGIN;
INSERT INTO piped VALUES (:first, 'a');
\\set second :first + 1
INSERT INTO piped VALUES (:second, 'b');
\\if :second = 6
UPDATE piped SET number = number + :first WHERE word = 'a';
\\endif
SELECT * FROM piped;
COMMIT;
INSERT INTO piped VALUES (:second + 100, 'behind');
\\endpipeline
\\endif
SELECT 1;
"""


def test_a_pipeline_does_what_it_does_in_pgbench(postgres: Server, tmp_path: Path) -> None:
    def piped() -> list[tuple[str | None, ...]]:
        return query(postgres, "SELECT word, number, COUNT(*) FROM piped GROUP BY 1, 2 ORDER BY 2")

    query(postgres, "DROP TABLE IF EXISTS piped", "CREATE TABLE piped (number int, word text)")
    script = tmp_path / "piped.sql"
    script.write_text(PIPELINED)
    for mode in ("extended", "prepared"):
        query(postgres, "TRUNCATE piped")
        done = real_pgbench(postgres, "-n", "-t", "3", "-M", mode, "-f", str(script))
        assert done.returncode == 0, done.stderr
    theirs = piped()
    workload = pgbench(PIPELINED, setup=[])
    for mode in ("extended", "prepared"):
        query(postgres, "TRUNCATE piped")
        trial = run_trial(
            postgres, workload, protocol=mode, clients=1, transactions=3, duration_s=30.0
        )
        assert trial.end["status"] == "completed", trial.end["reason"]
        assert piped() == theirs
        statements = sum(statement["executions"] for statement in trial.end["statements"])
        # Each transaction is a pipeline of seven statements and one behind it.
        assert (statements, trial.round_trips) == (24, 6)


def test_a_pipeline_that_fails_has_changed_nothing(postgres: Server) -> None:
    query(
        postgres, "DROP TABLE IF EXISTS piped", "CREATE TABLE piped (number int CHECK (number < 9))"
    )
    failing = "\\startpipeline\nINSERT INTO piped VALUES (1);\nINSERT INTO piped VALUES (9);\n"
    trial = run_script(postgres, failing + "SELECT 1;\n\\endpipeline\n")
    assert trial.end["status"] == "failed"
    assert "piped_number_check" in trial.end["reason"]
    assert query(postgres, "SELECT * FROM piped") == []


def test_a_pipeline_needs_prepared_statements(postgres: Server) -> None:
    script = "\\startpipeline\nSELECT 1;\n\\endpipeline\n"
    trial = run_trial(postgres, pgbench(script, setup=[]), protocol="text")
    assert trial.end["status"] == "failed"
    assert "leave protocol at prepared" in trial.end["reason"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("\\set x 1 / 0\nSELECT 1;", r"script:1: division by zero"),
        ("SELECT 1 AS a WHERE false \\gset\n", r"a row is needed and there is none: SELECT 1 AS a"),
        (
            "SELECT n AS a FROM (VALUES (1), (2)) AS t(n) \\gset\n",
            r"one row is needed and there are 2",
        ),
        ("SELECT 1 AS a\\; SET work_mem = 64 \\gset\n", r"a row is needed and there is none"),
        ("SELECT * FROM (VALUES (1)) AS t(a) \\gset\nSELECT :b;", r"variable b has no value yet"),
        ("BEGIN;\nSELECT 1;", r"script ends inside a transaction that it opened"),
        ("\\if false\n\\set x 1\n\\endif\nSELECT :x;", r"the variable x has no value yet"),
    ],
)
def test_what_ends_a_client_of_pgbench_fails_a_transaction(
    postgres: Server, tmp_path: Path, script: str, reason: str
) -> None:
    file = tmp_path / "script.sql"
    file.write_text(script)
    # A variable without a value is left as it stands there, and the server refuses it.
    assert real_pgbench(postgres, "-n", "-t", "1", "-f", str(file)).returncode != 0
    trial = run_script(postgres, script)
    assert trial.end["status"] == "failed"
    assert re.search(reason, trial.end["reason"]), trial.end["reason"]
    (kind,) = trial.kinds.values()
    assert kind["committed"] == 0


RETRIED = """\
\\set id random(1, 2)
\\set other 3 - :id
\\set value random(1, 1000000000)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT v AS seen FROM hot WHERE id = :id \\gset
UPDATE hot SET v = :seen + 1 WHERE id = :id;
UPDATE hot SET v = v + 1 WHERE id = :other;
INSERT INTO kept VALUES (:client_id, :value);
END;
"""


def test_a_retry_repeats_what_was_drawn(postgres: Server) -> None:
    """Conflicts are retried: the numbers that are kept are those that a quiet run draws."""
    setup: list[Any] = [
        "CREATE TABLE hot (id int PRIMARY KEY, v bigint)",
        "INSERT INTO hot VALUES (1, 0), (2, 0)",
        "CREATE TABLE kept (client int, value bigint, number serial)",
    ]
    workload = pgbench(RETRIED, setup=setup)

    def kept(client: int) -> list[str]:
        rows = query(postgres, f"SELECT value FROM kept WHERE client = {client} ORDER BY number")
        return [str(value) for (value,) in rows]

    load(postgres, workload)
    disturbed = run_trial(postgres, workload, clients=4, duration_s=1.0)
    (kind,) = disturbed.kinds.values()
    assert kind["retries"] > 0
    assert kind["failed"] == 0
    with_retries = kept(0)
    query(postgres, "TRUNCATE kept")
    run_trial(postgres, workload, clients=1, duration_s=0.3)
    without = kept(0)
    common = min(len(with_retries), len(without))
    assert common > 0
    assert with_retries[:common] == without[:common]
    drop(postgres, workload)
