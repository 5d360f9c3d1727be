"""Clients in effect: how many waited for the server, where some of their answers lay unread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.analysis.clients import ClientsInEffect, clients_in_effect
from dbdyno.analysis.compare.model import Reason
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.window_totals import measure
from dbdyno.report.partial_service import clients_note, time_mark
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import POOL, findings, spoken
from tests.unit.store.result_builder import TrialScript, build_result, histogram, make_plan

CLIENTS, INTERVAL_S = 8, 1.0


def unread(script: TrialScript, share: float) -> None:
    """Have answers lie unread for a share of all clients' time."""
    for event in script.window:
        event["unread_s"] = share * CLIENTS * INTERVAL_S
        for kind in event["transactions"].values():
            count = kind["committed"]
            whole_ms = 1e3 * CLIENTS * INTERVAL_S / count
            server_ms = (1 - share) * whole_ms
            kind |= {
                "response": histogram([server_ms] * count),
                "service": histogram([server_ms] * count),
                "turnaround": histogram([whole_ms] * count),
            }


def trial(folder: Path, share: float, **end: Any) -> ClientsInEffect | None:
    def change(script: TrialScript) -> None:
        unread(script, share)
        script.events[-1].update(end)

    return of_first(folder, change)


def of_first(folder: Path, change: Callable[[TrialScript], None]) -> ClientsInEffect | None:
    return clients_in_effect(measure(build_result(folder, make_plan(rounds=1), change).trials[0]))


@pytest.mark.parametrize("share", [0.0, 0.25, 0.9])
def test_clients_whose_answers_lie_unread_are_not_in_effect(tmp_path: Path, share: float) -> None:
    found = trial(tmp_path / "r", share)
    assert found is not None
    assert found.asked == CLIENTS
    assert found.in_effect == pytest.approx((1 - share) * CLIENTS, rel=0.01)


def test_they_are_not_known_where_the_kernel_times_no_arrivals(tmp_path: Path) -> None:
    assert trial(tmp_path / "r", 0.5, kernel_timestamps=False) is None


def test_while_the_generator_waits_for_a_cpu_answers_lie_unread_over_any_socket(
    tmp_path: Path,
) -> None:
    def change(script: TrialScript) -> None:
        unread(script, 0.0)
        script.events[-1]["kernel_timestamps"] = False
        workers = script.generator_plan["workers"]
        for event in script.window:
            event["generator"]["run_queue_delay_s"] = 0.6 * workers * INTERVAL_S

    found = of_first(tmp_path / "r", change)
    assert found is not None
    assert found.in_effect == pytest.approx(0.4 * CLIENTS, rel=0.01)


def test_the_queue_of_an_open_loop_is_no_time_at_the_server(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.generator_plan["arrivals"] = {"poisson": {"rate_per_s": 100.0}}
        for event in script.window:
            for kind in event["transactions"].values():
                count = kind["committed"]
                kind |= {
                    "response": histogram([9.2] * count),
                    "service": histogram([0.2] * count),
                    "lag": histogram([9.0] * count),
                    "turnaround": histogram([10.0] * count),
                }
                event["unread_s"] = 0.8e-3 * count

    found = of_first(tmp_path / "r", change)
    assert found is not None
    assert found.asked is None
    assert found.share == pytest.approx(0.2, rel=0.02)


def test_clients_that_sleep_wait_for_nobody(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        unread(script, 0.05)
        script.generator_plan["workload"] = {"pgbench": {"scripts": [r"\sleep 600 ms"]}}

    assert of_first(tmp_path / "r", change) is None


def test_an_older_generator_knew_how_long_last_answers_lay_unread(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        for event in script.window:
            event["generator"]["loop_lag"] = histogram([20.0] * 100)

    found = of_first(tmp_path / "r", change)
    assert found is not None
    assert found.share == pytest.approx(8 / 10, rel=0.01)


def test_a_cell_with_fewer_is_marked_and_said(tmp_path: Path) -> None:
    found = findings(tmp_path / "r", lambda script: unread(script, 0.75))
    warning = spoken(found)[Code.GENERATOR_LATE]
    assert evidence_of(warning).startswith("2 of 8 clients waited for the server on average")
    (cell, *_) = found.cells
    assert time_mark(cell, 5.0) == "†\N{NO-BREAK SPACE}"
    said = clients_note(found.cells)
    assert said is not None
    assert "2 of 8" in said
    # All transactions' times together are what the clients had.
    assert Code.WAITING_NOT_RECORDED not in spoken(found)


def test_each_cell_with_fewer_is_named_or_counted(tmp_path: Path) -> None:
    (cell, *_) = findings(tmp_path / "r", lambda script: unread(script, 0.05)).cells
    fewer = replace(cell, clients=ClientsInEffect(0.894, 2))
    assert "1.79 of 2" in str(clients_note([fewer, cell]))
    assert str(clients_note([*[fewer] * 5, cell])).endswith("late: 5 of 6 cells.")


def test_a_cell_with_nearly_all_is_not(tmp_path: Path) -> None:
    found = findings(tmp_path / "r", lambda script: unread(script, 0.05))
    assert Code.GENERATOR_LATE not in spoken(found)
    assert time_mark(found.cells[0], 5.0) == ""
    said = clients_note(found.cells)
    assert said is not None
    assert "at least 95.0 %" in said.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(("share", "reason"), [(0.3, Reason.UNLIKE_CLIENTS), (0.05, None)])
def test_response_times_of_unlike_clients_are_not_compared(
    tmp_path: Path, share: float, reason: Reason | None
) -> None:
    plan = make_plan([POOL])
    first = plan.trials[0].cell

    def change(script: TrialScript) -> None:
        unread(script, 0.0 if script.planned.cell == first else share)

    found = findings(tmp_path / "r", change, plan=plan)
    by_metric = {each.metric.name: each for each in found.compared}
    for name, compared in by_metric.items():
        reasons = {each.reason for each in compared.comparisons}
        assert reasons == ({reason} if "response" in name else {None}), name
