"""The forms of sysbench 1.0.20, byte for byte, so that what parses its output parses ours."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dbdyno import __version__
from dbdyno._native import Histogram
from dbdyno.peers.sysbench.request import Request, Shown
from dbdyno.peers.sysbench.totals import Totals
from dbdyno.times import quantile_ms

SMALLEST_MS, LARGEST_MS, BUCKETS = 0.001, 100_000.0, 1024
"""sysbench's histogram: so many buckets, equally spaced by their logarithms."""
STARS = 40


def version() -> str:
    """Return the first line of all output."""
    return f"dbdyno {__version__}, in the form of sysbench 1.0.20"


def header(request: Request) -> str:
    """Return everything from the first line to "Threads started!"."""
    shown = request.shown
    lines = [
        version(),
        f"Behaviour: {request.behaviour}",
        "",
        "Running the test with following options:",
        f"Number of threads: {request.clients}",
    ]
    if request.warmup_s:
        lines.append(f"Warmup time: {request.warmup_s}s")
    if request.rate_per_s:
        lines.append(f"Target transaction rate: {request.rate_per_s}/sec")
    if shown.report_interval_s:
        lines.append(f"Report intermediate results every {shown.report_interval_s} second(s)")
    if shown.checkpoints_s:
        times = ", ".join(map(str, shown.checkpoints_s))
        lines.append(f"Report checkpoint(s) at {times} seconds")
    if shown.validate:
        lines += ["Validation checks: on.", ""]
    seed = f"seed ({request.seed})." if request.seed_is_given else "current time"
    lines += [f"Initializing random number generator from {seed}", ""]
    if request.forced_shutdown_s is not None:
        seconds = request.time_s + request.forced_shutdown_s
        lines.append(f"Forcing shutdown in {seconds} seconds")
    lines += ["", "Initializing worker threads...", ""]
    return "\n".join(lines) + "\n"


def interval(time_s: float, totals: Totals, request: Request) -> str:
    """Return the line of one interval; with a rate, there is another."""
    percentile = request.shown.percentile
    latency_ms = (totals.percentile_ms(percentile) if percentile else None) or 0.0
    kinds = (totals.read, totals.write, totals.other)
    rates = "/".join(f"{totals.per_s(count):4.2f}" for count in kinds)
    line = (
        f"[ {time_s:.0f}s ] thds: {totals.live_clients} "
        f"tps: {totals.per_s(totals.transactions):4.2f} "
        f"qps: {totals.per_s(totals.statements):4.2f} (r/w/o: {rates}) "
        f"lat (ms,{percentile}%): {latency_ms:4.2f} "
        f"err/s: {totals.per_s(totals.ignored_errors):4.2f} "
        f"reconn/s: {totals.per_s(totals.reconnects):4.2f}"
    )
    if request.rate_per_s:
        line += f"\n[ {time_s:.0f}s ] queue length: {totals.waiting}, concurrency: {totals.running}"
    return line


def summary(totals: Totals, total_time_s: float, shown: Shown) -> str:
    """Return the final report; ``total_time_s`` may be longer than what is counted."""
    return (
        _statistics(totals)
        + "General statistics:\n"
        + f"    total time:                          {total_time_s:.4f}s\n"
        + f"    total number of events:              {totals.transactions}\n\n"
        + _latency(totals, shown)
        + _fairness(totals)
    )


def _statistics(totals: Totals) -> str:
    lines = ["SQL statistics:", "    queries performed:"]
    lines += [
        f"        {name + ':':<33}{count}"
        for name, count in (
            ("read", totals.read),
            ("write", totals.write),
            ("other", totals.other),
            ("total", totals.statements),
        )
    ]
    lines += [
        f"    {name + ':':<37}{count:<6} ({totals.per_s(count):.2f} per sec.)"
        for name, count in (
            ("transactions", totals.transactions),
            ("queries", totals.statements),
            ("ignored errors", totals.ignored_errors),
            ("reconnects", totals.reconnects),
        )
    ]
    return "\n".join(lines) + "\n\n"


def _latency(totals: Totals, shown: Shown) -> str:
    lines = [
        "Latency (ms):",
        _measure("min", totals.times.done.min_ns / 1e6),
        _measure("avg", totals.sum_ms / max(1, totals.transactions)),
        _measure("max", totals.percentile_ms(100) or 0.0),
    ]
    if shown.percentile:
        lines.append(_percentile(totals, shown.percentile))
    else:
        lines.append("         percentile stats:               disabled")
    lines += [_percentile(totals, percentile) for percentile in shown.percentiles]
    lines.append(_measure("sum", totals.sum_ms))
    return "\n".join(lines) + "\n\n"


def failures(totals: Totals, percentile: float) -> str:
    """Return what sysbench has no word for: how long the transactions took that failed."""
    longest_ms = quantile_ms(totals.times.failed, 1.0)
    if longest_ms is None:
        return ""
    asked, wanted = totals.times.asked(), percentile or 95
    return (
        f"WARNING: {totals.times.failed.count} transactions failed and are in none of the response "
        f"times above; the longest took {longest_ms:.2f} ms. Of all that were asked for, the "
        f"{wanted:g}th percentile is {quantile_ms(asked, wanted / 100) or 0.0:.2f} ms\n"
    )


def _measure(name: str, value_ms: float) -> str:
    return f"         {name + ':':<32}{value_ms:>12.2f}"


def _percentile(totals: Totals, percentile: float) -> str:
    value_ms = totals.percentile_ms(percentile) or 0.0
    name = f"{percentile:3g}th percentile:"
    return f"        {name:<33}{value_ms:>12.2f}"


def _fairness(totals: Totals) -> str:
    events, events_deviation, time_s, time_deviation_s = totals.fairness
    return (
        "Threads fairness:\n"
        f"    events (avg/stddev):           {events:.4f}/{events_deviation:.2f}\n"
        f"    execution time (avg/stddev):   {time_s:.4f}/{time_deviation_s:.2f}\n\n"
    )


def histogram(response: Histogram) -> str:
    """Return the histogram of response times in sysbench's buckets."""
    counts = _in_buckets(response)
    lines = [
        "Latency histogram (values are in milliseconds)",
        "       value  ------------- distribution ------------- count",
    ]
    most = max(counts, default=0)
    for bucket, count in enumerate(counts):
        if count:
            stars = "*" * math.floor(count * STARS / most + 0.5)
            value_ms = SMALLEST_MS * math.exp(bucket / _BUCKETS_PER_E)
            lines.append(f"{value_ms:12.3f} |{stars:<{STARS}} {count}")
    return "\n".join(lines) + "\n \n"


_BUCKETS_PER_E = (BUCKETS - 1) / math.log(LARGEST_MS / SMALLEST_MS)


def _in_buckets(response: Histogram) -> Sequence[int]:
    counts = [0] * BUCKETS
    for value_ns, count in response.recorded():
        position = math.log(max(value_ns / 1e6, SMALLEST_MS) / SMALLEST_MS) * _BUCKETS_PER_E
        counts[min(BUCKETS - 1, math.floor(position + 0.5))] += count
    counts[-1] += response.overflow
    return counts
