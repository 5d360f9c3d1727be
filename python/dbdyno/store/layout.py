"""What lies in a result directory: the names of files, and of groups of columns in its tables.

``store.columns`` has the tables with each of their columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dbdyno import json_documents
from dbdyno.protocol import intervals

FORMAT_FILE = json_documents.FORMAT_FILE

EXPERIMENT_FILE = "experiment.yaml"
PLAN_FILE = "plan.json"
JOURNAL_FILE = "journal.jsonl"
HOST_FILE = "host.json"
OTHER_HOSTS_FILE = "hosts.json"
TRIALS_DIRECTORY = "trials"
WORK_DIRECTORY = "work"
PUBLISHED_DIRECTORY = "published"
FILES_DIRECTORY = "files"
REPORT_FILE = "report.html"

TOP_LEVEL: Mapping[str, str] = {
    FORMAT_FILE: "What the directory is, and the version of its format.",
    EXPERIMENT_FILE: "The experiment file as it was given; the last one, where the result went on "
    "with a changed file. Passwords in comments are masked.",
    PLAN_FILE: "All trials in order, each with its cell and its round.",
    JOURNAL_FILE: "What happened when: a JSON document a line.",
    HOST_FILE: "Facts of the host that dbdyno ran on: CPU, memory, disks, system, limits.",
    OTHER_HOSTS_FILE: "Facts of other hosts, by name; only where generators run on other hosts, or "
    "other hosts are watched.",
    TRIALS_DIRECTORY: "A folder a trial, named by the trial's number in the plan: 0007.",
    WORK_DIRECTORY: "Data directories and snapshots of private servers, until all trials are done.",
    PUBLISHED_DIRECTORY: "Only where the experiment names tables that others have published: "
    "copies of them.",
    FILES_DIRECTORY: "Only where the experiment file names other texts, as option files, templates "
    "and scripts: copies of them, and of those that may hold a secret the name and the hash.",
    REPORT_FILE: "The report. Its other forms lie beside it: report.md, report.pdf, "
    "report.zh.html.",
}
"""All that a result directory holds, and what each of them is."""

GENERATOR_PLAN_FILE = "plan.json"
TRIAL_FILE = "trial.json"
EVENTS_FILE = "events.jsonl"
USAGE_FILE = "usage.jsonl"
INTERVALS_FILE = "intervals.parquet"
GENERATOR_FILE = "generator.parquet"
ERRORS_FILE = "errors.parquet"
HOSTS_FILE = "hosts.parquet"
GENERATORS_FILE = "generators.parquet"
HISTOGRAMS_FILE = "histograms.hlog"
WINDOW_FILE = "window.hlog"
PERCENTILES_FILE = "percentiles.parquet"
RESOURCES_FILE = "resources.parquet"

TRIAL_FILES: Mapping[str, str] = {
    GENERATOR_PLAN_FILE: "What the generator was asked for: the exact bytes that it received.",
    TRIAL_FILE: "The cell, the round, how the trial ended, the start of the window, the SHA-256 of "
    "plan.json, the generator's last event, and the facts of server and dataset.",
    INTERVALS_FILE: "Counters of transactions.",
    GENERATOR_FILE: "Statements, clients, and the generator's own health.",
    HOSTS_FILE: "What each host of the server did; only where clients were spread over several.",
    GENERATORS_FILE: "What each generator did; only where several made the load.",
    ERRORS_FILE: "Errors, with a sample of each.",
    HISTOGRAMS_FILE: "Histograms of each interval, in HdrHistogram's own log format, in "
    "nanoseconds. Its tags are <transaction>.response, .service, .lag and .failed_response, and "
    "generator.loop_lag.",
    WINDOW_FILE: "The same, merged over the window. A second line of a tag is of what was under "
    "way at the window's end and ended in the drain.",
    PERCENTILES_FILE: "Percentiles of response time, for curves over time.",
    RESOURCES_FILE: "What hosts, servers, generators and watchers used.",
    EVENTS_FILE: "What the generator has said so far; only while the trial runs, in a folder named "
    ".0007.unfinished.",
    USAGE_FILE: "What hosts do meanwhile, for dbdyno serve; only while the trial runs.",
}
"""All that the folder of a trial holds, and what each of them is."""

Phase = intervals.Phase
TIMES = (*intervals.TIMES, intervals.TURNAROUND, intervals.FAILED_RESPONSE)
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
GENERATOR_NAPS = ("naps", "napped_s")
"""How often its threads slept without being woken (METHODOLOGY.md), and for how long in all."""
GENERATOR_PAUSES = ("longest_pause_s", "paused_s")
"""How long the generator itself did not run although it should have: at a stretch, and in all."""

LAG_OF_ONE = "loop_lag_p99_ms"
"""Of one of several generators: how late its workers came to what was due, in an interval."""

GENERATOR_COUNTS = ("scheduled", "ended", "live_clients")
NEW_ORDERS_OF_ONE = "new_orders"
"""Of one of several generators, in TPC-C: those committed or rolled back on purpose."""

ALL_TRANSACTIONS = "all"
"""Stands for all transaction kinds together, where there is more than one."""


def overall_key(transactions: list[str]) -> str:
    """Return the key under which the figures over all ``transactions`` stand."""
    return transactions[0] if len(transactions) == 1 else ALL_TRANSACTIONS


SUPERSEDED = ".superseded-"
"""Stands between a trial's number and the attempt's, where the trial was run again."""


def trial_name(number: int) -> str:
    """Return what the folder of a trial is called."""
    return f"{number:04d}"


def trial_directory(directory: Path, number: int) -> Path:
    """Return the folder of a trial that has an outcome."""
    return directory / TRIALS_DIRECTORY / trial_name(number)


def unfinished_directory(directory: Path, number: int) -> Path:
    """Return the folder of a trial that is being measured, or was when everything stopped."""
    return directory / TRIALS_DIRECTORY / f".{number:04d}.unfinished"
