"""``dbdyno pgbench`` beside the real pgbench: the same call, the same lines, the same work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dbdyno.target.base import Server
from tests.live.run import launch
from tests.live.target.queries import query
from tests.live.workload.test_pgbench import pgbench_program

pytestmark = pytest.mark.live

DBDYNO = (sys.executable, "-m", "dbdyno", "pgbench")
LIMIT_S = 300
SELECT_ONLY = ("-n", "-S")


class Programs:
    """Both programs, on one server and in one folder."""

    def __init__(self, server: Server, folder: Path) -> None:
        url = urlsplit(server.url)
        self._folder = folder
        self._environment = os.environ | {
            "PGHOST": url.hostname or "",
            "PGPORT": str(url.port),
            "PGUSER": url.username or "",
            "PGPASSWORD": server.password or "",
            "PGDATABASE": url.path.lstrip("/"),
        }

    def ours(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Call ours in this process: to start one takes longer than most calls here."""
        environment = self._environment | variables
        ended = launch.call(["pgbench", *words], environment=environment, directory=self._folder)
        return subprocess.CompletedProcess(words, ended.status, ended.output, ended.errors)

    def theirs(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [pgbench_program(), *words],
            cwd=self._folder,
            env=self._environment | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )


@pytest.fixture
def programs(postgres: Server, tmp_path: Path) -> Iterator[Programs]:
    """Return both programs, with pgbench's tables at scale 1 that ours has made."""
    programs = Programs(postgres, tmp_path)
    made = programs.ours("-i")
    assert made.returncode == 0, made.stderr
    yield programs
    tables = ("accounts", "branches", "history", "tellers")
    query(postgres, f"DROP TABLE {', '.join(f'pgbench_{table}' for table in tables)}")
    query(postgres, "DROP TABLE IF EXISTS dbdyno_loading")


def form(output: str) -> list[str]:
    """Return the lines with all numbers masked; where pgbench says more or less, it is left out."""
    lines = [re.sub(r"\d+(\.\d+)?", "#", line) for line in output.splitlines()]
    always_here = re.compile(r"^(pgbench \(| - latency stddev|latency stddev|progress)")
    lines = [line.removesuffix(" (including failures)") for line in lines]
    return [line for line in lines if not always_here.match(line)]


def figure(output: str, words: str) -> float:
    """Return the first number behind some words."""
    found = re.search(re.escape(words) + r"[^\d]*([\d.]+)", output)
    assert found, (words, output)
    return float(found[1])


SCRIPT = "\\set aid random(1, 100000 * :scale)\nSELECT :v, * FROM :table WHERE aid = :aid;\n"
CONFLICT = """\
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT bbalance AS b FROM pgbench_branches WHERE bid = 1 \\gset
UPDATE pgbench_branches SET bbalance = :b + 1 WHERE bid = 1;
END;
"""


@pytest.mark.parametrize(
    "words",
    [
        ("-c", "2", "-T", "1"),
        ("-c", "2", "-t", "20", "-M", "prepared", "-N"),
        ("-n", "-S", "-T", "2", "-R", "300", "-L", "100", "-P", "1"),
        ("-n", "-T", "1", "-b", "se@3", "-f", "mine.sql@1", "-Dv=3", "-Dtable=pgbench_accounts"),
        ("-n", "-c", "4", "-t", "50", "--max-tries=2", "--failures-detailed", "-f", "conflict.sql"),
        ("-n", "-T", "1", "--max-tries=2", "-R", "50", "-L", "900", "-b", "se", "-b", "si"),
        ("-n", "-S", "-C", "-t", "5"),
    ],
    ids=["tpcb", "transactions", "rate", "two scripts", "conflicts", "all counts", "connect"],
)
def test_output_has_the_form_of_pgbench(
    programs: Programs, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "mine.sql").write_text(SCRIPT)
    (tmp_path / "conflict.sql").write_text(CONFLICT)
    ours, theirs = programs.ours(*words, "-j", "1"), programs.theirs(*words)
    assert (ours.returncode, theirs.returncode) == (0, 0), ours.stderr + theirs.stderr
    assert form(ours.stdout) == form(theirs.stdout)
    if "-P" in words:
        masked = {
            re.sub(r"\d+(\.\d+)?", "#", line)
            for line in (ours.stderr + theirs.stderr).splitlines()
            if line.startswith("progress")
        }
        assert len(masked) == 1, masked


def test_what_is_counted_was_done(programs: Programs, postgres: Server) -> None:
    done = programs.ours("-c", "3", "-t", "20", "-M", "prepared")
    assert done.returncode == 0, done.stderr
    assert "number of transactions actually processed: 60/60" in done.stdout
    assert query(postgres, "SELECT COUNT(*) FROM pgbench_history") == [("60",)]
    assert figure(done.stdout, "scaling factor:") == 1
    again = programs.theirs("-n", "-t", "5")
    assert again.returncode == 0, again.stderr
    assert query(postgres, "SELECT COUNT(*) FROM pgbench_history") == [("65",)]


def test_each_transaction_is_in_the_log(programs: Programs, tmp_path: Path) -> None:
    words = (*SELECT_ONLY, "-c", "2", "-T", "2", "-R", "100", "--max-tries=2", "-l")
    began_s = time.time()
    ours, theirs = programs.ours(*words, "--log-prefix=ours"), programs.theirs(*words)
    assert (ours.returncode, theirs.returncode) == (0, 0), ours.stderr
    logs = {
        name: [line.split() for line in next(tmp_path.glob(pattern)).read_text().splitlines()]
        for name, pattern in (("ours", "ours.*"), ("theirs", "pgbench_log.*"))
    }
    assert {len(line) for log in logs.values() for line in log} == {8}
    count = figure(ours.stdout, "number of transactions actually processed:")
    assert len(logs["ours"]) == count
    ends = [(int(line[4]), int(line[5])) for line in logs["ours"]]
    assert ends == sorted(ends)
    mean_ms = sum(int(line[2]) for line in logs["ours"]) / len(ends) / 1000
    assert mean_ms == pytest.approx(figure(ours.stdout, "latency average ="), rel=0.02)
    # The moments are those of the clock on the wall.
    assert all(began_s - 1 <= seconds <= time.time() + 1 for seconds, _ in ends)
    for client in ("0", "1"):
        numbers = [int(line[1]) for line in logs["ours"] if line[0] == client]
        assert numbers == list(range(1, len(numbers) + 1))


def test_the_log_can_be_aggregated_and_sampled(programs: Programs, tmp_path: Path) -> None:
    words = (*SELECT_ONLY, "-T", "3", "-R", "200", "-l")
    summed = programs.ours(*words, "--aggregate-interval=1", "--log-prefix=sums")
    sums = [
        list(map(int, line.split()))
        for line in next(tmp_path.glob("sums.*")).read_text().splitlines()
    ]
    assert {len(line) for line in sums} == {15}
    # What is under way at the end is summed where it ends, which may be in a fourth second.
    assert [line[0] - sums[0][0] for line in sums] == list(range(len(sums)))
    assert len(sums) >= 3
    assert sum(line[1] for line in sums) == figure(summed.stdout, "actually processed:")
    sampled = programs.ours(*words, "--sampling-rate=0.1", "--log-prefix=sample", "--random-seed=5")
    lines = next(tmp_path.glob("sample.*")).read_text().splitlines()
    whole = figure(sampled.stdout, "actually processed:")
    # Five standard deviations of about 7.
    assert abs(len(lines) - 0.1 * whole) < 37


@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        (("--foo",), 1, "invalid option --foo"),
        (("-t", "5", "-T", "3"), 1, "give either --transactions or --time"),
        (("-c", "x"), 1, "-c, --client: 'x' is not a whole number"),
        (("-F", "90"), 1, "belongs to initialization; add -i"),
        (("-i", "-I", "dx"), 1, "is not made of the letters dtgGvpf"),
        (("-i", "--partition-method=hash"), 1, "--partition-method needs --partitions"),
        (("-i", "-c", "10"), 1, "is not used in initialization"),
        (("-b", "s"), 1, "-b s is ambiguous"),
        (("-f", "nowhere.sql"), 1, "-f nowhere.sql: it cannot be read"),
        (("-n", "-f", "wrong.sql"), 1, "wrong.sql:1: \\nonsense is no command"),
        (("-S", "nodb"), 1, "cannot connect to postgresql://"),
        (("-n", "-f", "fails.sql", "-h", "/nowhere"), 1, "cannot connect to postgresql://"),
        (("-i", "-q", "nodb"), 1, "cannot connect to postgresql://"),
        (("-n", "-t", "3", "-f", "fails.sql"), 2, 'relation "nothing" does not exist'),
        (("-n", "-t", "3", "-f", "piped.sql"), 2, "-M prepared"),
    ],
)
def test_what_is_wrong_ends_with_the_status_of_pgbench(
    programs: Programs, tmp_path: Path, words: tuple[str, ...], status: int, expected: str
) -> None:
    (tmp_path / "wrong.sql").write_text("\\nonsense\n")
    (tmp_path / "fails.sql").write_text("SELECT * FROM nothing;\n")
    (tmp_path / "piped.sql").write_text("\\startpipeline\nSELECT 1;\n\\endpipeline\n")
    ours, theirs = programs.ours(*words), programs.theirs(*words)
    assert ours.returncode == status
    assert expected in ours.stderr
    assert theirs.returncode == status, theirs.stderr


TABLES_TOLD = """
    SELECT c.relname, c.relpersistence, c.relkind, c.reloptions::text, i.indexdef,
           pg_get_expr(c.relpartbound, c.oid), pg_get_partkeydef(c.oid),
           (SELECT string_agg(attname || ' ' || atttypid::regtype || attnotnull, ',')
            FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0)
    FROM pg_class c LEFT JOIN pg_indexes i ON i.tablename = c.relname
    WHERE c.relname LIKE 'pgbench%' AND c.relkind IN ('r', 'p') ORDER BY 1, 5"""
ROWS_TOLD = (
    "SELECT (SELECT md5(string_agg(a::text, ',' ORDER BY aid)) FROM pgbench_accounts a), "
    "(SELECT md5(string_agg(t::text, ',' ORDER BY tid)) FROM pgbench_tellers t), "
    "(SELECT md5(string_agg(b::text, ',' ORDER BY bid)) FROM pgbench_branches b)"
)


@pytest.mark.parametrize(
    "calls",
    [
        [("-I", "dtGvp", "--partitions=3")],
        [("-I", "dtpg", "--unlogged-tables", "-F", "80")],
        [("-I", "dt"), ("-I", "gv"), ("-I", "pf", "-n")],
        [("--partitions=2", "--partition-method=hash", "--foreign-keys", "-s", "2")],
        [("--tablespace=pg_default", "--index-tablespace=pg_default", "-n")],
    ],
    ids=str,
)
def test_tables_are_made_in_the_steps_of_pgbench(
    programs: Programs, postgres: Server, calls: list[tuple[str, ...]]
) -> None:
    told = []
    for make in (programs.theirs, programs.ours):
        for words in calls:
            made = make("-i", "-q", *words)
            assert made.returncode == 0, made.stderr
        told.append([query(postgres, TABLES_TOLD), query(postgres, ROWS_TOLD)])
    assert told[0] == told[1]


def test_passwords_come_from_where_libpq_looks(programs: Programs, tmp_path: Path) -> None:
    file = tmp_path / "pgpass"
    password = programs._environment["PGPASSWORD"]
    escaped = password.replace("\\", "\\\\").replace(":", "\\:")
    file.write_text(f"# a comment\nelsewhere:*:*:*:wrong\n127.0.0.1:*:*:*:{escaped}\n")
    words = (*SELECT_ONLY, "-t", "1")
    del programs._environment["PGPASSWORD"]
    file.chmod(0o644)
    assert programs.ours(*words, PGPASSFILE=str(file)).returncode == 1
    file.chmod(0o600)
    assert programs.ours(*words, PGPASSFILE=str(file)).returncode == 0


def test_a_url_without_a_host_leads_where_its_parameters_do(
    programs: Programs, postgres: Server, tmp_path: Path
) -> None:
    query(postgres, "INSERT INTO pgbench_history (tid) VALUES (4711)")
    for url, ours, theirs in (
        ("postgresql:///?host=elsewhere.invalid&user=u", "elsewhere.invalid", "elsewhere.invalid"),
        ("postgresql:///?sslmode=verify-full", "root.crt", "SSL was required"),
        ("postgresql:///?host=%2Fno%20where", "/no where", "/no where"),
    ):
        refused = programs.ours("-i", "-q", url, HOME=str(tmp_path))
        assert (refused.returncode, ours in refused.stderr) == (1, True), refused.stderr
        assert theirs in programs.theirs("-i", "-q", url).stderr
    assert query(postgres, "SELECT count(*) FROM pgbench_history WHERE tid = 4711") == [("1",)]


def test_sessions_are_set_as_libpq_sets_them(programs: Programs, tmp_path: Path) -> None:
    script, services = tmp_path / "settings.sql", tmp_path / "services"
    script.write_text(
        "SELECT 1 / (current_setting('work_mem') || current_setting('geqo') || "
        "current_setting('application_name') = '5MBoffnight run')::int\n"
    )
    services.write_text("[night]\napplication_name=night run\noptions=-c work_mem=5MB\n")
    words = ("-n", "-f", str(script), "-t", "1")
    given = {"PGGEQO": "off", "PGSERVICE": "night", "PGSERVICEFILE": str(services)}
    assert programs.ours(*words).returncode == 2
    for variables in (given, {"PGAPPNAME": "night run", "PGOPTIONS": "-cwork_mem=5MB -cgeqo=off"}):
        for call in (programs.ours, programs.theirs):
            ended = call(*words, **variables)
            assert ended.returncode == 0, ended.stderr


def test_own_tables_need_none_of_pgbench(postgres: Server, tmp_path: Path) -> None:
    (tmp_path / "own.sql").write_text("SELECT 1;\n")
    programs = Programs(postgres, tmp_path)
    words = ("-t", "2", "-f", "own.sql")
    ours, theirs = programs.ours(*words), programs.theirs(*words)
    assert (ours.returncode, theirs.returncode) == (0, 0), ours.stderr
    # VACUUM finds no tables, and that is ignored.
    assert 'relation "pgbench_branches" does not exist' in ours.stderr
    refused = programs.ours("-S", "-t", "1")
    assert refused.returncode == 1
    assert "create the tables first: dbdyno pgbench -i" in refused.stderr


def test_a_log_that_cannot_be_written_ends_the_call_before_the_run(programs: Programs) -> None:
    done = programs.ours(*SELECT_ONLY, "-T", "60", "-l", "--log-prefix=/nonexistent/x")
    assert done.returncode == 1
    assert "the log /nonexistent/x" in done.stderr


def truncate_history_later(server: Server) -> None:
    time.sleep(2)
    query(server, "TRUNCATE pgbench_history")


@pytest.mark.usefixtures("settles_soon")
def test_a_table_that_somebody_empties_is_no_loss(programs: Programs, postgres: Server) -> None:
    """Another pgbench truncates the history while ours goes on: the server has lost nothing."""
    with ThreadPoolExecutor(1) as pool:
        truncated = pool.submit(truncate_history_later, postgres)
        done = programs.ours("-T", "4", "-c", "2")
        truncated.result()
    assert done.returncode == 0, done.stderr


def test_selects_that_find_no_row_are_said(programs: Programs, postgres: Server) -> None:
    assert programs.ours("-i", "-q").returncode == 0
    found = programs.ours(*SELECT_ONLY, "-t", "200")
    assert "found no row" not in found.stderr
    query(postgres, "DELETE FROM pgbench_accounts WHERE aid > 50000")
    found = programs.ours(*SELECT_ONLY, "-t", "200")
    assert re.search(
        r"WARNING: [345]\d% of SELECT and UPDATE statements found no row", found.stderr
    )


def test_a_result_directory_is_kept_on_request(programs: Programs, tmp_path: Path) -> None:
    done = programs.ours(*SELECT_ONLY, "-T", "1", "--out", str(tmp_path / "result"))
    assert done.returncode == 0, done.stderr
    told = launch.call(["report", tmp_path / "result"])
    assert told.status == 0, told.errors
    assert "select-only" in told.output


def test_help_and_lists_need_no_server(tmp_path: Path) -> None:
    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*DBDYNO, *words], capture_output=True, text=True, check=True, timeout=LIMIT_S
        )

    theirs = subprocess.run(
        [pgbench_program(), "--help"], capture_output=True, text=True, check=True, timeout=LIMIT_S
    ).stdout
    ours = set(re.findall(r"--[a-z-]+", call("--help").stdout))
    assert set(re.findall(r"--[a-z-]+", theirs)) <= ours
    assert "tpcb-like: <builtin: TPC-B (sort of)>" in call("-b", "list").stderr
    assert call("-V").stdout.startswith("pgbench (dbdyno ")
