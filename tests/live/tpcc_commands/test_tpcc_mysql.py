"""``dbdyno tpcc-mysql`` from loading to the result, on a real MariaDB."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.store.reader import read_result
from tests.live.tpcc_commands.conftest import DBDYNO, LIMIT_S, Place, dbdyno, must
from tests.tpcc_output import read_start

DATABASE = "tpcc_mysql"


LENGTHS_S = (2, 8, 32)
"""The next is run where a busy machine did not get to every kind of transaction."""


@pytest.fixture(scope="module")
def server(mariadb: Place) -> Iterator[tuple[str, ...]]:
    """Return the options that lead to a database with one warehouse."""
    mariadb.query(f"CREATE DATABASE {DATABASE}")
    options = (
        *("-h", "127.0.0.1", "-P", str(mariadb.server.port), "-d", DATABASE),
        *("-u", mariadb.user, f"-p{mariadb.password}", "-w", "1"),
    )
    # As tpcc_load is called in parts.
    part = ("-m", "1", "-n", "1")
    nothing = must("tpcc-mysql", "load", *options, "-l", "2", *part)
    assert "all tables are loaded by part 1" in nothing.errors
    said = must("tpcc-mysql", "load", *options, "-l", "1", *part).output
    assert said.endswith("\n\n...DATA LOADING COMPLETED SUCCESSFULLY.\n")
    assert mariadb.password not in said
    yield options
    mariadb.query(f"DROP DATABASE {DATABASE}")


@pytest.mark.live
def test_tables_have_their_indexes_and_foreign_keys(
    server: tuple[str, ...], mariadb: Place
) -> None:
    assert mariadb.query(
        "SELECT COUNT(*) FROM information_schema.referential_constraints "
        f"WHERE constraint_schema = '{DATABASE}'"
    ) == [("10",)]
    again = dbdyno("tpcc-mysql", "load", *server)
    assert again.status == 1
    assert "load makes the tables itself" in again.errors


@pytest.mark.live
def test_a_run_has_tpcc_starts_form_and_the_figures_of_its_result(
    server: tuple[str, ...], tmp_path: Path
) -> None:
    for length_s in LENGTHS_S:
        result = tmp_path / f"result-{length_s}"
        run = ("-c", "4", "-r", "1", "-l", str(length_s), "-i", "1", "-t", "x", "--out", result)
        ended = must("tpcc-mysql", "start", *server, *run)
        output = read_start(ended.output)
        if all(success + late > 0 for _, success, late, *_ in output.raw):
            break
    assert [row[0] for row in output.intervals] == [str(end + 1) for end in range(length_s)]
    assert output.seconds == length_s
    assert output.password == "***"
    (trial,) = read_result(result).trials
    window = trial.intervals.filter(phase="window")
    for (_, success, late, _, failed), kind in zip(
        output.raw,
        ("new_order", "payment", "order_status", "delivery", "stock_level"),
        strict=True,
    ):
        rows = window.filter(transaction=kind)
        assert success + late == sum(rows["committed"]) + sum(rows["rolled_back"]) > 0
        assert failed == sum(rows["failed"])
    assert sum(int(row[1]) for row in output.intervals) == sum(output.raw[0][1:3])
    assert output.tpmc == pytest.approx(60 / length_s * sum(output.raw[0][1:3]), rel=0.01)
    assert "WARNING: -t x has no effect" in ended.errors
    assert "limits of response times (-0 to -4) are seconds" in ended.errors


@pytest.mark.live
def test_the_plain_command_knows_whose_tables_they_are(
    server: tuple[str, ...], mariadb: Place
) -> None:
    url = mariadb.url.replace("/test", f"/{DATABASE}")
    words = ("--duration", "1s", "--warmup", "0s")
    assert "schema tpcc_mysql" in must("tpcc", "run", url, *words).output


@pytest.mark.live
def test_ctrl_c_gives_results_of_the_time_until_then(server: tuple[str, ...]) -> None:
    words = [*DBDYNO, "tpcc-mysql", "start", *server, "-c2", "-r1", "-l60", "-i1"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        said = ""
        while not re.search("trx: [1-9]", said):
            said += (line := run.stdout.readline())
            assert line, said
        run.send_signal(signal.SIGINT)
        said += run.stdout.read()
        assert run.wait(LIMIT_S) == 1
    output = read_start(said)
    assert 1 <= output.seconds < 60
    assert output.tpmc > 0
