"""Trials that can be watched while something happens to their server."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from dbdyno._native import Run
from tests.live.engine.conftest import intervals, total
from tests.live.faults.servers import WORKLOAD

LIMIT_S = 180.0
"""Nothing here takes so long, even on a busy machine; what does, hangs."""

LONG_S = 2 * LIMIT_S
"""The window of a trial that the test stops when it has seen enough."""

ENDED = ("committed", "rolled_back", "failed", "dropped")


class Trial:
    """A trial in this process. Its events wait until somebody asks for them."""

    def __init__(self, url: str, password: str | None = None, **changes: Any) -> None:
        """Start it: four clients in a closed loop, with changes."""
        plan: dict[str, Any] = {
            "version": 1,
            "url": url,
            "workload": WORKLOAD,
            "clients": 4,
            "workers": 2,
            "arrivals": {"closed": {}},
            "warmup_s": 0.1,
            "duration_s": LONG_S,
            "interval_s": 0.1,
            "seed": 1,
            "retry": {"max_retries": 10, "backoff_min_ms": 1.0, "backoff_max_ms": 50.0},
            "error_budget": 1.0,
            "limits": {
                "connect_s": 20.0,
                "statement_s": 20.0,
                "drain_s": LIMIT_S / 2,
                "interrupted_drain_s": LIMIT_S / 2,
            },
        }
        self.run = Run.start(json.dumps(plan | changes), password)
        self.events: list[dict[str, Any]] = []
        self.is_over = False

    def _read_until(self, deadline_s: float, complaint: str) -> None:
        if time.monotonic() > deadline_s:
            self.run.stop()
            raise AssertionError(f"{complaint}; errors: {counted(self.events)}")
        news = self.run.poll(0.1)
        self.is_over = news is None
        self.events += [json.loads(event) for event in news or []]

    def wait_until(self, happened: Callable[[list[dict[str, Any]]], bool]) -> None:
        """Read what it says until that shows something; only what is new counts."""
        known = len(self.events)
        deadline_s = time.monotonic() + LIMIT_S
        while not happened(self.events[known:]):
            assert not self.is_over, f"it ended: {self.events[-1]}"
            self._read_until(deadline_s, "it does not happen")

    def wait_until_it_commits(self, clients: int = 4) -> None:
        """Wait for an interval in which all clients are there and something is committed."""
        self.wait_until(
            lambda events: any(
                event["live_clients"] == clients and total([event], "committed") > 0
                for event in intervals(events)
            )
        )

    def wait_until_it_stands_still(self) -> None:
        """Wait for an interval in which nothing is committed."""
        self.wait_until(
            lambda events: any(total([event], "committed") == 0 for event in intervals(events))
        )

    def wait_until_it_reconnected(self, clients: int = 4) -> None:
        """Wait until so many connections were made again since the beginning."""
        self.wait_until(
            lambda _: sum(event["reconnects"] for event in intervals(self.events)) >= clients
        )

    def wait_until_it_counts(self, error_class: str) -> None:
        """Wait for an error of a class."""
        self.wait_until(lambda events: error_class in counted(events))

    def stop(self) -> list[dict[str, Any]]:
        """Stop it, and return all its events."""
        self.run.stop()
        return self.end()

    def end(self) -> list[dict[str, Any]]:
        """Wait for its end, and return all its events."""
        deadline_s = time.monotonic() + LIMIT_S
        while not self.is_over:
            self._read_until(deadline_s, "it does not end")
        return self.events


def refusal(url: str, password: str | None = None, **changes: Any) -> str:
    """Return the words with which a trial does not begin."""
    events = Trial(url, password, **changes).end()
    assert [event["event"] for event in events] == ["error"], events
    assert events[0]["kind"] == "server"
    message: str = events[0]["message"]
    return message


def counted(events: list[dict[str, Any]]) -> Counter[str]:
    """Return how many errors of each class there were."""
    classes: Counter[str] = Counter()
    for event in intervals(events):
        for error in event["errors"]:
            classes[error["class"]] += error["count"]
    return classes


def assert_that_all_is_accounted_for(events: list[dict[str, Any]]) -> None:
    """Assert the identity of counters at the end of every interval; no interval is missing.

    In the end nothing is in flight: the trial has drained.
    """
    scheduled = ended = in_flight = 0
    for event in intervals(events):
        for transaction in event["transactions"].values():
            scheduled += transaction["scheduled"]
            ended += sum(transaction[counter] for counter in ENDED)
            in_flight = transaction["in_flight"]
        assert scheduled == ended + in_flight, event
    indexes = [event["index"] for event in intervals(events)]
    assert indexes == list(range(indexes[0], indexes[0] + len(indexes)))
    assert in_flight == 0
    assert scheduled > 0
