"""Names and schemas of what lies in a result directory; ARCHITECTURE.md draws the whole of it.

Counters are stored in two tables because they have two grains: what a transaction kind did in an
interval, and what the generator did in it whatever the transactions were called.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from dbdyno import json_documents
from dbdyno.protocol import intervals

FORMAT_FILE = json_documents.FORMAT_FILE

EXPERIMENT_FILE = "experiment.yaml"
PLAN_FILE = "plan.json"
JOURNAL_FILE = "journal.jsonl"
HOST_FILE = "host.json"
OTHER_HOSTS_FILE = "hosts.json"
"""Only where generators run on other hosts, or other hosts are watched."""
TRIALS_DIRECTORY = "trials"
WORK_DIRECTORY = "work"
PUBLISHED_DIRECTORY = "published"
"""Only where the experiment names tables that others have published: copies of them."""
REPORT_FILE = "report.html"

TOP_LEVEL = (
    FORMAT_FILE,
    EXPERIMENT_FILE,
    PLAN_FILE,
    JOURNAL_FILE,
    HOST_FILE,
    OTHER_HOSTS_FILE,
    TRIALS_DIRECTORY,
    WORK_DIRECTORY,
    PUBLISHED_DIRECTORY,
    REPORT_FILE,
)
"""All that a result directory holds."""

GENERATOR_PLAN_FILE = "plan.json"
TRIAL_FILE = "trial.json"
EVENTS_FILE = "events.jsonl"
"""What the generator has said so far; it is gone once the files below have been made of it."""
USAGE_FILE = "usage.jsonl"
"""What hosts do while the trial runs, for those who look on; it is gone when the trial is over."""
INTERVALS_FILE = "intervals.parquet"
GENERATOR_FILE = "generator.parquet"
ERRORS_FILE = "errors.parquet"
HOSTS_FILE = "hosts.parquet"
"""Only where clients were spread over several hosts."""
GENERATORS_FILE = "generators.parquet"
"""Only where several generators made the load."""
HISTOGRAMS_FILE = "histograms.hlog"
"""Every interval's histograms; the window's, merged, are in ``WINDOW_FILE``."""
WINDOW_FILE = "window.hlog"
PERCENTILES_FILE = "percentiles.parquet"
RESOURCES_FILE = "resources.parquet"

Phase = intervals.Phase
TIMES = (*intervals.TIMES, intervals.FAILED_RESPONSE)
LOOP_LAG_TAG = "generator.loop_lag"

COUNTERS = (
    "scheduled",
    "committed",
    "rolled_back",
    "failed",
    "dropped",
    "in_flight",
    "retries",
    "first_attempt_aborts",
)
"""Per transaction kind. ``in_flight`` is the level at the interval's end, all others are counts."""

TIME_COUNTS = {"response": "response_count", intervals.FAILED_RESPONSE: "failed_response_count"}
"""By measure, the column that has how many times an interval's histogram holds."""

STATEMENT_KINDS = ("read", "write", "other")
GENERATOR_TIMES = ("user_s", "system_s", "busiest_worker_share", "run_queue_delay_s")
GENERATOR_SWITCHES = ("voluntary_switches", "involuntary_switches")
GENERATOR_CLAMPS = "clock_clamps"
"""Answers whose time of arrival was moved, because the wall clock was set meanwhile."""
GENERATOR_NAPS = {"naps": pl.Int64(), "napped_s": pl.Float64()}
"""How often its threads slept without being woken (METHODOLOGY.md), and for how long in all."""
GENERATOR_PAUSES = ("longest_pause_s", "paused_s")
"""How long the generator itself did not run although it should have: at a stretch, and in all."""


_INTERVAL_KEY: dict[str, pl.DataType] = {
    "phase": pl.String(),
    "index": pl.Int64(),
    "start_s": pl.Float64(),
    "duration_s": pl.Float64(),
}

INTERVAL_SCHEMA = pl.Schema(
    {
        **_INTERVAL_KEY,
        "transaction": pl.String(),
        **{name: pl.Int64() for name in COUNTERS},
        **{f"{measure}_overflow": pl.Int64() for measure in TIMES},
        **{name: pl.Int64() for name in TIME_COUNTS.values()},
    }
)
"""``intervals.parquet``: one row per interval and transaction kind.

Counters are of what ended in the interval. In an open loop, the times and their number are of what
was scheduled in it.
"""

GENERATOR_SCHEMA = pl.Schema(
    {
        **_INTERVAL_KEY,
        **{f"statements_{kind}": pl.Int64() for kind in STATEMENT_KINDS},
        "live_clients": pl.Int64(),
        "reconnects": pl.Int64(),
        "renewals": pl.Int64(),
        "renewal_s": pl.Float64(),
        "round_trips": pl.Int64(),
        "longest_gap_s": pl.Float64(),
        **{name: pl.Float64() for name in (*GENERATOR_TIMES, *GENERATOR_PAUSES)},
        **{name: pl.Int64() for name in GENERATOR_SWITCHES},
        GENERATOR_CLAMPS: pl.Int64(),
        **GENERATOR_NAPS,
        "loop_lag_overflow": pl.Int64(),
    }
)
"""``generator.parquet``: one row per interval.

``renewals`` are those of the ``reconnects`` that were made on purpose, and ``renewal_s`` the time
that clients waited for them. ``longest_gap_s`` is the longest time without any completion that
touches the interval, and may have begun in an earlier one. What an older generator did not tell is
null.
"""

HOST_SCHEMA = pl.Schema(
    {
        **_INTERVAL_KEY,
        "host": pl.String(),
        "transactions": pl.Int64(),
        "live_clients": pl.Int64(),
    }
)
"""``hosts.parquet``: one row per interval and host; ``live_clients`` is a level at its end."""

LAG_OF_ONE = "loop_lag_p99_ms"
"""Of one of several generators: how late its workers came to what was due, in an interval."""

GENERATOR_COUNTS = ("scheduled", "ended", "live_clients")
NEW_ORDERS_OF_ONE = "new_orders"
"""Of one of several generators, in TPC-C: those committed or rolled back on purpose."""

GENERATORS_SCHEMA = pl.Schema(
    {
        **_INTERVAL_KEY,
        "generator": pl.Int64(),
        **{name: pl.Int64() for name in GENERATOR_COUNTS},
        **{name: pl.Float64() for name in (*GENERATOR_TIMES, *GENERATOR_PAUSES)},
        LAG_OF_ONE: pl.Float64(),
        NEW_ORDERS_OF_ONE: pl.Int64(),
    }
)
"""``generators.parquet``: one row per interval and generator, numbered from 0 on.

``generator.parquet`` has what all of them did together.
"""

ERROR_SCHEMA = pl.Schema(
    {
        **_INTERVAL_KEY,
        "class": pl.String(),
        "code": pl.Int64(),
        "sqlstate": pl.String(),
        "count": pl.Int64(),
        "sample": pl.String(),
    }
)
"""``errors.parquet``: one row per interval and error that occurred in it."""

PERCENTILE_SCHEMA = pl.Schema(
    {
        "index": pl.Int64(),
        "start_s": pl.Float64(),
        "transaction": pl.String(),
        "response_p50_ms": pl.Float64(),
        "response_p95_ms": pl.Float64(),
        "response_p99_ms": pl.Float64(),
        "response_max_ms": pl.Float64(),
    }
)
"""``percentiles.parquet``: one row per window interval and transaction kind, and one for all kinds
together under ``ALL_TRANSACTIONS`` where there is more than one.

A value is null where nothing was answered, or where the percentile lies beyond the histogram.
"""

ALL_TRANSACTIONS = "all"
"""Stands for all transaction kinds together, where there is more than one."""


def overall_key(transactions: list[str]) -> str:
    """Return the key under which the figures over all ``transactions`` stand."""
    return transactions[0] if len(transactions) == 1 else ALL_TRANSACTIONS


SUPERSEDED = ".superseded-"
"""Stands between a trial's number and the attempt's, where the trial was run again."""


def trial_directory(directory: Path, number: int) -> Path:
    """Return the folder of a trial that has an outcome."""
    return directory / TRIALS_DIRECTORY / f"{number:04d}"


def unfinished_directory(directory: Path, number: int) -> Path:
    """Return the folder of a trial that is being measured, or was when everything stopped."""
    return directory / TRIALS_DIRECTORY / f".{number:04d}.unfinished"
