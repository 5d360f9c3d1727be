"""Builds stored results for tests, through the real writer and from the generator's own events.

Every transaction that ended well has its times, as with the generator: what a test does not say of
them is filled in when the trial is written, by the counters as the test has left them.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter

from dbdyno._native import Histogram
from dbdyno.experiment.plan import Cell, FactorLevels, Plan, PlannedTrial
from dbdyno.facts.host import HostFacts
from dbdyno.protocol.events import TrialEvent, read_event
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.store.model import StoredResult
from dbdyno.store.reader import read_result
from dbdyno.store.writer import ResultWriter

GENERATOR_PLAN: dict[str, Any] = {
    "version": 1,
    "url": "mysql://root@db.example:3306/dbdyno",
    "workload": {"sysbench": {"script": "oltp_read_write", "tables": 4, "table_size": 100000}},
    "clients": 8,
    "workers": 1,
    "protocol": "prepared",
    "arrivals": {"closed": {}},
    "warmup_s": 2.0,
    "duration_s": 12.0,
    "interval_s": 1.0,
    "seed": 42,
    "retry": {"max_retries": 10, "backoff_min_ms": 1.0, "backoff_max_ms": 50.0},
    "error_budget": 0.01,
    "limits": {"connect_s": 30.0, "statement_s": 60.0, "drain_s": 10.0},
}

TRIAL_PLAN = TypeAdapter(TrialPlan).validate_python(GENERATOR_PLAN)

SERVER: dict[str, Any] = {
    "product": "MariaDB",
    "version": "10.11.14",
    "durability": "every commit",
    "settings": {"innodb_buffer_pool_size": "16777216", "sync_binlog": "1"},
}

HOST: dict[str, Any] = {"cpu_model": "one of many", "cpu_count": 2, "kernel": "6.1"}


def histogram(values_ms: Sequence[float]) -> str:
    """Return the encoding of a histogram of milliseconds."""
    recorded = Histogram()
    for value_ms in values_ms:
        recorded.record(round(value_ms * 1e6))
    return recorded.encode()


@cache
def repeated(values_ms: tuple[float, ...], count: int) -> str:
    """Return the encoding of a histogram of so many values, taken in turn."""
    return histogram(list(islice(cycle(values_ms), count)))


RESPONSE_MS = (4, 5, 5, 5, 6, 6, 7, 8, 9, 20)
RESPONSE = repeated(RESPONSE_MS, 100)
CLIENTS_MS = 8000.0
"""What 8 clients have in one second, all of which goes into transactions in a closed loop."""
LOOP_LAG = histogram([0.01] * 10)


def transaction(committed: int = 100, **changes: Any) -> dict[str, Any]:
    """Return the counters of one transaction kind in one interval, in a closed loop of 8."""
    return {
        "scheduled": committed,
        "committed": committed,
        "rolled_back": 0,
        "failed": 0,
        "dropped": 0,
        "in_flight": 8,
        "retries": 0,
        "first_attempt_aborts": 0,
    } | changes


def interval(
    phase: str, index: int, transactions: dict[str, Any], **changes: Any
) -> dict[str, Any]:
    """Return an interval event of one second."""
    executed = sum(kind["committed"] for kind in transactions.values())
    return {
        "event": "interval",
        "phase": phase,
        "index": index,
        "start_s": float(index),
        "duration_s": 1.0,
        "transactions": transactions,
        "statements": {"read": 14 * executed, "write": 4 * executed, "other": 2 * executed},
        "live_clients": 8,
        "reconnects": 0,
        "errors": [],
        "generator": {
            "user_s": 0.1,
            "system_s": 0.2,
            "busiest_worker_share": 0.3,
            "run_queue_delay_s": 0.01,
            "voluntary_switches": 4000,
            "involuntary_switches": 12,
            "loop_lag": LOOP_LAG,
        },
    } | changes


def trial_events(
    throughput: Sequence[int] = (100,) * 12, kinds: Sequence[str] = ("oltp_read_write",)
) -> list[dict[str, Any]]:
    """Return all events of a trial: two seconds of warm-up, the window, and the drain.

    ``throughput`` has what each kind commits in each second of the window.
    """
    first = {kind: transaction(100, scheduled=108) for kind in kinds}
    last = {kind: transaction(8, scheduled=0, in_flight=0) for kind in kinds}
    return [
        {"event": "connected", "clients": 8, "elapsed_s": 0.2, "server_version": "10.11.14"},
        interval("warmup", -2, first),
        interval("warmup", -1, {kind: transaction() for kind in kinds}),
        *(
            interval("window", second, {kind: transaction(committed) for kind in kinds})
            for second, committed in enumerate(throughput)
        ),
        interval("drain", len(throughput), last),
        {
            "event": "end",
            "status": "completed",
            "reason": None,
            "elapsed_s": len(throughput) + 2.1,
            "statements": [],
            "facts": {"distribution": "uniform", "hottest_1_percent_share": 0.0101},
            "kernel_timestamps": True,
        },
    ]


def heard(event: dict[str, Any]) -> TrialEvent:
    """Return an event as it is read at the border."""
    found = read_event(event)
    assert isinstance(found, TrialEvent)
    return found


def timed(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events with the times that are missing in them."""
    return [_with_times(event) if event["event"] == "interval" else event for event in events]


def _with_times(event: dict[str, Any]) -> dict[str, Any]:
    transactions = event["transactions"].items()
    return event | {
        "transactions": {kind: _times(counts) | counts for kind, counts in transactions}
    }


def _times(counters: dict[str, Any]) -> dict[str, str]:
    ended = counters["committed"] + counters["rolled_back"]
    values_ms = {"response": RESPONSE_MS, "service": (CLIENTS_MS / (ended or 1),), "lag": (0.0,)}
    return {
        measure: repeated(values, ended - counters.get(f"{measure}_overflow", 0))
        for measure, values in values_ms.items()
    }


def window_of(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the intervals of the window, to be changed in place."""
    return [event for event in events if event.get("phase") == "window"]


@dataclass
class TrialScript:
    """What a trial will have been; tests change it before it is written."""

    planned: PlannedTrial
    events: list[dict[str, Any]] = field(default_factory=trial_events)
    generator_plan: dict[str, Any] = field(default_factory=lambda: copy.deepcopy(GENERATOR_PLAN))
    server: dict[str, Any] = field(default_factory=lambda: copy.deepcopy(SERVER))
    dataset: dict[str, Any] = field(default_factory=dict)
    resources: pl.DataFrame | None = None
    watch_failures: tuple[str, ...] = ()

    @property
    def window(self) -> list[dict[str, Any]]:
        """The intervals of the window, to be changed in place."""
        return window_of(self.events)


def make_plan(
    factors: Sequence[FactorLevels] = (), rounds: int = 3, order: str = "interleaved"
) -> Plan:
    """Return the plan of all combinations of levels, in interleaved order."""
    cells = [Cell(())]
    for factor in factors:
        cells = [
            Cell((*cell.levels, (factor.name, level))) for cell in cells for level in factor.levels
        ]
    pairs = [(number, cell) for number in range(1, rounds + 1) for cell in cells]
    trials = tuple(
        PlannedTrial(
            number=number, round=round_number, cell=cell, target="server", generator_plan=TRIAL_PLAN
        )
        for number, (round_number, cell) in enumerate(pairs, start=1)
    )
    return Plan("example", "Is it faster?", tuple(factors), rounds, order, trials, 60.0)


def write_trial(result: ResultWriter, script: TrialScript) -> None:
    """Write one trial as the runner does."""
    generator_plan = json.dumps(script.generator_plan).encode()
    with result.begin(
        script.planned, generator_plan, server=script.server, dataset=script.dataset
    ) as trial:
        for event in timed(script.events):
            trial.event(heard(event))
        trial.finish(resources=script.resources, watch_failures=script.watch_failures)


def build_result(
    directory: Path,
    plan: Plan,
    change: Callable[[TrialScript], None] | None = None,
    host: Mapping[str, Any] = HOST,
) -> StoredResult:
    """Write all trials of a plan, each as ``change`` leaves it, and read them back."""
    result = ResultWriter.create(
        directory, experiment_text="experiment: x\n", plan=plan, host=HostFacts(**host)
    )
    for planned in plan.trials:
        script = TrialScript(planned)
        if change is not None:
            change(script)
        write_trial(result, script)
    result.close()
    return read_result(directory)
