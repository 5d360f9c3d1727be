"""The tables of a trial, each column with its type, its unit and its meaning.

Counters are stored in two tables because they have two grains: what a transaction kind did in an
interval, and what the generator did in it whatever the transactions were called. What an older
generator did not tell is null. ``resources.parquet`` is described in ``dbdyno.resources``.
"""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno import resources
from dbdyno.described_table import (
    DescribedTable,
    count,
    milliseconds,
    name,
    number,
    seconds,
    share,
)
from dbdyno.store import layout

_INTERVAL_KEY = {
    "phase": name("The part of the trial: warmup, window or drain."),
    "index": number("The number of the interval; 0 is the first of the window."),
    "start_s": seconds(
        "When the interval began, from the start of the window; before it, negative."
    ),
    "duration_s": seconds("How long the interval is; the last one may be shorter."),
}

_INTERVALS = DescribedTable(
    "interval and kind of transaction",
    {
        **_INTERVAL_KEY,
        "transaction": name(
            "The kind: a script of sysbench or pgbench, new_order, a name of yours."
        ),
        "scheduled": count("Transactions that were due in the interval."),
        "committed": count("Transactions that ended in the interval with a commit."),
        "rolled_back": count("Transactions that ended in it with a rollback on purpose."),
        "failed": count("Transactions that were given up in it, after an error."),
        "dropped": count("Transactions that were due and could not begin before the drain ended."),
        "in_flight": count(
            "Transactions that were due and had not ended: a level at the end of the interval."
        ),
        "retries": count("Attempts after the first one of a transaction."),
        "first_attempt_aborts": count("Transactions whose first attempt ended with an error."),
        "response_overflow": count("Response times above the largest that a histogram holds."),
        "service_overflow": count("Service times above that largest time."),
        "lag_overflow": count("Schedule lags above it."),
        "turnaround_overflow": count("Times until the client could go on above it."),
        "failed_response_overflow": count("Response times of failed transactions above it."),
        "response_count": count(
            "Response times in the interval's histogram: of what was due in it, whenever it ended."
        ),
        "failed_response_count": count("The same of transactions that failed."),
    },
)

_HEALTH = {
    "user_s": seconds("CPU time of the generator in its own code."),
    "system_s": seconds("CPU time of the generator in the kernel."),
    "busiest_worker_share": share("CPU time of the busiest worker, of the interval."),
    "run_queue_delay_s": seconds("Time in which its threads wanted to run and no CPU was free."),
    "longest_pause_s": seconds("The longest time in which it did not run although it should have."),
    "paused_s": seconds("All such time of the thread that lost most."),
}

_GENERATOR = DescribedTable(
    "interval",
    {
        **_INTERVAL_KEY,
        "statements_read": count("Statements that returned rows."),
        "statements_write": count("Statements that changed rows."),
        "statements_other": count(
            "Other statements: BEGIN, COMMIT, and those that changed no row."
        ),
        "live_clients": count("Clients with a connection: a level at the end of the interval."),
        "reconnects": count("Connections that were made again."),
        "renewals": count("Those of reconnects that were made on purpose."),
        "renewal_s": seconds("Time that clients waited for renewals, added up over clients."),
        "round_trips": count("Answers that were waited for; several statements may share one."),
        "unread_s": seconds(
            "How long answers lay unread, added up over clients; 0 where the kernel does not time "
            "their arrival."
        ),
        "longest_gap_s": seconds(
            "The longest time without any completion that touches the interval; it may have begun "
            "in an earlier one."
        ),
        **_HEALTH,
        "voluntary_switches": count("How often its threads gave up a CPU."),
        "involuntary_switches": count("How often a CPU was taken from its threads."),
        "clock_clamps": count(
            "Answers whose time of arrival was moved, because the wall clock was set meanwhile."
        ),
        "naps": count("How often its threads slept without being woken (METHODOLOGY.md)."),
        "napped_s": seconds("How long they slept so in all."),
        "loop_lag_overflow": count("Delays of its event loops above what a histogram holds."),
    },
)

_HOSTS = DescribedTable(
    "interval and host of the server",
    {
        **_INTERVAL_KEY,
        "host": name("The host, with its port, as the URL names it."),
        "transactions": count("Transactions that ended at that host."),
        "live_clients": count("Clients with a connection to it: a level at the interval's end."),
    },
)

_GENERATORS = DescribedTable(
    "interval and generator",
    {
        **_INTERVAL_KEY,
        "generator": number("The number of the generator, from 0 on."),
        "scheduled": count("Transactions of all kinds that were due in its share of the load."),
        "ended": count("Transactions of all kinds that ended."),
        "live_clients": count("Its clients with a connection: a level at the interval's end."),
        **_HEALTH,
        "loop_lag_p99_ms": milliseconds("How late its workers came to what was due: the p99."),
        "new_orders": count(
            "In TPC-C: its New-Orders that were committed or rolled back on purpose."
        ),
    },
)

_ERRORS = DescribedTable(
    "interval and error that occurred in it",
    {
        **_INTERVAL_KEY,
        "class": name("The class of the error: deadlock, lock_wait_timeout and so on."),
        "code": number("The server's number of the error; null where it has none."),
        "sqlstate": name("Its SQLSTATE; null where it has none."),
        "count": count("Attempts that ended with it."),
        "sample": name("One server's words for it."),
    },
)

_PERCENTILES = DescribedTable(
    "interval of the window and kind of transaction, and all kinds where there are several",
    {
        "index": _INTERVAL_KEY["index"],
        "start_s": _INTERVAL_KEY["start_s"],
        "transaction": name("The kind; all stands for all kinds together."),
        "response_p50_ms": milliseconds("The median of response times."),
        "response_p95_ms": milliseconds("Their 95th percentile."),
        "response_p99_ms": milliseconds("Their 99th percentile."),
        "response_max_ms": milliseconds("The longest of them."),
    },
)
"""A value is null where nothing was answered, or where it lies beyond the histogram."""

TABLES: Mapping[str, DescribedTable] = {
    layout.INTERVALS_FILE: _INTERVALS,
    layout.GENERATOR_FILE: _GENERATOR,
    layout.HOSTS_FILE: _HOSTS,
    layout.GENERATORS_FILE: _GENERATORS,
    layout.ERRORS_FILE: _ERRORS,
    layout.PERCENTILES_FILE: _PERCENTILES,
    layout.RESOURCES_FILE: resources.TABLE,
}
"""By the names of their files."""

INTERVAL_SCHEMA = _INTERVALS.schema
GENERATOR_SCHEMA = _GENERATOR.schema
HOST_SCHEMA = _HOSTS.schema
GENERATORS_SCHEMA = _GENERATORS.schema
ERROR_SCHEMA = _ERRORS.schema
PERCENTILE_SCHEMA = _PERCENTILES.schema
