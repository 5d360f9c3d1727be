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
from dbdyno.report.language import clauses, listed, message, say, say_count

NOTHING = message("nothing found")
NO_TRIALS = message("no valid trial")

OTHER_PROGRAMS = message("other programs, which used most of the host's CPUs")

CODES = {
    LimitCode.GENERATOR: message("generator"),
    LimitCode.CPU_QUOTA: message("CPU quota"),
    LimitCode.SERVER_CPU: message("server CPU"),
    LimitCode.ONE_CPU: message("one CPU of the server"),
    LimitCode.HOST_CPU: message("CPUs of the host"),
    LimitCode.MEMORY: message("memory"),
    LimitCode.DISK: message("disk"),
    LimitCode.ROW_LOCKS: message("row locks"),
    LimitCode.DATABASE_LOCK: message("SQLite's lock on the database"),
    LimitCode.COMMIT: message("log writes of commits"),
    LimitCode.REDO_SPACE: message("redo space"),
    LimitCode.LOG_BUFFER: message("log buffer"),
    LimitCode.BUFFER_POOL: message("free pages of the buffer pool"),
    LimitCode.NETWORK_LINK: message("network link"),
    LimitCode.NETWORK_CPU: message("one CPU that handles packets"),
    LimitCode.FLOW_CONTROL: message("flow control of Galera"),
    LimitCode.GIVEN_LOAD: message("the load that was given"),
}

CERTAINTIES = {
    Certainty.SHOWN: message("shown: waiting for it grows with load, and its use does not fall"),
    Certainty.LIKELY: message("likely: the load was not varied"),
}

TIMES = {
    TimeKind.CPU: message("CPU"),
    TimeKind.CPU_QUEUE: message("waiting for a CPU"),
    TimeKind.IO: message("IO"),
    TimeKind.LOG: message("log"),
    TimeKind.LOCK: message("locks"),
    TimeKind.LATCH: message("internal locks"),
    TimeKind.REST: message("rest (client, network, waits that the server does not report)"),
}

NEEDS = {
    Need.HOST: message("the server's host was not watched; {setting} names it"),
    Need.COUNTERS: message("the server was not asked; {setting} asks it"),
    Need.WAITS: message("the server told no waits; MySQL and MariaDB take {setting}"),
    Need.PRESSURE: message("the kernel tells neither pressure nor run queues"),
    Need.NOT_TOLD: message("the server or the kernel does not tell it"),
    Need.SLEEPING_WORKERS: message("with {setting} a worker is always busy"),
}

_SETTINGS = {
    Need.HOST: "watch: {hosts: …}",
    Need.COUNTERS: "watch: {server: counters}",
    Need.WAITS: "performance_schema=ON",
    Need.SLEEPING_WORKERS: "wait: spin",
}
"""What a need is met by, as it is typed."""

_SHARES = {
    FigureName.WORKER_OCCUPIED: message("busiest worker {value} busy or waiting for a CPU"),
    FigureName.WORKER_WAITED: message("workers waited for a CPU {value} of the time"),
    FigureName.HANDLING_DELAY: message(
        "p99 of the delay in handling answers {value} of p50 of response time"
    ),
    FigureName.THROTTLED_PERIODS: message("held back in {value} of the periods"),
    FigureName.CPU_BUSY: message("CPUs {value} busy or stolen"),
    FigureName.CPU_WAIT_SHARE: message("that is {value} of sessions' time"),
    FigureName.CPU_PRESSURE: message("tasks waited for a CPU in {value} of the time"),
    FigureName.BUSIEST_CPU: message("busiest CPU {value} busy"),
    FigureName.MEMORY_PRESSURE: message("tasks waited for memory in {value} of the time"),
    FigureName.DISK_BUSY: message("busy {value} of the time"),
    FigureName.DISK_LIMIT_USED: message("{value} of what the control group allows"),
    FigureName.IO_PRESSURE: message("tasks waited for IO in {value} of the time"),
    FigureName.IO_SHARE: message("{value} of sessions' time in waits for IO"),
    FigureName.LOCK_SHARE: message("{value} of sessions' time in waits for rows"),
    FigureName.DATABASE_LOCK_SHARE: message("clients slept for the lock in {value} of their time"),
    FigureName.LOG_SHARE: message("{value} of sessions' time in waits for the log"),
    FigureName.LOG_BUSY: message("the log was being written or synced {value} of the time"),
    FigureName.REDO_USED: message("{value} of the redo space in use"),
    FigureName.REDO_HIGHEST: message("{value} of it at the highest"),
    FigureName.LOG_WAIT_INTERVALS: message("waits for room in {value} of the seconds"),
    FigureName.POOL_USED: message("{value} of the pages in use"),
    FigureName.LINK_USED: message("{value} of the link's speed"),
    FigureName.RETRANSMITTED: message("{value} of the segments sent again"),
    FigureName.CPU_SOFTIRQ: message("one CPU {value} in soft interrupts"),
    FigureName.FLOW_PAUSED: message("nodes paused {value} of the time"),
}
_AMOUNTS = {
    FigureName.CPU_WAITING: message("{value} threads waiting for a CPU"),
    FigureName.QUOTA_WAITING: message("{value} threads waiting meanwhile"),
    FigureName.MEMBER_CORES: message("{value} CPUs used by this server"),
    FigureName.SERVER_CORES: message("{value} CPUs used by servers"),
    FigureName.GENERATOR_CORES: message("{value} by generators"),
    FigureName.OTHER_CORES: message("{value} by others"),
    FigureName.UNWATCHED_CORES: message(
        "{value} by all else, the server with it, which was not watched"
    ),
    FigureName.SWAPPED_PER_S: message("{value} bytes/s swapped"),
    FigureName.MEMORY_EVENTS_PER_S: message("the memory limit was hit {value} times/s"),
    FigureName.DISK_DEPTH: message("{value} requests under way"),
    FigureName.DISK_AWAIT: message("{value} ms a request"),
    FigureName.DISK_REQUESTS: message("{value} requests/s"),
    FigureName.LOCK_WAITING: message("{value} sessions waiting for a row"),
    FigureName.DATABASE_LOCK_WAITING: message("{value} clients waiting for the lock"),
    FigureName.LOG_WAITING: message("{value} sessions waiting for the log"),
    FigureName.SYNC_FLUSHES_PER_S: message("{value} waits/s for pages to be flushed"),
    FigureName.LOG_WAITS_PER_S: message("{value} waits/s for room"),
    FigureName.POOL_WAITS_PER_S: message("{value} waits/s for a free page"),
    FigureName.FLOW_SENT_PER_S: message("asked the others to wait {value} times/s"),
    FigureName.OFFERED_PER_S: message("{value} transactions/s offered"),
    FigureName.DONE_PER_S: message("{value} transactions/s done"),
}


def _code_words(limit: Limit) -> str:
    """Return what a limit is; of a host's CPUs, other programs where they used most of them."""
    used = {each.name: each.mean for each in limit.figures}
    others = used.get(FigureName.OTHER_CORES, 0.0)
    ours = used.get(FigureName.SERVER_CORES, 0.0) + used.get(FigureName.GENERATOR_CORES, 0.0)
    if limit.code is LimitCode.HOST_CPU and others > ours:
        return OTHER_PROGRAMS
    return CODES[limit.code]


def limit_name(limit: Limit) -> str:
    """Return what it is, and where: ``server CPU (node-2 on db1)``, ``disk (vda on local)``."""
    name, what = say(_code_words(limit)), limit.member or limit.device
    if limit.code is LimitCode.DISK and limit.member:
        what = say("{disk}, limited for {server}", disk=limit.device, server=limit.member)
    if what and limit.host:
        return say("{limit} ({what} on {host})", limit=name, what=what, host=limit.host)
    where = what or limit.host
    return say("{limit} ({where})", limit=name, where=where) if where else name


def limit_evidence(limit: Limit, trials: int = 0) -> str:
    """Return the figures that say so, with the threshold of each that has one.

    Of ``trials`` it is said how many judge it, where others do not.
    """
    evidence = clauses(_figure(each) for each in limit.figures)
    judging = min((each.trials for each in limit.figures), default=trials)
    if judging >= trials:
        return evidence
    return say(
        "{evidence}; in {count} of {total} trials", evidence=evidence, count=judging, total=trials
    )


def certainty_word(limit: Limit) -> str:
    """Return how sure it is; where the load was given, nothing had to grow."""
    if limit.code is LimitCode.GIVEN_LOAD:
        return say("shown: all of it was done, and nothing was at its limit")
    return say(CERTAINTIES[limit.certainty])


def unknown_lines(unknown: Sequence[Unknown]) -> list[str]:
    """Return what is not known and what it takes, one line for each need."""
    by_need: dict[Need, list[str]] = defaultdict(list)
    for each in unknown:
        by_need[each.need].append(say(CODES[each.code]))
    return [
        say("{limits}: {need}", limits=listed(names), need=_need(need))
        for need, names in by_need.items()
    ]


def _need(need: Need) -> str:
    return say(NEEDS[need], setting=_SETTINGS.get(need, ""))


def all_unknown(limits: Iterable[CellLimit]) -> list[str]:
    """Return what some cell does not know."""
    known = dict.fromkeys(each for cell in limits for each in cell.unknown)
    return unknown_lines(tuple(known))


def not_ruled_out_line(limits: Iterable[CellLimit]) -> str:
    """Return what may be the limit of a cell of which nothing was found; "" where all is known."""
    nothing = (cell for cell in limits if cell.trials and not cell.limits)
    names = dict.fromkeys(say(CODES[each.code]) for cell in nothing for each in cell.unknown)
    if not names:
        return ""
    return say("Not known, and so not ruled out: {limits}.", limits=listed(names))


def not_growing_words(cell: CellLimit) -> str:
    """Return what was at its limit at every load alike; "" where nothing was."""
    names = listed(limit_name(each) for each in cell.not_growing)
    if not names:
        return ""
    return say("at the limit, but not more so with more load: {limits}", limits=names)


def time_words(shares: Sequence[TimeShare]) -> str:
    """Return where sessions' time went: ``CPU 31.0 %, locks 60.1 %``, the largest first."""
    ordered = sorted(shares, key=lambda each: -each.share)
    return listed(
        say("{what} {share}", what=say(TIMES[each.kind]), share=figures.share(each.share))
        for each in ordered
    )


def limits_line(limits: Sequence[CellLimit]) -> str:
    """Return the limits of all cells in one line; "" where none was looked for."""
    judged = [cell for cell in limits if cell.trials]
    if not judged:
        return ""
    found: Counter[str] = Counter()
    for cell in judged:
        codes = dict.fromkeys(map(_code_words, cell.limits))
        found.update(list(codes) or [NOTHING])
    return _limits_line(_counted(found, len(judged)), judged)


def _counted(found: Counter[str], cells: int) -> str:
    """Return each limit with the number of its cells: ``disk in 2 of 3 cells; memory in 1``."""
    (first, first_count), *others = found.most_common()
    if cells == 1:
        return say(first)
    return clauses(
        [
            say(
                "{limit} in {count} of {cells} cells",
                limit=say(first),
                count=first_count,
                cells=cells,
            ),
            *(say("{limit} in {count}", limit=say(name), count=count) for name, count in others),
        ]
    )


def _limits_line(limits: str, judged: Sequence[CellLimit]) -> str:
    likely = sum(
        bool(cell.limits) and cell.limits[0].certainty is Certainty.LIKELY for cell in judged
    )
    if not likely:
        return say("Limit: {limits}.", limits=limits)
    if likely == len(judged):
        return say("Limit: {limits} (likely only, as load was not varied).", limits=limits)
    return say_count(
        "Limit: {limits}. In {count} cell this is likely only, as load was not varied.",
        "Limit: {limits}. In {count} cells this is likely only, as load was not varied.",
        likely,
        limits=limits,
    )


def _figure(figure: Figure) -> str:
    is_share = figure.name in _SHARES
    words = (_SHARES if is_share else _AMOUNTS)[figure.name]
    text = say(words, value=_value(figure.mean, is_share))
    notes = []
    low, high = _value(figure.lowest, is_share), _value(figure.highest, is_share)
    if figure.trials > 1 and low != high:
        notes.append(say("{low} to {high}", low=low, high=high))
    if figure.threshold is not None:
        threshold = _value(figure.threshold, is_share)
        notes.append(say("from {threshold} on it counts", threshold=threshold))
    return say("{figure} ({notes})", figure=text, notes=listed(notes)) if notes else text


def _value(value: float, is_share: bool) -> str:
    if is_share:
        return figures.share(value)
    return figures.milliseconds(value) if value < 1000 else figures.count(value)
