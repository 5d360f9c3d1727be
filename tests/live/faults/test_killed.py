"""A server that crashes in the middle of a trial and comes back where its clients look for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dbdyno.store.facts import CheckFacts
from dbdyno.store.model import StoredTrial, TrialStatus
from dbdyno.store.reader import read_result
from tests.live.engine.conftest import intervals, total
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.experiments import identity_of, prepare
from tests.live.faults.servers import crash_and_start, on_each
from tests.live.faults.trials import (
    LIMIT_S,
    Trial,
    assert_that_all_is_accounted_for,
    counted,
)
from tests.live.sysbench.programs import DBDYNO, Database
from tests.unit.report.report_page import read_page

pytestmark = pytest.mark.live

TABLE = ("oltp_read_write", "--tables=1", "--table-size=1000", "--delete_inserts=0")

CLIENTS = 4
WINDOWS_S = (4.0, 16.0, 64.0)
"""The first is long enough for all to be seen, unless the machine is very busy."""

DOWN_S = 1.2
"""Longer than an interval: how many clients are connected is looked at when one ends."""

LOST = ("connection lost while waiting for the", "due to unexpected postmaster exit")
"""What clients are told: nothing, or what PostgreSQL's own processes can still say."""


def test_a_trial_goes_on(servers: list[FixedServer], tmp_path: Path) -> None:
    on_each(servers, lambda server: crash_under_a_run(server, tmp_path / server.scheme))


def crash_under_a_run(server: FixedServer, directory: Path) -> None:
    """Let a server crash under a whole experiment whose error budget allows that."""
    for window_s in WINDOWS_S:
        place = directory.with_name(f"{directory.name}-{window_s:.0f}")
        stage = prepare(place, server, duration=f"{window_s}s", error_budget=1.0)
        running = stage.launch()
        running.wait_for_load(1)
        crash_and_start(server, DOWN_S)
        ended = running.end()
        (trial,) = read_result(stage.result).trials
        if before_and_after_were_seen(trial):
            break
    # It ran to its end, and is not to be judged by: the report says why.
    assert ended.status == 1, ended
    assert "0 of 1 trials used" in ended.output
    assert "Fewer clients were connected than the cell asks for" in ended.output
    assert f"0 of {CLIENTS} clients at" in ended.output
    assert_that_it_went_on(trial, window_s)
    assert_that_the_report_has_its_errors(stage.result, trial)
    assert trial.dataset.check == CheckFacts(done=True, passed=True)


def clients_and_committed(trial: StoredTrial) -> tuple[list[int], list[int]]:
    """Return how many clients were connected and what was committed, by interval of the window."""
    clients = trial.generator.sort("index").filter(phase="window")["live_clients"].to_list()
    committed = trial.intervals.sort("index").filter(phase="window")["committed"].to_list()
    return clients, committed


def before_and_after_were_seen(trial: StoredTrial) -> bool:
    """Tell whether all clients were connected and at work at both ends of the window."""
    clients, committed = clients_and_committed(trial)
    return clients[0] == clients[-1] == CLIENTS and min(committed[0], committed[-1]) > 0


def assert_that_it_went_on(trial: StoredTrial, window_s: float) -> None:
    """Each client lost a transaction and its connection, and all came back."""
    assert trial.status is TrialStatus.COMPLETED, trial.reason
    sums = identity_of(trial)
    assert sums["failed"] == CLIENTS
    assert sums["scheduled"] == sums["committed"] + CLIENTS
    counts: dict[str, int] = {}
    for error in trial.errors:
        counts[error.error_class] = counts.get(error.error_class, 0) + error.count
    assert set(counts) - {"deadlock"} == {"connection_lost", "connection_refused"}
    assert counts["connection_lost"] >= CLIENTS
    generator = trial.generator.sort("index")
    assert generator["reconnects"].sum() == CLIENTS
    window = trial.intervals.sort("index").filter(phase="window")
    assert window["duration_s"].sum() == pytest.approx(window_s, abs=0.01)
    clients, committed = clients_and_committed(trial)
    assert before_and_after_were_seen(trial), (clients, committed)
    assert 0 in committed
    assert min(clients) == 0


def assert_that_the_report_has_its_errors(result: Path, trial: StoredTrial) -> None:
    """The page has a row for each error of the window, and says that the trial is not used."""
    page = read_page((result / "report.html").read_text())
    _, heading, *rows = page.tables["errors-table"]
    assert heading == ["trials that are not used"]
    told = [int(row[-6].replace(",", "")) for row in rows]
    in_window = [error for error in trial.errors if error.phase == "window"]
    assert told == sorted((error.count for error in in_window), reverse=True)
    shown = {class_of for row in rows for class_of in row if class_of.startswith("connection_")}
    assert shown == {"connection_lost", "connection_refused"}
    assert "connection_lost, errors/s" in page.text


def test_a_trial_fails_where_nothing_may(servers: list[FixedServer], tmp_path: Path) -> None:
    on_each(servers, lambda server: crash_under_the_strict(server, tmp_path / server.scheme))


def crash_under_the_strict(server: FixedServer, result: Path) -> None:
    """Let a server crash under a trial without an error budget and under sysbench's command."""
    trial = Trial(server.url(), error_budget=0.0)
    command = [*DBDYNO, *options(server), *TABLE, "--threads=2", f"--time={LIMIT_S:.0f}"]
    command += ["--report-interval=1", f"--out={result}", "run"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sysbench:
        try:
            read_until(sysbench, "[ 1s ]")
            trial.wait_until_it_commits()
            crash_and_start(server)
            said = sysbench.communicate(timeout=LIMIT_S / 2)[0]
        finally:
            sysbench.kill()
    assert sysbench.returncode == 1
    last_line = said.splitlines()[-1]
    assert last_line.startswith("FATAL: ")
    assert any(words in last_line for words in LOST), last_line
    assert_that_the_first_failure_ended_it(result, last_line)
    assert_that_the_budget_ended_it(trial)


def read_until(program: subprocess.Popen[str], text: str) -> None:
    """Read what a program prints until it has printed a text."""
    assert program.stdout is not None
    said = ""
    while text not in said:
        said += (line := program.stdout.readline())
        assert line, said


def options(server: FixedServer) -> tuple[str, ...]:
    """Return how sysbench is told where the server is."""
    driver, user = {"mysql": ("mysql", "root"), "postgresql": ("pgsql", "postgres")}[server.scheme]
    return Database(driver, server.url().replace("://", f"://{user}@"), None).options


def assert_that_the_first_failure_ended_it(result: Path, said: str) -> None:
    """What was measured before is stored, and the reason is the one that was printed."""
    (stored,) = read_result(result).trials
    assert stored.status is TrialStatus.FAILED
    assert stored.reason is not None
    assert stored.reason in said
    sums = identity_of(stored)
    assert sums["committed"] > 0
    assert 1 <= sums["failed"] <= 2
    assert stored.intervals.filter(phase="window").height >= 1


def assert_that_the_budget_ended_it(trial: Trial) -> None:
    """The reason is what happened to the clients that had a transaction under way."""
    events = trial.end()
    assert_that_all_is_accounted_for(events)
    end, failed = events[-1], total(events, "failed")
    assert end["status"] == "failed"
    assert 1 <= failed <= CLIENTS
    of = failed + total(events, "committed")
    assert f"{failed} of {of} transactions failed" in end["reason"]
    assert "the error budget is 0 %" in end["reason"]
    assert any(words in end["reason"] for words in ("connection_lost: ", "connection_refused: "))
    assert counted(events)["connection_lost"] >= failed
    assert len(intervals(events, "window")) >= 1
