"""Whole results with a known truth, as a steady server and an honest generator would leave them.

Nothing is wrong in them: throughput has correlated, heavy-tailed noise from second to second, noise
of its own in each trial, and now and then a round in which the whole machine is slow. They are
made in memory, because a simulation needs hundreds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dbdyno import resources
from dbdyno._native import Histogram
from dbdyno.experiment.plan import FactorLevels, Plan, PlannedTrial
from dbdyno.facts.host import HostFacts
from dbdyno.protocol.events import End
from dbdyno.protocol.trial_plan import CLOSED, open_loop
from dbdyno.store import layout
from dbdyno.store.columns import GENERATOR_SCHEMA, INTERVAL_SCHEMA, PERCENTILE_SCHEMA
from dbdyno.store.facts import Clock, DatasetFacts, ServerFacts
from dbdyno.store.layout import Phase
from dbdyno.store.model import StoredResult, StoredTrial, TrialStatus
from dbdyno.store.stored_histograms import StoredHistogram
from dbdyno.store.trial_tables import HeldTables
from tests.unit.store.resource_rows import IDLE_HOST, resource_table
from tests.unit.store.result_builder import GENERATOR_PLAN, HOST, SERVER, TRIAL_PLAN, make_plan

KIND = "oltp_read_write"
FACTORS = (
    FactorLevels("pool", ("16M", "64M"), "server.innodb_buffer_pool_size"),
    FactorLevels("clients", ("8", "9"), "load.clients"),
)
NANOSECONDS = 1e9
QUANTILES = (np.arange(40) + 0.5) / 40

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Truth:
    """What a simulated experiment is like."""

    rounds: int = 5
    intervals: int = 15
    rate_per_s: float = 500.0
    second_noise: float = 0.08
    correlation: float = 0.6
    trial_noise: float = 0.03
    slow_round_share: float = 0.1
    slow_round: float = 0.7
    open_loop: bool = False
    shape: Callable[[Values, int], Values] = lambda throughput, _: throughput
    """What is wrong after all: changes the seconds of a trial, given by its number."""


def result(truth: Truth, seed: int) -> StoredResult:
    """Return one simulated experiment."""
    random = np.random.default_rng(seed)
    plan = make_plan(FACTORS, rounds=truth.rounds)
    machine = np.where(random.random(truth.rounds) < truth.slow_round_share, truth.slow_round, 1.0)
    return StoredResult(
        directory=Path("simulated"),
        plan=plan,
        experiment_text="",
        host=HostFacts(**HOST),
        trials=tuple(_trials(truth, plan, machine, random)),
        missing=(),
        unknown=(),
        journal=(),
    )


def _trials(
    truth: Truth, plan: Plan, machine: Values, random: np.random.Generator
) -> Iterator[StoredTrial]:
    for planned in plan.trials:
        mean_per_s = truth.rate_per_s * (2 if planned.cell.level("pool") == "64M" else 1)
        mean_per_s *= machine[planned.round - 1] * np.exp(random.normal(0, truth.trial_noise))
        noise = heavy_tailed_noise(random, truth.intervals, truth.correlation, truth.second_noise)
        throughput = truth.shape(mean_per_s * np.exp(noise), planned.number)
        yield _trial(truth, planned, throughput, random)


def heavy_tailed_noise(
    random: np.random.Generator, count: int, correlation: float, deviation: float
) -> Values:
    """Return a stationary AR(1) series whose innovations follow Student's t with 4 degrees."""
    warm_up = 20
    innovations = random.standard_t(4, count + warm_up) / np.sqrt(2)
    innovations *= deviation * np.sqrt(1 - correlation**2)
    series = np.zeros(count + warm_up)
    for index in range(1, count + warm_up):
        series[index] = correlation * series[index - 1] + innovations[index]
    return series[warm_up:]


def _trial(
    truth: Truth, planned: PlannedTrial, throughput: Values, random: np.random.Generator
) -> StoredTrial:
    clients = 200 if truth.open_loop else int(planned.cell.level("clients"))
    generator_plan = replace(
        TRIAL_PLAN,
        clients=clients,
        duration_s=float(truth.intervals),
        arrivals=open_loop("poisson", truth.rate_per_s) if truth.open_loop else CLOSED,
    )
    if truth.open_loop:
        scheduled, committed, in_flight, service_s = _served(truth, clients, random)
    else:
        committed = np.round(throughput).astype(np.int64)
        scheduled = committed
        in_flight = np.full(truth.intervals, clients)
        service_s = clients * truth.intervals / max(int(committed.sum()), 1)
    times = _times(service_s, int(committed.sum()))
    return StoredTrial(
        planned=planned,
        status=TrialStatus.COMPLETED,
        reason=None,
        plan_sha256="",
        url=GENERATOR_PLAN["url"],
        generator_plan=generator_plan,
        end=End(
            status="completed",
            reason=None,
            elapsed_s=20.0,
            facts={"distribution": "uniform", "hottest_1_percent_share": 0.01},
        ),
        server=ServerFacts.model_validate(SERVER | {"cpus": [0]}),
        dataset=DatasetFacts(),
        clock=Clock(wall_s=20.0, monotonic_s=20.0),
        tables=HeldTables(
            {
                layout.INTERVALS_FILE: _intervals(scheduled, committed, in_flight),
                layout.GENERATOR_FILE: _generator(truth.intervals, clients, committed, random),
                layout.PERCENTILES_FILE: pl.DataFrame(schema=PERCENTILE_SCHEMA),
                layout.RESOURCES_FILE: _resources(truth.intervals, random),
            }
        ),
        histograms={(KIND, measure): times for measure in ("response", "service", "lag")},
        loop_lag=StoredHistogram(_times(1e-5, 100).encode()),
        errors=(),
    )


def _served(
    truth: Truth, clients: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], float]:
    """Serve Poisson arrivals at 70 % of what twenty threads can do; return what the window saw."""
    threads, step_s = 20, 0.01
    service_s = 0.7 * threads / truth.rate_per_s
    waiting, levels, arrived, done = threads, [], [], []
    for _ in range(round((truth.intervals + 5) / step_s)):
        new = random.poisson(truth.rate_per_s * step_s)
        ended = random.binomial(min(waiting, threads), 1 - np.exp(-step_s / service_s))
        waiting += new - ended
        levels.append(waiting)
        arrived.append(new)
        done.append(ended)
    steps = round(1 / step_s)
    window = slice(5 * steps, None)
    level = np.array(levels)[window]
    response_s = float(level.mean()) / truth.rate_per_s
    return (
        np.array(arrived)[window].reshape(-1, steps).sum(axis=1),
        np.array(done)[window].reshape(-1, steps).sum(axis=1),
        level[steps - 1 :: steps],
        response_s,
    )


def _times(mean_s: float, count: int) -> Histogram:
    """Return exponential times in as many portions as give the mean."""
    histogram = Histogram()
    portions_s = -np.log(1 - QUANTILES)
    portions_s *= mean_s / portions_s.mean()
    share, rest = divmod(count, len(portions_s))
    for index, portion_s in enumerate(portions_s):
        histogram.record(round(portion_s * NANOSECONDS), share + (index < rest))
    return histogram


def _intervals(
    scheduled: NDArray[np.int64], committed: NDArray[np.int64], in_flight: NDArray[np.int64]
) -> pl.DataFrame:
    """Return the window's counters, after a warm-up that leaves what is under way at its start."""
    under_way = int(in_flight[0] - scheduled[0] + committed[0])
    columns: dict[str, Any] = {
        "phase": [Phase.WARMUP, *[Phase.WINDOW] * len(committed)],
        "index": range(-1, len(committed)),
        "start_s": np.arange(-1.0, len(committed)),
        "duration_s": np.ones(len(committed) + 1),
        "transaction": [KIND] * (len(committed) + 1),
        "scheduled": [100 + under_way, *scheduled],
        "committed": [100, *committed],
        "in_flight": [under_way, *in_flight],
    }
    return _table(INTERVAL_SCHEMA, columns, len(committed) + 1)


def _generator(
    intervals: int, clients: int, committed: NDArray[np.int64], random: np.random.Generator
) -> pl.DataFrame:
    """Return a generator with little to do; the longest gaps are those of Poisson's process."""
    rate_per_s = np.maximum(committed, 1)
    columns: dict[str, Any] = {
        "phase": [Phase.WINDOW] * intervals,
        "index": range(intervals),
        "start_s": np.arange(float(intervals)),
        "duration_s": np.ones(intervals),
        "live_clients": [clients] * intervals,
        "longest_gap_s": (np.log(rate_per_s) + random.gumbel(size=intervals)) / rate_per_s,
        "busiest_worker_share": random.uniform(0.2, 0.5, intervals),
        "run_queue_delay_s": random.uniform(0.0, 0.05, intervals),
        "paused_s": random.exponential(0.002, intervals),
        "longest_pause_s": random.exponential(0.002, intervals),
    }
    return _table(GENERATOR_SCHEMA, columns, intervals)


def _resources(intervals: int, random: np.random.Generator) -> pl.DataFrame:
    """Return a machine of two CPUs of which the hypervisor takes a little, more in some trials."""
    steal_s = random.exponential(0.001) * random.uniform(0.5, 1.5, intervals)
    user_s = 1.0 + random.exponential(0.05)
    used = {
        (resources.HOST, "cpu.user_s"): user_s,
        (resources.SERVER, "process.cpu_user_s"): 0.8,
        (resources.SERVER, "process.cpu_system_s"): 0.0,
        (resources.GENERATOR, "process.cpu_user_s"): 0.2,
        (resources.GENERATOR, "process.cpu_system_s"): 0.0,
    }
    return resource_table(
        [
            IDLE_HOST
            | used
            | {
                (resources.HOST, "cpu.steal_s"): stolen,
                (resources.HOST, "cpu.idle_s"): 1.0 - stolen,
            }
            for stolen in steal_s.tolist()
        ]
    )


def _table(schema: pl.Schema, columns: Mapping[str, Any], height: int) -> pl.DataFrame:
    """Return a table with these columns, and with zeros in all others of its schema."""
    series = {name: columns.get(name, np.zeros(height)) for name in schema}
    return pl.DataFrame(
        [pl.Series(name, values, schema[name], strict=False) for name, values in series.items()]
    )
