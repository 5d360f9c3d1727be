"""pgbench's output, line by line in its form."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from itertools import chain, count

from dbdyno import __version__
from dbdyno._native import Histogram
from dbdyno.peers.call.run import Outcome
from dbdyno.peers.call.totals import KindTotals, Totals
from dbdyno.peers.pgbench.request import Request
from dbdyno.peers.pgbench.scripts import NamedScript

SERIALIZATION, DEADLOCK = "serialization_failure", "deadlock"


def version(server_version: str) -> str:
    """Return the first line, with the server's version."""
    return f"pgbench (dbdyno {__version__}, server {server_version.removeprefix('PostgreSQL ')})\n"


def progress(end_s: float, totals: Totals, request: Request) -> str:
    """Return the line about the time since the last one."""
    whole = merged(totals.kinds.values())
    moment = f"{time.time():.3f}" if request.shown.epoch else f"{end_s:.1f}"
    line = (
        f"progress: {moment} s, {totals.per_s(whole.finished):.1f} tps, "
        f"lat {whole.mean_ms:.3f} ms stddev {deviation_ms(whole.times.done):.3f}, "
        f"{whole.failed} failed"
    )
    if request.rate_per_s:
        line += f", lag {_mean_ms(whole.lag):.3f} ms"
        if request.shown.latency_limit_ms is not None:
            line += f", {whole.dropped} skipped"
    if request.max_tries != 1:
        line += f", {whole.first_attempt_aborts} retried, {whole.retries} retries"
    return line + "\n"


def summary(outcome: Outcome[Request], request: Request, connect_s: float) -> str:
    """Return everything from ``transaction type`` on."""
    totals = outcome.totals
    whole = merged(totals.kinds.values())
    lines = [
        *_what_ran(request),
        *_counts(whole, totals, request),
        *_times(whole, totals, request),
    ]
    rate = totals.per_s(whole.finished)
    if request.reconnects:
        each_ms = 1e3 * totals.renewal_s / max(totals.renewals, 1)
        lines.append(f"average connection time = {each_ms:.3f} ms")
        lines.append(f"tps = {rate:.6f} (including reconnection times)")
    else:
        lines.append(f"initial connection time = {1e3 * connect_s:.3f} ms")
        lines.append(f"tps = {rate:.6f} (without initial connection time)")
    if len(request.scripts) > 1:
        lines += _by_script(totals, request)
    return "".join(f"{line}\n" for line in lines)


def _what_ran(request: Request) -> Iterator[str]:
    several = len(request.scripts) > 1
    yield f"transaction type: {'multiple scripts' if several else request.scripts[0].title}"
    yield f"scaling factor: {request.scale}"
    yield f"query mode: {request.mode}"
    yield f"number of clients: {request.clients}"
    yield f"number of threads: {request.threads}"
    if request.max_tries:
        yield f"maximum number of tries: {request.max_tries}"


def _counts(whole: KindTotals, totals: Totals, request: Request) -> Iterator[str]:
    if request.transactions is None:
        yield f"duration: {request.duration_s:.0f} s"
        yield f"number of transactions actually processed: {whole.finished}"
    else:
        yield f"number of transactions per client: {request.transactions // request.clients}"
        yield (
            f"number of transactions actually processed: {whole.finished}/{request.transactions}"
        )
    asked = whole.finished + whole.failed
    yield f"number of failed transactions: {_share(whole.failed, asked)}"
    if request.shown.failures_detailed:
        yield from _failures(whole, totals, asked)
    if request.max_tries != 1:
        yield f"number of transactions retried: {_share(whole.first_attempt_aborts, asked)}"
        yield f"total number of retries: {whole.retries}"


def _failures(whole: KindTotals, totals: Totals, asked: int) -> Iterator[str]:
    """Yield the failures by their kind.

    Errors are counted by attempt. Where both kinds came and some attempts were followed by another,
    it is not known of which kind the last ones were, and no number is printed.
    """
    attempts = {
        kind: totals.errors[kind].count if kind in totals.errors else 0
        for kind in (SERIALIZATION, DEADLOCK)
    }
    for kind, words in ((SERIALIZATION, "serialization"), (DEADLOCK, "deadlock")):
        failed: int | None = attempts[kind]
        if whole.retries and attempts[kind]:
            failed = whole.failed if attempts[kind] == sum(attempts.values()) else None
        told = "not known" if failed is None else _share(failed, asked)
        yield f"number of {words} failures: {told}"


def _times(whole: KindTotals, totals: Totals, request: Request) -> Iterator[str]:
    limit_ms, finished = request.shown.latency_limit_ms, whole.finished
    if request.rate_per_s and limit_ms is not None:
        skipped = _share(whole.dropped, finished + whole.failed + whole.dropped)
        yield f"number of transactions skipped: {skipped}"
    if limit_ms is not None:
        late = whole.later_than(limit_ms)
        yield (
            f"number of transactions above the {limit_ms:.1f} ms latency limit: "
            f"{late}/{finished} ({_percent(late, finished):.3f}%)"
        )
    yield f"latency average = {_average(whole, totals, request)}"
    yield f"latency stddev = {deviation_ms(whole.times.done):.3f} ms"
    if request.rate_per_s:
        yield (
            f"rate limit schedule lag: avg {_mean_ms(whole.lag):.3f} "
            f"(max {whole.lag.max_ns / 1e6:.3f}) ms"
        )


def _average(whole: KindTotals, totals: Totals, request: Request) -> str:
    """Return the mean time; pgbench computes it where none of these options has it take times."""
    shown = request.shown
    if request.rate_per_s or shown.progress_s or shown.latency_limit_ms is not None:
        return f"{whole.mean_ms:.3f} ms"
    ended = whole.finished + whole.failed + whole.dropped
    average_ms = 1e3 * totals.elapsed_s * request.clients / max(ended, 1)
    return f"{average_ms:.3f} ms" + (" (including failures)" if whole.failed else "")


def _by_script(totals: Totals, request: Request) -> Iterator[str]:
    weights = sum(script.weight for script in request.scripts)
    finished = merged(totals.kinds.values()).finished
    for number, (script, kind) in enumerate(zip(request.scripts, kinds(request), strict=True), 1):
        own = totals.of(kind)
        yield f"SQL script {number}: {script.title}"
        yield (
            f" - weight: {script.weight} (targets {_percent(script.weight, weights):.1f}% of total)"
        )
        yield (
            f" - {own.finished} transactions ({_percent(own.finished, finished):.1f}% of total, "
            f"tps = {totals.per_s(own.finished):.6f})"
        )
        asked = own.finished + own.failed
        yield f" - number of failed transactions: {_share(own.failed, asked)}"
        if request.max_tries != 1:
            yield f" - number of transactions retried: {_share(own.first_attempt_aborts, asked)}"
            yield f" - total number of retries: {own.retries}"
        if request.rate_per_s and request.shown.latency_limit_ms is not None:
            yield f" - number of transactions skipped: {_share(own.dropped, asked + own.dropped)}"
        yield f" - latency average = {own.mean_ms:.3f} ms"
        yield f" - latency stddev = {deviation_ms(own.times.done):.3f} ms"


def kinds(request: Request) -> list[str]:
    """Return what the generator calls the scripts, in their order."""
    names: list[str] = []
    for number, script in enumerate(request.scripts, 1):
        stem = _kind(script)
        more = (f"{stem}-{next_number}" for next_number in count(number))
        names.append(next(name for name in chain([stem], more) if name not in names))
    return names


def _kind(script: NamedScript) -> str:
    if script.script.builtin:
        return script.script.builtin
    base = script.name.rsplit("/", 1)[-1]
    stem = base.rsplit(".", 1)[0] if "." in base else base
    name = "".join(c if (c.isascii() and c.isalnum()) or c in "_-." else "_" for c in stem)
    return f"script-{name}" if name in {"", "all"} else name


def merged(all_kinds: Iterable[KindTotals]) -> KindTotals:
    """Return the sums of several kinds."""
    whole = KindTotals()
    for kind in all_kinds:
        whole.merge(kind)
    return whole


def _mean_ms(histogram: Histogram) -> float:
    return histogram.mean_ns / 1e6 if histogram.count else 0.0


def deviation_ms(histogram: Histogram) -> float:
    """Return the standard deviation of times, as far as they are told apart."""
    if not histogram.count:
        return 0.0
    mean_ns = histogram.mean_ns
    squares = sum(count * (value_ns - mean_ns) ** 2 for value_ns, count in histogram.recorded())
    return math.sqrt(squares / histogram.count) / 1e6


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 0.0


def _share(part: int, whole: int) -> str:
    return f"{part} ({_percent(part, whole):.3f}%)"
