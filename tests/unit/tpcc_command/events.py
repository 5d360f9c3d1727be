"""The generator's events as a test wants them."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from dbdyno._native import Histogram
from dbdyno.database.address import Address
from dbdyno.peers.tpcc.request import TpccRequest, read_workload
from dbdyno.peers.tpcc.run import Outcome
from dbdyno.protocol.events import Connected, End, Facts
from dbdyno.protocol.intervals import Interval

KINDS = ("new_order", "payment", "order_status", "delivery", "stock_level")
COUNTS = dict(zip(KINDS, (450, 430, 40, 40, 40), strict=True))
FACTS: Facts = {
    "new_orders": 900,
    "rollback_share": 0.01,
    "lines_per_order": 10.0,
    "remote_line_share": 0.01,
    "remote_payment_share": 0.15,
    "payment_by_name_share": 0.6,
    "order_status_by_name_share": 0.6,
    "delivery_skipped_share": 0.0,
    "skipped_districts": 0,
    "c_last": "67",
}


def histogram(count: int, milliseconds: float) -> str:
    """Return so many response times, all the same."""
    recorded = Histogram()
    if count:
        recorded.record(round(milliseconds * 1e6), count)
    return recorded.encode()


def counted(
    count: int, milliseconds: float = 4.0, *, rolled_back: int = 0, failed: int = 0
) -> dict[str, Any]:
    """Return a kind's part of an interval."""
    return {
        "scheduled": count + failed,
        "in_flight": 0,
        "committed": count - rolled_back,
        "rolled_back": rolled_back,
        "failed": failed,
        "dropped": 0,
        "retries": 0,
        "first_attempt_aborts": failed,
        "response": histogram(count, milliseconds),
        "turnaround": histogram(count, milliseconds),
    }


def interval(
    second: int, phase: str = "window", *, errors: list[dict[str, Any]] | None = None, **kinds: Any
) -> Interval:
    """Return the event of one second; what is not said of a kind is usual."""
    usual = {kind: counted(count) for kind, count in COUNTS.items()}
    event = {
        "event": "interval",
        "phase": phase,
        "index": second,
        "start_s": float(second),
        "duration_s": 1.0,
        "transactions": usual | kinds,
        "live_clients": 4,
        "statements": {"read": 12_000, "write": 1_000, "other": 1_000, "unchanged": 9},
        "round_trips": 6_300,
        "reconnects": 0,
        "renewals": 0,
        "renewal_s": 0.0,
        "generator": {
            "user_s": 0.1,
            "system_s": 0.08,
            "busiest_worker_share": 0.2,
            "run_queue_delay_s": 0.0,
            "voluntary_switches": 4000,
            "involuntary_switches": 12,
            "loop_lag": histogram(0, 0.0),
        },
        "errors": errors or [],
    }
    return TypeAdapter(Interval).validate_python(event)


def request(**others: Any) -> TpccRequest:
    """Return a request for two warehouses."""
    written = {"warehouses": 2} | others.pop("written", {})
    return TpccRequest(
        command="tpcc run",
        address=Address("mysql://root@db/test", "secret"),
        workload=read_workload(written),
        **others,
    )


CONNECTED = Connected(clients=4, elapsed_s=0.1, server_version="10.11.14-MariaDB")


def outcome(*events: Interval, asked: TpccRequest | None = None) -> Outcome:
    """Return what was measured in some seconds, two where none are given."""
    found = Outcome(asked or request())
    for event in events or (interval(0), interval(1)):
        found.add(event)
    found.close(End(status="completed", reason=None, elapsed_s=2.0, facts=FACTS))
    return found
