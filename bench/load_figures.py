"""What was measured under load, as figures: client CPU, memory, throughput, exactness."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from bench.figures import Figure, Spread, Target, at_least, at_most, medians, ratio
from bench.pair import Pair
from bench.response_times import P95, QUANTILES
from bench.server import VERBS
from bench.trial import Measurement
from bench.turns import POINT_SELECT, READ_WRITE

TCP = "TCP"
UNPINNED = "TCP, nothing pinned"
"""How a server was reached; without a word, server and client have a CPU each."""

SYSBENCH = "sysbench"
PGBENCH = "pgbench"

CPU_RATIO_TARGETS = {
    (SYSBENCH, READ_WRITE, 64): at_most(0.60),
    (SYSBENCH, READ_WRITE, 256): at_most(0.42),
    (SYSBENCH, POINT_SELECT, 1): at_most(1.05),
    (SYSBENCH, POINT_SELECT, 8): at_most(0.80),
    (SYSBENCH, POINT_SELECT, 64): at_most(0.62),
    (SYSBENCH, POINT_SELECT, 256): at_most(0.58),
    (PGBENCH, POINT_SELECT, 64): at_most(0.50),
    (PGBENCH, POINT_SELECT, 200): at_most(0.33),
}
USER_CPU_TARGETS_US = {READ_WRITE: at_most(2.0), POINT_SELECT: at_most(1.2)}
THROUGHPUT_RATIO_TARGET = at_least(0.98)
SERVER_RATIO_TARGET = at_most(1.03)
AT_WORK_TARGET = at_least(0.95)
"""Where the peer reaches it."""
MEMORY_TARGET_MB = at_most(10.0)
TIMESTAMPS_RATIO_TARGET = at_most(1.03)


def cpu_ratios(pairs: Sequence[Pair], peer: str, how: str = TCP) -> list[Figure]:
    """Return client CPU per statement over a peer's; targets are for pinned programs over TCP."""
    targets = CPU_RATIO_TARGETS if how == TCP else {}
    section = f"client CPU per statement over {peer}'s, {how}"
    return [
        _ratio(section, pair, _cpu_us, "µs", targets.get((peer, pair.script, pair.clients)))
        for pair in pairs
    ]


def user_cpu(pairs: Sequence[Pair]) -> list[Figure]:
    """Return dbdyno's user-mode CPU per statement."""
    return [
        Figure(
            section="user-mode CPU per statement",
            name=pair.label,
            unit="µs",
            spread=Spread.of([one.client_user_us for one in pair.ours]),
            target=USER_CPU_TARGETS_US[pair.script],
            detail=medians(
                [one.client_user_us for one in pair.ours],
                [one.client_user_us for one in pair.theirs],
                "µs",
            ),
        )
        for pair in pairs
    ]


def throughput(pairs: Sequence[Pair], peer: str, how: str = TCP) -> list[Figure]:
    """Return statements a second over a peer's; the server's CPU is the limit."""
    target = THROUGHPUT_RATIO_TARGET if how in (TCP, UNPINNED) else None
    section = f"statements a second over {peer}'s, {how}"
    return [_ratio(section, pair, _rates_per_s, "/s", target) for pair in pairs]


def server_cpu(pairs: Sequence[Pair], peer: str, how: str = TCP) -> list[Figure]:
    """Return what a statement costs the server, over what it costs under a peer's load.

    A generator that leaves the server more work for each statement slows what it measures.
    """
    target = SERVER_RATIO_TARGET if how in (TCP, UNPINNED) else None
    section = f"server CPU per statement over that under {peer}, {how}"
    return [_ratio(section, pair, _server_us, "µs", target) for pair in pairs]


def response_times(pairs: Sequence[Pair], peer: str, how: str = TCP) -> list[Figure]:
    """Return the 95th percentile of response times over a peer's, with p50 and p99 beside."""
    section = f"p95 of response times over {peer}'s, {how}"
    return [
        replace(_ratio(section, pair, partial(_times_ms, place=P95), "ms"), detail=_beside(pair))
        for pair in pairs
    ]


def _beside(pair: Pair) -> str:
    """Return all percentiles of both in words."""
    return ", ".join(
        f"p{100 * quantile:.0f} "
        + medians(_times_ms(pair.ours, place), _times_ms(pair.theirs, place), "ms")
        for place, quantile in enumerate(QUANTILES)
    )


def clients_at_work(pairs: Sequence[Pair], peer: str, how: str) -> list[Figure]:
    """Return the share of dbdyno's clients that waited for the server, and of the peer's."""
    section = f"clients at work of those asked for, ours and {peer}'s, {how}"
    figures = []
    for pair in pairs:
        ours, theirs = _at_work(pair.ours), _at_work(pair.theirs)
        is_reached = bool(theirs) and statistics.median(theirs) >= AT_WORK_TARGET.value
        figures.append(
            Figure(
                section=section,
                name=pair.label,
                unit="",
                spread=Spread.of(ours or [math.nan]),
                target=AT_WORK_TARGET if is_reached else None,
                detail=medians(ours, theirs, "") if ours and theirs else "not seen",
            )
        )
    return figures


def memory(pairs: Sequence[Pair]) -> list[Figure]:
    """Return what the most clients need beyond what one client needs, of the point select."""
    selects = sorted(
        (pair for pair in pairs if pair.script == POINT_SELECT), key=lambda pair: pair.clients
    )
    few, many = selects[0], selects[-1]
    ours_mb = _growth_mb(few.ours, many.ours)
    theirs_mb = _growth_mb(few.theirs, many.theirs)
    return [
        Figure(
            section="resident memory",
            name=f"{many.clients} clients minus {few.clients}",
            unit="MB",
            spread=Spread.of(ours_mb),
            target=MEMORY_TARGET_MB,
            detail=medians(ours_mb, theirs_mb, "MB"),
        )
    ]


def exactness(pairs: Sequence[Pair], product: str) -> list[Figure]:
    """Return how far dbdyno's own counts by verb are from the server's, over all trials."""
    trials = [one for pair in pairs for one in pair.ours]
    trials += [ours for pair in pairs for ours, _ in pair.disturbed]
    counted = sum(sum(one.sent.values()) for one in trials)
    return [
        Figure(
            section="exactness",
            name=f"statements by verb, {product}'s count minus ours",
            unit="statements",
            spread=Spread.of([max(_deviation(one) for one in trials)]),
            target=at_most(0),
            detail=f"{counted} statements in {len(trials)} trials",
        )
    ]


def timestamps(pair: Pair) -> list[Figure]:
    """Return the cost of asking the kernel when answers arrived."""
    return [
        replace(
            _ratio("kernel receive timestamps", pair, _cpu_us, "µs", TIMESTAMPS_RATIO_TARGET),
            name=f"client CPU with over without, {pair.label}",
        )
    ]


def _ratio(
    section: str,
    pair: Pair,
    values: Callable[[Sequence[Measurement]], list[float]],
    unit: str,
    target: Target | None = None,
) -> Figure:
    """Return what one side measured over what the other did, both in ``unit``."""
    ours, theirs = values(pair.ours), values(pair.theirs)
    return Figure(
        section=section,
        name=pair.label,
        unit="ratio",
        spread=ratio(ours, theirs),
        target=target,
        detail=medians(ours, theirs, unit),
    )


def _cpu_us(measurements: Sequence[Measurement]) -> list[float]:
    return [one.client_cpu_us for one in measurements]


def _server_us(measurements: Sequence[Measurement]) -> list[float]:
    return [one.server_cpu_us for one in measurements]


def _rates_per_s(measurements: Sequence[Measurement]) -> list[float]:
    return [one.statements_per_s for one in measurements]


def _times_ms(measurements: Sequence[Measurement], place: int) -> list[float]:
    return [one.response_ms[place] if one.response_ms else math.nan for one in measurements]


def _at_work(measurements: Sequence[Measurement]) -> list[float]:
    return [one.share_at_work for one in measurements if one.share_at_work is not None]


def _growth_mb(few: Sequence[Measurement], many: Sequence[Measurement]) -> list[float]:
    return [
        (more.resident_bytes - less.resident_bytes) / 1e6
        for less, more in zip(few, many, strict=True)
    ]


def _deviation(measurement: Measurement) -> int:
    """Return the largest difference of any verb; a trial without a last word is all wrong."""
    (end,) = (event for event in measurement.events if event["event"] == "end")
    reported: Counter[str] = Counter()
    for statement in end["statements"]:
        reported[statement["verb"]] += statement["executions"]
    verbs = {*VERBS, *reported}
    return max(abs(measurement.sent.get(verb, 0) - reported[verb]) for verb in verbs)
