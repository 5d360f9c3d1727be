"""One private MariaDB for all tests of the engine, and a way to run plans on it in this process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from dbdyno._native import Histogram, Run, Session
from dbdyno.experiment.file.target import MysqlTarget
from dbdyno.target.base import Server
from dbdyno.target.opening import open_server

RUN_LIMIT_S = 120.0


@dataclass(frozen=True)
class Bench:
    """A running server with ways to load it and to ask it."""

    server: Server

    def run(self, plan: dict[str, Any]) -> list[dict[str, Any]]:
        """Carry out a plan and return its events; an error event fails the test."""
        whole = {"version": 1, "url": self.server.url} | plan
        run = Run.start(json.dumps(whole), self.server.password)
        events: list[dict[str, Any]] = []
        waited_s = 0.0
        while (news := run.poll(1.0)) is not None:
            waited_s = 0.0 if news else waited_s + 1.0
            assert waited_s < RUN_LIMIT_S, "the run says nothing any more"
            events += [json.loads(event) for event in news]
        errors = [event["message"] for event in events if event["event"] == "error"]
        assert not errors, errors
        return events

    def trial(self, **changes: Any) -> list[dict[str, Any]]:
        """Run a short trial of oltp_read_write on one table of 1,000 rows, with changes."""
        plan: dict[str, Any] = {
            "workload": {"sysbench": {"script": "oltp_read_write", "table_size": 1000}},
            "clients": 4,
            "workers": 1,
            "arrivals": {"closed": {}},
            "warmup_s": 0.2,
            "duration_s": 1.0,
            "interval_s": 0.5,
            "seed": 1,
            "retry": {"max_retries": 10, "backoff_min_ms": 1.0, "backoff_max_ms": 50.0},
            "error_budget": 0.01,
            "limits": {"connect_s": 60.0, "statement_s": 30.0, "drain_s": 10.0},
        }
        return self.run(plan | changes)

    def dataset(self, action: str, **changes: Any) -> list[dict[str, Any]]:
        """Load, verify or drop the table of ``trial``, with changes."""
        plan: dict[str, Any] = {
            "action": action,
            "workload": {"sysbench": {"script": "oltp_read_write", "table_size": 1000}},
            "seed": 1,
            "connections": 2,
            "connect_s": 30.0,
        }
        return self.run(plan | changes)

    def query(self, sql: str) -> list[tuple[str | None, ...]]:
        """Ask the server."""
        session = Session.connect(self.server.url, self.server.password)
        try:
            return session.query(sql)
        finally:
            session.close()

    def counters(self, like: str) -> dict[str, int]:
        """Return the server's own counters since its start."""
        return {
            str(name): int(value or 0)
            for name, value in self.query(f"SHOW GLOBAL STATUS LIKE '{like}'")
        }


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A server with the table of ``Bench.trial`` loaded."""
    directory = tmp_path_factory.mktemp("engine")
    with open_server(MysqlTarget(), "mysql", directory) as server:
        # Flushing is not what these tests are about.
        server.start({"innodb_flush_log_at_trx_commit": "0"})
        ready = Bench(server)
        ready.dataset("load")
        yield ready


def intervals(events: list[dict[str, Any]], phase: str | None = None) -> list[dict[str, Any]]:
    """Return the interval events, of one phase or of all."""
    found = [event for event in events if event["event"] == "interval"]
    return [event for event in found if phase is None or event["phase"] == phase]


def total(events: list[dict[str, Any]], counter: str) -> int:
    """Add a counter up over all intervals and transactions."""
    return sum(
        transaction[counter]
        for event in intervals(events)
        for transaction in event["transactions"].values()
    )


def merged(events: list[dict[str, Any]], measure: str) -> Histogram:
    """Merge one measure's histograms of all intervals and transactions, late ones too."""
    histogram = Histogram()
    for event in intervals(events):
        for part in (event, *event.get("late", [])):
            for transaction in part["transactions"].values():
                if measure in transaction:
                    overflow = transaction.get(f"{measure}_overflow", 0)
                    histogram.merge(Histogram.decode(transaction[measure], overflow))
    return histogram
