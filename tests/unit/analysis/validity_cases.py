"""What makes each check of a trial speak up, and what comes close without doing so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.findings import Finding, Findings
from dbdyno.analysis.validity.codes import Code
from dbdyno.experiment.plan import FactorLevels, Plan
from dbdyno.resources import HOST
from tests.unit.analysis import validity_table_cases, validity_workload_cases
from tests.unit.store.resource_rows import IDLE_HOST, resource_table
from tests.unit.store.result_builder import (
    TrialScript,
    build_result,
    histogram,
    make_plan,
    trial_events,
)

POOL = FactorLevels("pool", ("16M", "64M"), "server.innodb_buffer_pool_size")
CLIENTS = FactorLevels("clients", ("8", "9"), "load.clients")

Change = Callable[[TrialScript], None]
KIND = "oltp_read_write"


def counters(script: TrialScript, **changes: object) -> None:
    for second in script.window:
        second["transactions"][KIND] |= changes


def generator(script: TrialScript, **changes: object) -> None:
    for second in script.window:
        second["generator"] |= changes


def open_loop(
    script: TrialScript,
    completed: int = 100,
    backlog_growth: int = 0,
    clients: int = 8,
    under_way: int = 8,
) -> None:
    """Offer so many a second, of which ``completed`` end; the window begins with ``under_way``."""
    offered = completed + backlog_growth
    script.generator_plan |= {
        "arrivals": {"poisson": {"rate_per_s": float(offered)}},
        "clients": clients,
    }
    for event in script.events:
        event |= {"live_clients": clients}
    first = script.events[1]["transactions"][KIND]
    first |= {"scheduled": 100 + under_way, "in_flight": under_way}
    script.events[2]["transactions"][KIND] |= {"in_flight": under_way}
    for second, event in enumerate(script.window, start=1):
        event["transactions"][KIND] |= {
            "scheduled": offered,
            "committed": completed,
            "in_flight": under_way + second * backlog_growth,
        }
    left = under_way + len(script.window) * backlog_growth
    script.events[-2]["transactions"][KIND] |= {"committed": left}


def never_started(script: TrialScript) -> None:
    """Keep up with nearly all that is offered, and drop the last three when the drain ends."""
    open_loop(script)
    script.events[-2]["transactions"][KIND] |= {"committed": 5, "dropped": 3}


def no_warm_up(script: TrialScript) -> None:
    """Begin with nothing under way, at 100 a second that take a second and a half each."""
    open_loop(script, under_way=0, clients=200)
    times = {"response": histogram([1500.0] * 100)}
    ended, under_way = [0, 50, *[100] * 10], [100, *[150] * 11]
    for event, now, level in zip(script.window, ended, under_way, strict=True):
        counts = event["transactions"][KIND]
        counts |= {"committed": now, "in_flight": level}
        counts |= times if now == 100 else {}
    script.events[-2]["transactions"][KIND] |= {"committed": 150}


def warmed_up(ended: str, change: dict[str, float] | None) -> Change:
    """Return a change that has the warm-up end so, with what was judged last."""
    event = {"event": "warmup", "ended": ended, "duration_s": 60.0, "change": change}
    return lambda script: script.events.insert(3, event)


RISING = {"low": 0.123, "high": 0.31, "intervals": 30}


def interrupted(script: TrialScript) -> None:
    script.events = [event for event in script.events if event["event"] != "end"]


def one_generator(standing: str) -> Change:
    """Return a change that has one of two generators late or lost."""
    lost = {
        "generator_index": 1,
        "reason": "generator 2 of 2: was ended by SIGKILL",
        "last_index": 4,
    }

    def change(script: TrialScript) -> None:
        script.generator_plan["generators"] = [
            {"share": {"index": index, "begin": index, "end": index + 1, "of": 2}, "workers": 1}
            for index in (0, 1)
        ]
        script.events.insert(-1, {"event": "generator", "standing": standing} | lost)
        if standing == "lost":
            script.events[-1]["lost"] = [lost]

    return change


def clock(bound_ms: float, drift_ms: float = 0.0) -> Change:
    """Return a change that has a generator on a host whose clock is known so well."""
    bounds = {"bound_ns": int(bound_ms * 1e6), "end_bound_ns": 40_000_000 if drift_ms else 0}
    offsets = {"offset_ns": -5_000_000_000, "end_offset_ns": -5_000_000_000 + int(drift_ms * 1e6)}
    told = {"event": "clock", "generator_index": 0, "host": "load1"} | bounds | offsets
    return lambda script: script.events.insert(-1, told)


def in_group(**facts: object) -> Change:
    """Return a change that has the server in a control group of which this is known."""
    return lambda script: script.server.update(control_group=facts)


THROTTLED = {"cpu_periods": 120, "cpu_throttled_periods": 90, "cpu_throttled_s": 6.04}


def failing(script: TrialScript, failed: int) -> None:
    counters(script, scheduled=100, committed=100 - failed, failed=failed)
    error = {"class": "timeout", "code": 3024, "sqlstate": "HY000", "sample": "too slow"}
    script.window[0]["errors"] = [error | {"count": 12 * failed}]


def busy(script: TrialScript, intervals: int) -> None:
    for second in script.window[:intervals]:
        second["generator"]["busiest_worker_share"] = 0.97


def embedded(script: TrialScript) -> None:
    script.generator_plan["url"] = "sqlite:///bench.db"


def local(script: TrialScript) -> None:
    script.generator_plan["url"] = "mysql://root@127.0.0.1:3307/dbdyno"


def throughput(*seconds: int) -> Change:
    def change(script: TrialScript) -> None:
        script.events = trial_events(seconds)

    return change


def both(*changes: Change) -> Change:
    def change(script: TrialScript) -> None:
        for one in changes:
            one(script)

    return change


def hot(share: float) -> Change:
    def change(script: TrialScript) -> None:
        script.events[-1]["facts"] = {"distribution": "zipfian", "hottest_1_percent_share": share}

    return change


def sized(size_bytes: int) -> Change:
    def change(script: TrialScript) -> None:
        script.server["file_sizes_bytes"] = {"dbdyno": size_bytes, "ib_logfile0": 2**30}

    return change


def adjusted(script: TrialScript) -> None:
    script.server["adjusted_settings"] = {"innodb_buffer_pool_size": "5M"}


def checked(**check: object) -> Change:
    return lambda script: script.dataset.update(check={"done": True} | check)


def held(standing: str, sentence: str, *left_out: str) -> Change:
    """Say how the acknowledged stands to the stored."""
    found = {"standing": standing, "sentence": sentence, "left_out": list(left_out)}
    return lambda script: script.dataset.update(ledger=found)


def resources(changes: Mapping[str, float]) -> Change:
    """Let the host use so much in each of two seconds."""

    def change(script: TrialScript) -> None:
        told = {(HOST, metric): value for metric, value in changes.items()}
        figures = IDLE_HOST | {(HOST, "cpu.idle_s"): 2.0} | told
        script.resources = resource_table([figures, figures])

    return change


def not_watched(*failures: str) -> Change:
    def change(script: TrialScript) -> None:
        script.watch_failures = failures

    return change


def gap(second: int, longest_s: float) -> Change:
    """Let the generator tell of a time without any completion; there is a short one everywhere."""

    def change(script: TrialScript) -> None:
        for event in script.window:
            event["longest_gap_s"] = 0.02
        script.window[second]["longest_gap_s"] = longest_s

    return change


def paused(second: int, longest_s: float) -> Change:
    """Let the generator tell that it did not run for a while."""

    def change(script: TrialScript) -> None:
        generator(script, longest_pause_s=0.0, paused_s=0.0)
        script.window[second]["generator"] |= {"longest_pause_s": longest_s, "paused_s": longest_s}

    return change


def counters_of_service(service_s: float) -> Change:
    """Let all transactions take so long, all clients in step."""
    return lambda script: counters(script, service=histogram([service_s * 1000] * 100))


def spread(first: int, second: int, failed_attempts: int = 0) -> Change:
    """Spread the clients over two hosts, which do so much a second each."""

    def change(script: TrialScript) -> None:
        for event in script.events:
            if event["event"] == "interval":
                event["hosts"] = [
                    {"host": "db1:3306", "transactions": first, "live_clients": 4},
                    {"host": "db2:3306", "transactions": second, "live_clients": 4},
                ]
        failed = {"failed_attempts": failed_attempts, "last_failure": "can't connect"}
        script.events[-1]["hosts"] = [
            {"host": "db1:3306", "connections": 4, "failed_attempts": 0, "last_failure": None},
            {"host": "db2:3306", "connections": 4} | failed,
        ]

    return change


def unlike_hosts(script: TrialScript) -> None:
    script.server["hosts"] = [{"host": "db1:3306"}, {"host": "db2:3306", "error": "no answer"}]
    script.server["host_differences"] = {
        "sync_binlog": {"db1:3306": "1", "db3:3306": "0"},
        "server_id": {"db1:3306": "1", "db3:3306": "2"},
    }


_FIRES_ELSEWHERE = validity_table_cases.FIRES | validity_workload_cases.FIRES

FIRES: dict[Code, tuple[Change, str]] = _FIRES_ELSEWHERE | {
    Code.KILLED_FOR_MEMORY: (
        both(
            in_group(out_of_memory_kills=2, control_group_memory_limit_bytes=200 << 20),
            interrupted,
        ),
        "2 processes killed in the control group that the server was in, which others may share; "
        "the memory limit was 200 MiB",
    ),
    Code.NOT_COMPLETED: (interrupted, "failed: the generator ended without saying"),
    Code.COUNTERS_DISAGREE: (
        lambda script: script.window[4]["transactions"][KIND].update(scheduled=99),
        "oltp_read_write, up to the interval at 4 s: 707 scheduled, 700 ended, 8 in flight",
    ),
    Code.NO_WINDOW: (throughput(), "3 intervals, none of them in the window"),
    Code.ERROR_BUDGET: (
        lambda script: failing(script, 2),
        "24 of 1,200 transactions failed (2.0 %), 1.0 % allowed; "
        "most frequent error: timeout (3024), "
        "too slow",
    ),
    Code.CLIENTS_LOST: (
        lambda script: script.window[5].update(live_clients=7),
        "7 of 8 clients at 5 s",
    ),
    Code.NOTHING_FINISHED: (throughput(*[0] * 12), "0 failed, none finished in 12 s"),
    Code.GENERATOR_BUSY: (
        lambda script: busy(script, 2),
        "the busiest worker was over 90.0 % busy in 2 of 12 intervals",
    ),
    Code.GENERATOR_LATE: (
        lambda script: generator(script, loop_lag=histogram([0.01] * 90 + [1.0] * 10)),
        "p99 of the delay is 1 ms, p50 of response times 6 ms",
    ),
    Code.GENERATOR_STARVED: (
        lambda script: generator(script, run_queue_delay_s=0.2),
        "20.0 % of the window, of the one worker",
    ),
    Code.SHARED_HOST: (local, "server and clients were on one machine"),
    Code.RATE_NOT_REACHED: (
        lambda script: open_loop(script, 90, backlog_growth=10, clients=200),
        "1,080 of 1,200 offered transactions ended in the window (90.0 %); 128 were waiting or "
        "under way at its end",
    ),
    Code.STALLS: (
        gap(5, 0.31),
        "1 gap of more than 0.2 s without a completion, the longest 0.31 s, the first in the "
        "interval at 5 s",
    ),
    Code.DIPS: (
        throughput(100, 40, *[100] * 6, 40, *[100] * 3),
        "2 of 12 intervals had less than half of the median throughput",
    ),
    Code.FAILURES: (
        lambda script: failing(script, 1),
        "12 of 1,200 transactions failed (1.0 %); most frequent error: timeout (3024), too slow",
    ),
    Code.GENERATOR_STOPPED: (
        paused(5, 0.6),
        "it did not run for 0.6 s of 12 s, at the longest for 0.6 s",
    ),
    Code.GENERATOR_PAUSED: (
        paused(5, 0.11),
        "it did not run for 0.11 s of 12 s, at the longest for 0.11 s",
    ),
    Code.WAITING_NOT_RECORDED: (
        lambda script: counters(script, service=histogram([20.0] * 100)),
        "service times add up to 25.0 % of the time that 8 clients had: as if 2 of them had worked",
    ),
    Code.SHORT_WINDOW: (throughput(*[100] * 9), "9 whole intervals in 9 s"),
    Code.HISTOGRAM_OVERFLOW: (
        lambda script: script.window[0]["transactions"][KIND].update(response_overflow=3),
        "3 response times of oltp_read_write",
    ),
    Code.MANY_RETRIES: (
        lambda script: counters(script, retries=5, first_attempt_aborts=2),
        "24 of 1,200 transactions (2.0 %), 60 retries",
    ),
    Code.RECONNECTS: (
        lambda script: script.window[2].update(reconnects=3),
        "3 connections made again",
    ),
    Code.HOSTS_UNLIKE: (
        unlike_hosts,
        "db2:3306: no answer; sync_binlog: db1:3306 has 1, db3:3306 has 0",
    ),
    Code.HOSTS_UNREACHABLE: (
        spread(50, 50, failed_attempts=3),
        "3 at db2:3306, the last: can't connect",
    ),
    Code.HOSTS_UNEVEN: (spread(60, 40), "db1:3306 60.0 %; db2:3306 40.0 %"),
    Code.GENERATOR_LOST: (
        one_generator("lost"),
        "generator 2 of 2: was ended by SIGKILL, after interval 4",
    ),
    Code.CLOCKS_UNKNOWN: (clock(bound_ms=100.0, drift_ms=200.0), "load1 to within 260 ms"),
    Code.CLOCKS_UNCERTAIN: (clock(bound_ms=6.0), "load1 to within 6 ms"),
    Code.GENERATOR_SILENT: (
        one_generator("late"),
        "generator 2 of 2 told nothing for 3 intervals or more",
    ),
    Code.SKEWED_KEYS: (
        hot(0.372),
        "distribution zipfian: 1 % of the rows got 37.0 % of the accesses",
    ),
    Code.IN_MEMORY: (sized(2**23), "8.00 MiB of tables, 16.0 MiB of cache for them in the server"),
    Code.NOT_STORED: (held("less", "5 acknowledged, 0 stored"), "5 acknowledged, 0 stored"),
    Code.STORED_MORE: (held("more", "5 acknowledged, 9 stored"), "5 acknowledged, 9 stored"),
    Code.NOT_HELD_AGAINST: (held("holds", "", "of t: too large"), "of t: too large"),
    Code.CHECK_FAILED: (checked(passed=False, message="sbtest1: 99 rows"), "sbtest1: 99 rows"),
    Code.NOT_CHECKED: (
        checked(done=False, message="no subqueries"),
        "no subqueries",
    ),
    Code.SETTINGS_ADJUSTED: (
        adjusted,
        "innodb_buffer_pool_size=5M was asked for, the server has 16777216",
    ),
    Code.LOAD_REFUSED: (
        lambda script: script.dataset.update(load_refusals=["no LOAD DATA", "no ANALYZE"]),
        "no LOAD DATA; no ANALYZE",
    ),
    Code.CACHES_NOT_SET: (
        lambda script: script.dataset.update(
            caches={"condition": "cold", "reason": "5.0 MiB of its files are still in memory"}
        ),
        "caches: cold; 5.0 MiB of its files are still in memory",
    ),
    Code.SWAPPING: (
        resources({"swap.in_bytes": 2**21, "swap.out_bytes": 2**20}),
        "6.00 MiB were swapped in or out",
    ),
    Code.CPU_STOLEN: (
        resources({"cpu.idle_s": 1.9, "cpu.steal_s": 0.1}),
        "5.0 % of the CPU time went to other machines",
    ),
    Code.WATCH_INCOMPLETE: (
        not_watched("the connection is lost", "no privilege"),
        "the connection is lost; no privilege",
    ),
    Code.CPU_THROTTLED: (
        in_group(control_group_cpu_limit_cores=0.25, cpu_throttled_limit_cores=0.5, **THROTTLED),
        "it had to wait in 90 of 120 periods, 6.04 s in all; at a limit of 0.5 CPUs",
    ),
    Code.NOT_STEADY: (
        warmed_up("bound", RISING),
        "60 s; over its last 30 intervals throughput changed by +12 % to +31 % (90 % confidence)",
    ),
    Code.SHARED_CPU_THROTTLED: (
        in_group(
            control_group_cpu_limit_cores=0.25,
            shared_cpu_throttled_limit_cores=1.5,
            **{f"shared_{name}": value for name, value in THROTTLED.items()},
        ),
        "both had to wait in 90 of 120 periods, 6.04 s in all; at a limit of 1.5 CPUs",
    ),
}
"""Per check of a trial: what makes it speak up, and its evidence."""

SILENT: list[tuple[Code, Change]] = [
    (Code.NOT_STEADY, warmed_up("steady", {"low": -0.02, "high": 0.05, "intervals": 20})),
    (Code.NOT_STEADY, warmed_up("bound", {"low": -0.02, "high": 0.14, "intervals": 30})),
    (Code.CLOCKS_UNCERTAIN, clock(bound_ms=4.9)),
    (Code.CLOCKS_UNKNOWN, clock(bound_ms=240.0)),
    (Code.HOSTS_UNEVEN, spread(54, 46)),
    (Code.HOSTS_UNREACHABLE, spread(50, 50)),
    (
        Code.HOSTS_UNLIKE,
        lambda script: script.server.update(
            host_differences={"server_id": {"db1:3306": "1", "db2:3306": "2"}}
        ),
    ),
    (
        Code.RECONNECTS,
        lambda script: script.window[0].update(reconnects=5, renewals=5, renewal_s=0.1),
    ),
    (Code.ERROR_BUDGET, lambda script: failing(script, 1)),
    # As a damaged file may have it.
    (Code.LOAD_REFUSED, lambda script: script.dataset.update(load_refusals=True)),
    (
        Code.CACHES_NOT_SET,
        lambda script: script.dataset.update(caches={"condition": "cold", "reason": None}),
    ),
    (Code.GENERATOR_BUSY, lambda script: busy(script, 1)),
    (Code.GENERATOR_BUSY, both(lambda script: busy(script, 12), embedded)),
    (
        Code.GENERATOR_LATE,
        both(lambda script: generator(script, loop_lag=histogram([1.0] * 10)), embedded),
    ),
    (Code.GENERATOR_STARVED, lambda script: generator(script, run_queue_delay_s=0.09)),
    (
        Code.GENERATOR_STARVED,
        both(lambda script: generator(script, run_queue_delay_s=0.2), embedded),
    ),
    (Code.SHARED_HOST, embedded),
    (Code.SHARED_HOST, both(local, lambda script: script.server.update(cpus=[0, 1]))),
    (Code.RATE_NOT_REACHED, open_loop),
    (Code.RATE_NOT_REACHED, no_warm_up),
    (Code.STALLS, gap(5, 0.19)),
    (Code.STALLS, both(throughput(*[1] * 12), gap(5, 8.0))),
    (Code.STALLS, both(gap(5, 0.31), counters_of_service(0.2))),
    (Code.STALLS, both(gap(5, 0.31), paused(5, 0.2))),
    (Code.DIPS, throughput(100, 40, *[100] * 10)),
    (Code.DIPS, both(throughput(100, 40, *[100] * 6, 40, *[100] * 3), paused(8, 0.4))),
    (Code.DIPS, throughput(100, 0, *[100] * 6, 40, *[100] * 3)),
    (Code.DIPS, throughput(5, 2, *[5] * 6, 2, *[5] * 3)),
    (Code.DIPS, throughput(100, 51, *[100] * 6, 51, *[100] * 3)),
    (Code.GENERATOR_STOPPED, paused(5, 0.4)),
    (Code.GENERATOR_PAUSED, paused(5, 0.09)),
    (
        Code.WAITING_NOT_RECORDED,
        lambda script: counters(script, service=histogram([64.8] * 100)),
    ),
    (
        # That answers wait for the generator is another check's.
        Code.WAITING_NOT_RECORDED,
        both(
            lambda script: counters(script, service=histogram([20.0] * 100)),
            lambda script: generator(script, loop_lag=histogram([60.0] * 100)),
        ),
    ),
    (
        Code.WAITING_NOT_RECORDED,
        both(
            lambda script: counters(script, service=histogram([0.8] * 100)),
            open_loop,
        ),
    ),
    (
        Code.WAITING_NOT_RECORDED,
        both(
            throughput(*[1] * 12),
            lambda script: counters(script, service=histogram([5000.0])),
        ),
    ),
    (Code.SHORT_WINDOW, throughput(*[100] * 10)),
    (Code.MANY_RETRIES, lambda script: counters(script, retries=5, first_attempt_aborts=1)),
    (Code.SKEWED_KEYS, hot(0.0102)),
    (Code.IN_MEMORY, sized(2**25)),
    (Code.CHECK_FAILED, checked(passed=True)),
    (Code.CHECK_FAILED, lambda script: script.dataset.update(check={"done": False})),
    (Code.CHECK_FAILED, checked(done=False, message="no subqueries")),
    (Code.NOT_CHECKED, checked(done=False)),
    (Code.NOT_CHECKED, checked(passed=False, message="sbtest1: 99 rows")),
    (Code.NOT_STORED, held("holds", "5 acknowledged, 5 stored")),
    (Code.STORED_MORE, held("holds", "5 acknowledged, 5 stored")),
    (Code.NOT_HELD_AGAINST, held("holds", "5 acknowledged, 5 stored")),
    (Code.SWAPPING, resources({"swap.in_bytes": 2**18})),
    (Code.CPU_STOLEN, resources({"cpu.steal_s": 0.01})),
    (Code.WATCH_INCOMPLETE, not_watched()),
    (Code.KILLED_FOR_MEMORY, in_group(out_of_memory_kills=2)),
    (Code.KILLED_FOR_MEMORY, both(in_group(out_of_memory_kills=0), interrupted)),
    (
        Code.CPU_THROTTLED,
        in_group(cpu_periods=120, cpu_throttled_periods=0, cpu_throttled_s=0.0),
    ),
    (Code.SHARED_CPU_THROTTLED, in_group(cpu_throttled_limit_cores=0.5, **THROTTLED)),
    (
        Code.CPU_THROTTLED,
        in_group(**{f"shared_{name}": value for name, value in THROTTLED.items()}),
    ),
    *validity_workload_cases.SILENT,
    *validity_table_cases.SILENT,
]
"""Cases just on the other side of a check."""


def findings(directory: Path, change: Change | None = None, plan: Plan | None = None) -> Findings:
    return analyse(build_result(directory, plan or make_plan(rounds=3), change))


def spoken(found: Findings) -> dict[str, Finding]:
    return {warning.code: warning for warning in found.warnings}
