"""``dbdyno go-tpc`` from making the database to dropping the tables, on real servers."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dbdyno.database.session import open_session
from dbdyno.store.reader import read_result
from tests.go_tpc_output import read_run
from tests.live.run.launch import Ended
from tests.live.tpcc_commands.conftest import DBDYNO, LIMIT_S, Place, dbdyno, must

pytestmark = pytest.mark.live

DATABASE = "go_tpc"
KINDS = ("NEW_ORDER", "PAYMENT", "ORDER_STATUS", "DELIVERY", "STOCK_LEVEL")
LENGTHS_S = (2, 8, 32)
"""The next is run where a busy machine did not get to every kind of transaction."""


@dataclass(frozen=True)
class Loaded:
    """A server with a warehouse in the tables that ``prepare`` made."""

    place: Place
    options: tuple[str, ...]
    prepared: Ended

    def words(self, command: str, *more: str | Path) -> tuple[str | Path, ...]:
        """Return a call; flags stand before and behind the command."""
        return ("go-tpc", "tpcc", "--warehouses", "1", command, *self.options, *more)

    def url(self) -> str:
        """Return where the tables are, as dbdyno has it."""
        return self.place.url.replace("/test", f"/{DATABASE}")

    def query(self, *statements: str) -> list[tuple[str | None, ...]]:
        """Ask the database with the tables; return what the last statement answers."""
        with open_session(self.url(), None) as session:
            return [session.query(statement) for statement in statements][-1]


@pytest.fixture(scope="module", params=["mariadb", "postgresql"])
def loaded(request: pytest.FixtureRequest) -> Iterator[Loaded]:
    """Return each server in turn; the database is made by ``prepare`` as well."""
    place: Place = request.getfixturevalue(request.param)
    where = ("-H", "127.0.0.1", "-P", str(place.server.port), "-D", DATABASE)
    options: tuple[str, ...] = (*where, "-U", place.user, f"--password={place.password}")
    if request.param == "postgresql":
        options = (*options, "-d", "postgres", "--conn-params", "sslmode=disable")
    call = ("go-tpc", "tpcc", "--warehouses", "1", "prepare", "-T", "2", *options)
    yield Loaded(place, options, must(*call))
    place.query(f"DROP DATABASE {DATABASE}")


def test_prepare_makes_database_and_tables_and_checks_them(loaded: Loaded) -> None:
    said = loaded.prepared.output.splitlines()
    assert said[:9] == [
        f"creating table {table}"
        for table in (
            *("warehouse", "district", "customer", "history", "new_order"),
            *("orders", "order_line", "stock", "item"),
        )
    ]
    assert said[9:11] == ["load to item", "load to warehouse in warehouse 1"]
    assert said[-13:] == [
        *(f"begin to check warehouse 1 at condition 3.3.2.{n}" for n in range(1, 13)),
        "Finished",
    ]
    assert f"note: the database {DATABASE} was not there, and was made\n" in loaded.prepared.errors
    if loaded.place.password:
        assert loaded.place.password not in loaded.prepared.output + loaded.prepared.errors
    assert "tables of go_tpc (orders, …)" in must("check", loaded.url()).output
    again = dbdyno(*loaded.words("prepare"))
    assert again.status == 1
    assert "is there already" in again.errors
    assert again.errors.endswith("; --dropdata drops the tables first\n")


@pytest.mark.parametrize("form", ["plain", "table", "json"])
def test_a_run_has_go_tpcs_form_and_the_figures_of_its_result(
    loaded: Loaded, tmp_path: Path, form: str
) -> None:
    for length_s in LENGTHS_S:
        result = tmp_path / f"result-{length_s}"
        flags = ("-T4", f"--time={length_s}s", "--interval", "1s", "--output", form)
        ended = must(*loaded.words("run", *flags, "--out", result))
        output = read_run(ended.output, form)
        if set(output.summary) >= set(KINDS):
            break
    # An interval in which nothing ended prints no line.
    assert 1 <= len(output.intervals) <= length_s
    (trial,) = read_result(result).trials
    window = trial.intervals.filter(phase="window")
    for kind in KINDS:
        rows = window.filter(transaction=kind.lower())
        count = int(output.summary[kind]["Count"])
        assert count == sum(rows["committed"]) + sum(rows["rolled_back"]) > 0
        assert count == sum(int(row[kind]["Count"]) for row in output.intervals if kind in row)
        assert float(output.summary[kind]["50th(ms)"]) <= float(output.summary[kind]["Max(ms)"])
    # Little's law; of each client the end cuts one transaction off, as long as the longest at most.
    clients = sum(float(row["Sum(ms)"]) for row in output.summary.values()) / 1e3 / length_s
    longest_s = max(float(row["Max(ms)"]) for row in output.summary.values()) / 1e3
    assert clients == pytest.approx(4, rel=0.03 + longest_s / length_s)
    tpmc = 60 / length_s * int(output.summary["NEW_ORDER"]["Count"])
    assert output.throughput["tpmC"] == pytest.approx(tpmc, rel=0.01)
    assert output.throughput["efficiency"] == pytest.approx(100 * tpmc / 12.86, rel=0.01)
    assert "note: without --wait terminals neither key in nor think" in ended.errors


def test_a_run_with_waits_tells_keying_times(loaded: Loaded) -> None:
    # On a busy machine none may end in five seconds, and then the command fails.
    for length_s in (5, 20):
        flags = ("-T", "30", "--time", f"{length_s}s", "--wait", "--weight", "0,70,10,10,10")
        ended = dbdyno(*loaded.words("run", *flags))
        if ended.status == 0 and "PAYMENT" in read_run(ended.output, "plain").summary:
            break
    assert ended.status == 0, ended.output + ended.errors
    output = read_run(ended.output, "plain")
    # Nobody begins before three seconds of keying in.
    assert int(output.summary["PAYMENT"]["Count"]) <= 30 * length_s / 3
    assert ("[Summary] ", "KEYINGTIME-PAYMENT", 3.0) in output.waits
    assert output.throughput == {}
    assert "without --wait" not in ended.errors


def test_a_count_ends_a_run(loaded: Loaded) -> None:
    output = read_run(must(*loaded.words("run", "-T4", "--count", "50")).output, "plain")
    assert sum(int(row["Count"]) for row in output.summary.values()) == 48


def test_an_isolation_is_that_of_the_sessions(loaded: Loaded, tmp_path: Path) -> None:
    flags = ("--time", "1s", "--isolation", "2", "--out", tmp_path / "result")
    must(*loaded.words("run", *flags))
    text = (tmp_path / "result" / "trials" / "0001" / "trial.json").read_text()
    assert '"isolation": "read_committed"' in text


def test_ctrl_c_gives_the_summary_of_the_time_until_then(loaded: Loaded) -> None:
    endless = stopped(loaded, "-T2", "--interval", "1s")
    assert endless.status == 0
    assert "note: stopped; the figures are of the time until then\n" in endless.errors
    limited = stopped(loaded, "-T2", "--interval", "1s", "--time", "60s")
    assert limited.status == 1
    assert "stopped; the figures are of the time until then\n" in limited.errors
    for ended in (endless, limited):
        output = read_run(ended.output, "plain")
        assert 1 <= float(output.summary["PAYMENT"]["Takes(s)"]) < 60
        assert output.throughput["tpmC"] > 0


def stopped(loaded: Loaded, *flags: str) -> Ended:
    """Run until the first line has come, and press Ctrl-C."""
    words = [*DBDYNO, *map(str, loaded.words("run", *flags))]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        said = ""
        while not re.search(r"\] PAYMENT - ", said):
            said += (line := run.stdout.readline())
            assert line, said
        run.send_signal(signal.SIGINT)
        said += run.stdout.read()
        return Ended(run.wait(LIMIT_S), said, run.stderr.read())


def test_an_error_ends_a_run_unless_errors_are_ignored(loaded: Loaded) -> None:
    short = ("--time", "2s", "-T4", "--weight", "50,50,0,0,0")
    loaded.query(*REFUSE_HISTORY[loaded.place.server.scheme])
    try:
        strict = dbdyno(*loaded.words("run", *short))
        tolerant = must(*loaded.words("run", *short, "--ignore-error"))
        silent = must(*loaded.words("run", *short, "--ignore-error", "--silence"))
    finally:
        loaded.query(*ALLOW_HISTORY[loaded.place.server.scheme])
    assert strict.status == 1
    assert "no history today" in strict.errors
    assert strict.errors.endswith("failed transactions are counted and the run goes on\n")
    output = read_run(tolerant.output, "plain")
    assert int(output.summary["PAYMENT_ERR"]["Count"]) > 0
    assert "PAYMENT" not in output.summary
    assert float(output.summary["NEW_ORDER"]["Takes(s)"]) == pytest.approx(2.0, abs=0.2)
    assert "no history today" in tolerant.errors
    assert "no history today" not in silent.errors
    assert "PAYMENT_ERR" in silent.output


REFUSE_HISTORY = {
    "mysql": (
        "CREATE TRIGGER refuse BEFORE INSERT ON history FOR EACH ROW "
        "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no history today'",
    ),
    "postgresql": (
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN RAISE EXCEPTION $$no history today$$; END'",
        "CREATE TRIGGER refuse BEFORE INSERT ON history EXECUTE FUNCTION refuse()",
    ),
}
ALLOW_HISTORY = {
    "mysql": ("DROP TRIGGER refuse",),
    "postgresql": ("DROP TRIGGER refuse ON history", "DROP FUNCTION refuse()"),
}


def test_what_violates_a_condition_is_named(loaded: Loaded) -> None:
    assert must(*loaded.words("check", "--check-all")).output.endswith("\nFinished\n")
    loaded.query("UPDATE warehouse SET w_ytd = w_ytd + 1")
    try:
        violated = dbdyno(*loaded.words("check"))
    finally:
        loaded.query("UPDATE warehouse SET w_ytd = w_ytd - 1")
    assert violated.status == 1
    said = [line for line in violated.output.splitlines() if "failed" in line]
    for line, number in zip(said, (1, 8), strict=True):
        start = f"execute check failed, err check warehouse 1 at condition 3.3.2.{number} failed"
        assert line.startswith(start)
    assert violated.complaints == "violated: 3.3.2.1, 3.3.2.8; dbdyno check shows the rows\n"
    assert violated.output.endswith("\nFinished\n")


def test_the_plain_command_runs_on_its_tables(loaded: Loaded) -> None:
    words = ("--duration", "1s", "--warmup", "0s", "--schema", "go-tpc")
    assert "schema go_tpc" in must("tpcc", "run", loaded.url(), *words).output


def test_more_warehouses_than_there_are_is_said(loaded: Loaded) -> None:
    for command in ("run", "check"):
        # go-tpc's default is ten.
        ended = dbdyno("go-tpc", "tpcc", command, *loaded.options, "--time", "1s")
        assert ended.status == 1
        assert "those loaded at" in ended.errors
        assert ended.output == ""


def test_a_wrong_password_is_said_and_not_shown(mariadb: Place) -> None:
    where = ("-H", "127.0.0.1", "-P", str(mariadb.server.port), "-U", mariadb.user, "-D", "test")
    for command in ("prepare", "run", "check", "cleanup"):
        ended = dbdyno("go-tpc", "tpcc", command, *where, "--password", "kXkXk9")
        assert ended.status == 1
        assert "Access denied" in ended.errors
        assert "kXkXk9" not in ended.output + ended.errors


def test_nobody_at_the_port_is_said() -> None:
    ended = dbdyno("go-tpc", "tpcc", "run", "-P", "1", "--time", "1s")
    assert ended.status == 1
    assert "cannot connect to mysql://root@127.0.0.1:1/test" in ended.errors


def test_a_server_without_encryption_is_said_in_go_tpcs_words(postgresql: Place) -> None:
    where = ("-P", str(postgresql.server.port), "-d", "postgres", "-U", postgresql.user)
    # Go's driver asks for encryption where nothing is said.
    ended = dbdyno("go-tpc", "tpcc", "run", *where, "--time", "1s")
    assert ended.status == 1
    assert "the server does not offer encryption" in ended.errors
    assert ended.errors.endswith("(here --conn-params sslmode=disable, with MySQL tls=false)\n")


def test_a_load_that_was_stopped_is_gone_on_with(mariadb: Place) -> None:
    where = ("-P", str(mariadb.server.port), "-D", f"{DATABASE}_stopped", "-U", mariadb.user)
    flags = (*where, f"-p{mariadb.password}", "--warehouses=3", "-T1", "--no-check")
    words = [*DBDYNO, "go-tpc", "tpcc", "prepare", *flags, "--dropdata"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as load:
        assert load.stdout is not None
        assert load.stderr is not None
        while (line := load.stdout.readline()) != "load to warehouse in warehouse 2\n":
            assert line
        load.send_signal(signal.SIGINT)
        load.stdout.read()
        errors = load.stderr.read()
        assert load.wait(LIMIT_S) == 1
    assert errors.endswith("go on where it was, with the same call without --dropdata\n")
    rest = must("go-tpc", "tpcc", "prepare", *flags)
    # A third is there, with its tables.
    assert rest.output.startswith("load to warehouse in warehouse 2\n")
    assert rest.output.endswith("load to order_line in warehouse 3 district 10\nFinished\n")
    assert "of them by an earlier load" in rest.errors
    mariadb.query(f"DROP DATABASE {DATABASE}_stopped")


def test_cleanup_drops_the_tables_and_all_else_says_that_they_are_missing(loaded: Loaded) -> None:
    """The last test, which leaves the database empty."""
    again = must(*loaded.words("prepare", "--dropdata", "--no-check", "--use-fk", "-T", "2"))
    dropped = [f"DROP TABLE IF EXISTS {table}" for table in DROPPED]
    assert again.output.splitlines()[:10] == [*dropped, "creating table warehouse"]
    assert "begin to check" not in again.output
    assert again.output.endswith("\nFinished\n")
    keys = "SELECT COUNT(*) FROM information_schema.referential_constraints"
    assert loaded.query(f"{keys} WHERE constraint_schema IN ('{DATABASE}', 'public')") == [("10",)]
    cleaned = must(*loaded.words("cleanup"))
    assert cleaned.output.splitlines() == [*dropped, "Finished"]
    assert must(*loaded.words("cleanup")).output == cleaned.output
    missing = dbdyno(*loaded.words("run", "--time", "1s"))
    assert missing.status == 1
    assert "there are no warehouses in the tables of schema go_tpc" in missing.errors
    unchecked = dbdyno(*loaded.words("check"))
    assert unchecked.status == 2
    assert "there are no TPC-C tables" in unchecked.errors


DROPPED = (
    *("item", "customer", "district", "history", "new_order"),
    *("order_line", "orders", "stock", "warehouse"),
)
