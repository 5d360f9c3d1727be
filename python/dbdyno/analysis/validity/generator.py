"""Checks of the generator itself: whether it was the server that was measured, or the client.

An embedded database works in the generator's own threads. That those are busy is then the point of
the exercise, and the first two checks and the fourth have nothing to say.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

import polars as pl

from dbdyno.analysis.measured import Measured
from dbdyno.store.histograms import merge_all

BUSY_WORKER_SHARE_MAX = 0.9
BUSY_INTERVALS_SHARE_MAX = 0.1
LOOP_LAG_SHARE_MAX = 0.1
RUN_QUEUE_SHARE_MAX = 0.1
CLOCK_STEP_MAX_S = 0.1


def generator_busy(measured: Measured) -> str | None:
    """Find a busiest worker that used more than 90 % of its time in more than 10 % of intervals."""
    if measured.embedded:
        return None
    count = measured.generator.height
    busy = measured.generator.filter(pl.col("busiest_worker_share") > BUSY_WORKER_SHARE_MAX)
    if busy.height <= BUSY_INTERVALS_SHARE_MAX * count:
        return None
    return f"the busiest worker was over 90 % busy in {busy.height} of {count} intervals"


def generator_late(measured: Measured) -> str | None:
    """Compare the p99 of the delay in handling an answer with the p50 of response times."""
    response = merge_all(
        histogram
        for (_, measure), histogram in measured.trial.histograms.items()
        if measure == "response"
    )
    lag_ns = measured.trial.loop_lag.quantile_ns(0.99)
    response_ns = response.quantile_ns(0.5)
    if measured.embedded or lag_ns is None or not response_ns:
        return None
    if lag_ns <= LOOP_LAG_SHARE_MAX * response_ns:
        return None
    lag_ms, response_ms = lag_ns / 1e6, response_ns / 1e6
    return f"p99 of the delay is {lag_ms:.3g} ms, p50 of response times {response_ms:.3g} ms"


def generator_starved(measured: Measured) -> str | None:
    """Compare the time that workers waited for a CPU with the length of the window."""
    plan = measured.trial.generator_plan
    workers = int(plan["clients"] if measured.embedded else plan["workers"])
    waited_s = float(measured.generator["run_queue_delay_s"].sum())
    share = waited_s / (workers * measured.window_s)
    if share <= RUN_QUEUE_SHARE_MAX:
        return None
    return f"{share:.0%} of the window, on average over {workers} workers"


def shared_host(measured: Measured) -> str | None:
    """Find a server on this machine that has no CPUs of its own."""
    url = str(measured.trial.generator_plan["url"])
    if measured.embedded or not is_local(url) or measured.trial.server.get("cpus"):
        return None
    return "the server was reached over the loopback interface or a local socket"


def is_local(url: str) -> bool:
    """Tell whether a URL leads to this very host: a socket, no host, or a loopback address."""
    parts = urlsplit(url)
    host: str = parts.hostname or "localhost"
    if "socket" in parse_qs(parts.query) or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def clock_stepped(measured: Measured) -> str | None:
    """Compare the trial's length by the wall clock with that by the monotonic one."""
    clock = measured.trial.clock
    if "wall_s" not in clock:
        return None
    step_s = clock["wall_s"] - clock["monotonic_s"]
    if abs(step_s) <= CLOCK_STEP_MAX_S:
        return None
    return f"the wall clock moved {step_s:+.3f} s against the monotonic one"
