"""Trials of a workload on a server that a test has started, without an experiment around them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbdyno._native import Run
from dbdyno.experiment.workload.registry import AnyWorkload, plan_of
from dbdyno.target.base import Server

SEED = 42
POLL_S = 1.0
COUNTERS = ("scheduled", "committed", "rolled_back", "failed", "dropped", "retries")


@dataclass(frozen=True)
class Trial:
    """What a trial counted, by kind of transaction, and what it said at its end."""

    kinds: Mapping[str, Counter[str]]
    errors: Counter[str]
    end: Mapping[str, Any]
    round_trips: int

    def executions(self, verb: str) -> int:
        """Return how many statements of a verb were sent."""
        return sum(s["executions"] for s in self.end["statements"] if s["verb"] == verb)

    def affected(self, text: str) -> int:
        """Return how many rows statements changed that have a text in them."""
        return sum(s["affected"] for s in self.end["statements"] if text in s["sql"])


def load(server: Server, workload: AnyWorkload) -> list[dict[str, Any]]:
    """Load a workload's data."""
    plan = {"action": "load", "seed": SEED, "connections": 2, "connect_s": 10.0}
    return _run(server, workload, plan)


def verify(server: Server, workload: AnyWorkload) -> list[dict[str, Any]]:
    """Look whether a workload's data are there."""
    plan = {"action": "verify", "seed": SEED, "connections": 1, "connect_s": 10.0}
    return _run(server, workload, plan)


def drop(server: Server, workload: AnyWorkload) -> list[dict[str, Any]]:
    """Remove a workload's data."""
    plan = {"action": "drop", "seed": SEED, "connections": 1, "connect_s": 10.0}
    return _run(server, workload, plan)


def run_trial(
    server: Server,
    workload: AnyWorkload,
    *,
    clients: int = 2,
    duration_s: float = 0.4,
    protocol: str = "prepared",
    error_budget: float = 0.0,
    isolation: str | None = None,
    transactions: int | None = None,
) -> Trial:
    """Run a trial to its end: until its time is over, or so many transactions are."""
    plan = {
        "session": {"isolation": isolation},
        "clients": clients,
        "workers": 1,
        "protocol": protocol,
        "arrivals": {"closed": {}},
        "warmup_s": 0.0,
        "duration_s": duration_s,
        "interval_s": 0.1,
        "seed": SEED,
        "transactions": transactions,
        "retry": {"max_retries": 50, "backoff_min_ms": 0.1, "backoff_max_ms": 5.0},
        "error_budget": error_budget,
        "limits": {"connect_s": 10.0, "statement_s": 10.0, "drain_s": 10.0},
    }
    kinds: dict[str, Counter[str]] = {}
    errors: Counter[str] = Counter()
    events = _run(server, workload, plan)
    for event in events:
        for name, counters in event.get("transactions", {}).items():
            counter = kinds.setdefault(name, Counter())
            counter.update({field: counters[field] for field in COUNTERS})
        for error in event.get("errors", ()) if event["event"] == "interval" else ():
            errors[error["class"]] += error["count"]
    assert events[-1]["event"] == "end", events[-1]
    round_trips = sum(event.get("round_trips", 0) for event in events)
    return Trial(kinds, errors, events[-1], round_trips)


def _run(server: Server, workload: AnyWorkload, plan: dict[str, Any]) -> list[dict[str, Any]]:
    whole = {"version": 1, "url": server.url, "workload": plan_of(workload)} | plan
    run = Run.start(json.dumps(whole), server.password)
    events: list[dict[str, Any]] = []
    while (batch := run.poll(POLL_S)) is not None:
        events += [json.loads(event) for event in batch]
    return events
