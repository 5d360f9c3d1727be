"""What is shown while a run goes on, and by commands, has the times that came late as well."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from dbdyno.cli.trial_figures import in_words, now_in_words
from dbdyno.cli.window_figures import WindowFigures
from dbdyno.peers.call.totals import Totals
from dbdyno.peers.sysbench.totals import Totals as SysbenchTotals
from dbdyno.peers.tpcc.request import TpccRequest
from dbdyno.peers.tpcc.run import Outcome
from dbdyno.protocol.intervals import Interval
from dbdyno.times import asked_document
from tests.unit.store.result_builder import histogram, interval, transaction
from tests.unit.tpcc_command.events import request

KIND = "new_order"


def times(count: int, ms: float) -> dict[str, str]:
    measures = ("response", "service", "lag", "turnaround")
    return {measure: histogram([ms] * count) for measure in measures}


def event(phase: str, index: int, committed: int, recorded: int, **changes: Any) -> dict[str, Any]:
    """Return an interval in which so many ended, of which some were scheduled in it."""
    made = interval(phase, index, {KIND: transaction(committed) | times(recorded, 5.0)}, **changes)
    made |= {"round_trips": 0, "renewals": 0, "renewal_s": 0.0, "waiting": 0, "running": 0}
    made["statements"]["unchanged"] = 0
    sum_ns = [committed * 5_000_000]
    made["clients"] = {
        "transactions": [committed],
        "response_ns": sum_ns,
        "turnaround_ns": sum_ns,
    }
    return made


def interval_of(event: dict[str, Any]) -> Interval:
    return TypeAdapter(Interval).validate_python(event)


def late(phase: str, index: int, count: int, ms: float) -> dict[str, Any]:
    return {"phase": phase, "index": index, "transactions": {KIND: times(count, ms)}}


def stalled_trial() -> list[dict[str, Any]]:
    """A window of two seconds whose second one ends in the drain; three were due before it."""
    return [
        event("warmup", -1, 97, 97),
        event("window", 0, 103, 100, late=[late("warmup", -1, 3, 9000.0)]),
        event("window", 1, 0, 0),
        event("drain", 2, 100, 0, late=[late("window", 1, 100, 1500.0)]),
    ]


def test_the_live_display_has_them() -> None:
    figures = WindowFigures()
    events = [interval_of(each) for each in stalled_trial()]
    shown = [now_in_words(each.duration_s, figures.add(each)) for each in events]
    assert in_words(figures.window()) == ("52", "1,501 ms")
    assert shown[-1].endswith("100 transactions/s, response time p95 1,501 ms")


@pytest.mark.parametrize(
    ("asking", "unread_s", "shown"), [(8, 4.0, "†"), (8, 0.4, ""), (8, 0.0, ""), (None, 4.0, "")]
)
def test_the_live_display_marks_times_that_fewer_clients_had(
    asking: int | None, unread_s: float, shown: str
) -> None:
    figures = WindowFigures(asking)
    interval = interval_of(event("window", 0, 100, 100) | {"unread_s": unread_s})
    marked = "†" in now_in_words(1.0, figures.add(interval)), "†" in in_words(figures.window())[1]
    assert marked == (bool(shown), bool(shown))


def test_sysbenchs_output_has_them() -> None:
    totals = SysbenchTotals()
    for each in stalled_trial()[1:]:
        totals.add(interval_of(each))
    assert totals.times.done.count == 200
    assert totals.percentile_ms(99) == pytest.approx(1500, rel=1e-3)
    assert totals.percentile_ms(100) == totals.percentile_ms(99)


@pytest.mark.parametrize("totals", [SysbenchTotals(), Totals()])
def test_the_servers_time_is_without_the_wait_of_what_was_due(
    totals: SysbenchTotals | Totals,
) -> None:
    told = event("window", 0, 100, 100) | {"unread_s": 0.1}
    told["transactions"][KIND] |= {
        "response": histogram([9.2] * 100),
        "service": histogram([0.2] * 100),
        "lag": histogram([9.0] * 100),
        "turnaround": histogram([10.0] * 100),
    }
    totals.add(interval_of(told))
    shown: Any = totals.client_times(request().trial_plan(), is_embedded=False).document([99.0])
    assert shown["server_response_ms"] == {
        "mean": pytest.approx(0.2, rel=1e-3),
        "max": pytest.approx(0.2, rel=1e-3),
        "percentiles": {"99": pytest.approx(0.2, rel=1e-3)},
    }


def test_tpccs_output_has_them() -> None:
    outcome = Outcome(request())
    for each in stalled_trial():
        outcome.add(interval_of(each))
    new_order = outcome.totals.of(KIND)
    assert (new_order.committed, new_order.times.done.count) == (103, 200)
    assert new_order.percentile_ms(99) == pytest.approx(1500, rel=1e-3)
    assert outcome.whole.of(KIND).times.done.count == 300


@pytest.mark.parametrize("asked", [request(), request(transactions=300)])
def test_a_number_of_transactions_has_no_other_times(asked: TpccRequest) -> None:
    outcome = Outcome(asked)
    for each in stalled_trial():
        outcome.add(interval_of(each))
    assert outcome.totals.of(KIND).times.done.count == 200


def test_failed_transactions_are_told_where_there_are_any() -> None:
    totals = SysbenchTotals()
    totals.add(interval_of(event("window", 0, 98, 98)))
    assert asked_document(totals.times, [99.0]) is None
    failing = event("window", 1, 98, 98)
    failing["transactions"][KIND] |= {"failed": 4, "failed_response": histogram([60e3] * 4)}
    totals.add(interval_of(failing))
    asked = asked_document(totals.times, [50.0, 99.0])
    assert asked is not None
    assert asked["max"] == pytest.approx(60e3, rel=1e-3)
    assert asked["percentiles"] == {
        "50": pytest.approx(5.0, rel=1e-3),
        "99": pytest.approx(60e3, rel=1e-3),
    }
    assert totals.percentile_ms(99) == pytest.approx(5.0, rel=1e-3)
