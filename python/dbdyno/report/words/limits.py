"""What a cell's limit was, in words, with the evidence and with what is not known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from dbdyno.analysis.bottleneck.model import (
    CellLimit,
    Certainty,
    Figure,
    FigureName,
    Limit,
    LimitCode,
    Need,
    TimeKind,
    TimeShare,
    Unknown,
)
from dbdyno.report import figures

NOTHING = "nothing found"
NO_TRIALS = "no valid trial"

CODES = {
    LimitCode.GENERATOR: "generator",
    LimitCode.CPU_QUOTA: "CPU quota",
    LimitCode.SERVER_CPU: "server CPU",
    LimitCode.ONE_CPU: "one CPU of the server",
    LimitCode.HOST_CPU: "CPUs of the host",
    LimitCode.MEMORY: "memory",
    LimitCode.DISK: "disk",
    LimitCode.ROW_LOCKS: "row locks",
    LimitCode.COMMIT: "log writes of commits",
    LimitCode.REDO_SPACE: "redo space",
    LimitCode.LOG_BUFFER: "log buffer",
    LimitCode.BUFFER_POOL: "free pages of the buffer pool",
    LimitCode.NETWORK_LINK: "network link",
    LimitCode.NETWORK_CPU: "one CPU that handles packets",
    LimitCode.FLOW_CONTROL: "flow control of Galera",
    LimitCode.GIVEN_LOAD: "the load that was given",
}

CERTAINTIES = {
    Certainty.SHOWN: "shown: it and the waiting for it grow with load",
    Certainty.LIKELY: "likely: the load was not varied",
}

TIMES = {
    TimeKind.CPU: "CPU",
    TimeKind.CPU_QUEUE: "waiting for a CPU",
    TimeKind.IO: "IO",
    TimeKind.LOG: "log",
    TimeKind.LOCK: "locks",
    TimeKind.LATCH: "internal locks",
    TimeKind.REST: "rest (client, network, others)",
}

NEEDS = {
    Need.HOST: "the server's host was not watched; watch: {hosts: …} names it",
    Need.COUNTERS: "the server was not asked; watch: {server: counters} asks it",
    Need.WAITS: "the server told no waits; MySQL and MariaDB take performance_schema=ON",
    Need.PRESSURE: "the kernel tells neither pressure nor run queues",
    Need.NOT_TOLD: "the server or the kernel does not tell it",
    Need.SLEEPING_WORKERS: "with busy_poll a worker is always busy",
}

_SHARES = {
    FigureName.WORKER_BUSY: "busiest worker {} busy",
    FigureName.HANDLING_DELAY: "p99 of the delay in handling answers {} of p50 of response time",
    FigureName.THROTTLED_PERIODS: "held back in {} of the periods",
    FigureName.CPU_BUSY: "CPUs {} busy",
    FigureName.CPU_WAIT_SHARE: "that is {} of sessions' time",
    FigureName.CPU_PRESSURE: "tasks waited for a CPU in {} of the time",
    FigureName.BUSIEST_CPU: "busiest CPU {} busy",
    FigureName.MEMORY_PRESSURE: "tasks waited for memory in {} of the time",
    FigureName.DISK_BUSY: "busy {} of the time",
    FigureName.IO_PRESSURE: "tasks waited for IO in {} of the time",
    FigureName.LOCK_SHARE: "{} of sessions' time in waits for rows",
    FigureName.LOG_SHARE: "{} of sessions' time in waits for the log",
    FigureName.LOG_BUSY: "the log was being written or synced {} of the time",
    FigureName.REDO_USED: "{} of the redo space in use",
    FigureName.REDO_HIGHEST: "{} of it at the highest",
    FigureName.LOG_WAIT_INTERVALS: "waits for room in {} of the seconds",
    FigureName.POOL_USED: "{} of the pages in use",
    FigureName.LINK_USED: "{} of the link's speed",
    FigureName.RETRANSMITTED: "{} of the segments sent again",
    FigureName.CPU_SOFTIRQ: "one CPU {} in soft interrupts",
    FigureName.FLOW_PAUSED: "nodes paused {} of the time",
}
_AMOUNTS = {
    FigureName.CPU_WAITING: "{} threads waiting for a CPU",
    FigureName.QUOTA_WAITING: "{} threads waiting meanwhile",
    FigureName.SERVER_CORES: "{} CPUs used by the server",
    FigureName.GENERATOR_CORES: "{} by generators",
    FigureName.OTHER_CORES: "{} by others",
    FigureName.SWAPPED_PER_S: "{} bytes/s swapped",
    FigureName.MEMORY_EVENTS_PER_S: "the memory limit was hit {} times/s",
    FigureName.DISK_DEPTH: "{} requests under way",
    FigureName.DISK_AWAIT: "{} ms a request",
    FigureName.DISK_REQUESTS: "{} requests/s",
    FigureName.LOCK_WAITING: "{} sessions waiting for a row",
    FigureName.LOG_WAITING: "{} sessions waiting for the log",
    FigureName.SYNC_FLUSHES_PER_S: "{} waits/s for pages to be flushed",
    FigureName.LOG_WAITS_PER_S: "{} waits/s for room",
    FigureName.POOL_WAITS_PER_S: "{} waits/s for a free page",
    FigureName.FLOW_SENT_PER_S: "asked the others to wait {} times/s",
    FigureName.OFFERED_PER_S: "{} transactions/s offered",
    FigureName.DONE_PER_S: "{} transactions/s done",
}


def limit_name(limit: Limit) -> str:
    """Return what it is, and where: ``server CPU (node-2 on db1)``, ``disk (vda on local)``."""
    what = limit.member or limit.device
    where = " on ".join(each for each in (what, limit.host) if each)
    return f"{CODES[limit.code]} ({where})" if where else CODES[limit.code]


def limit_evidence(limit: Limit) -> str:
    """Return the figures that say so, with the threshold of each that has one."""
    return "; ".join(_figure(each) for each in limit.figures)


def certainty_word(limit: Limit) -> str:
    """Return how sure it is; where the load was given, nothing had to grow."""
    if limit.code is LimitCode.GIVEN_LOAD:
        return "shown: all of it was done, and nothing was at its limit"
    return CERTAINTIES[limit.certainty]


def unknown_lines(unknown: Sequence[Unknown]) -> list[str]:
    """Return what is not known and what it takes, one line for each need."""
    by_need: dict[Need, list[str]] = defaultdict(list)
    for each in unknown:
        by_need[each.need].append(CODES[each.code])
    return [f"{', '.join(codes)}: {NEEDS[need]}" for need, codes in by_need.items()]


def all_unknown(limits: Iterable[CellLimit]) -> list[str]:
    """Return what some cell does not know."""
    known = dict.fromkeys(each for cell in limits for each in cell.unknown)
    return unknown_lines(tuple(known))


def not_growing_words(cell: CellLimit) -> str:
    """Return what was at its limit at every load alike; "" where nothing was."""
    names = ", ".join(limit_name(each) for each in cell.not_growing)
    return f"at the limit, but not more so with more load: {names}" if names else ""


def time_words(shares: Sequence[TimeShare]) -> str:
    """Return where sessions' time went: ``CPU 31.0 %, locks 60.1 %``, the largest first."""
    ordered = sorted(shares, key=lambda each: -each.share)
    return ", ".join(f"{TIMES[each.kind]} {figures.share(each.share)}" for each in ordered)


def limits_line(limits: Sequence[CellLimit]) -> str:
    """Return the limits of all cells in one line; "" where none was looked for."""
    judged = [cell for cell in limits if cell.trials]
    if not judged:
        return ""
    first = Counter(
        CODES[cell.limits[0].code] if cell.limits else NOTHING for cell in judged
    ).most_common()
    if len(judged) == 1:
        return f"Limit: {first[0][0]}{_likely(judged)}."
    counted = (
        f"{name} in {count} of {len(judged)} cells" if place == 0 else f"{name} in {count}"
        for place, (name, count) in enumerate(first)
    )
    return f"Limit: {'; '.join(counted)}{_likely(judged)}."


def _likely(judged: Sequence[CellLimit]) -> str:
    count = sum(
        bool(cell.limits) and cell.limits[0].certainty is Certainty.LIKELY for cell in judged
    )
    if not count:
        return ""
    cells = "" if count == len(judged) else f" in {count}"
    return f" (likely only{cells}, as load was not varied)"


def _figure(figure: Figure) -> str:
    is_share = figure.name in _SHARES
    words = (_SHARES if is_share else _AMOUNTS)[figure.name]
    text = words.format(_value(figure.mean, is_share))
    notes = []
    if figure.trials > 1 and _value(figure.lowest, is_share) != _value(figure.highest, is_share):
        notes.append(f"{_value(figure.lowest, is_share)} to {_value(figure.highest, is_share)}")
    if figure.threshold is not None:
        notes.append(f"from {_value(figure.threshold, is_share)} on it counts")
    return f"{text} ({', '.join(notes)})" if notes else text


def _value(value: float, is_share: bool) -> str:
    if is_share:
        return figures.share(value)
    return figures.milliseconds(value) if value < 1000 else figures.count(value)
