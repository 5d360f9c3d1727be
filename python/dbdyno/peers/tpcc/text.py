"""The lines of ``dbdyno tpcc run``."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dbdyno import __version__
from dbdyno.analysis.tpcc.options import is_paced
from dbdyno.analysis.tpcc.requirements import TITLES
from dbdyno.peers.call.totals import KindTotals, Totals
from dbdyno.peers.call.words import counted
from dbdyno.peers.tpcc.conformance import requirements, shown
from dbdyno.peers.tpcc.kinds import count_finished, new_orders_per_minute
from dbdyno.peers.tpcc.request import TpccRequest
from dbdyno.peers.tpcc.run import Outcome
from dbdyno.protocol.events import Connected, PipeliningFound
from dbdyno.report.words.tpcc import DISCLAIMER, PACED, UNPACED
from dbdyno.times import quantile_ms

PERCENTILES = (50, 90, 99)

Rows = Sequence[Sequence[str]]


def header(request: TpccRequest) -> str:
    """Return what will be done."""
    workload = request.workload
    warehouses = counted(request.warehouses, "warehouse")
    pacing = "with keying and think times" if is_paced(workload) else "without waits"
    if request.rate_per_s is not None:
        pacing = f"for {request.rate_per_s:g} transactions/s ({request.arrivals} arrivals)"
    duration = (
        f"{request.transactions:,} transactions"
        if request.transactions is not None
        else f"warm-up {request.warmup_s:g} s, window {request.duration_s:g} s"
    )
    return (
        f"dbdyno {__version__}: TPC-C, {warehouses} in the tables of schema {workload['schema']} "
        f"at {request.address.url}\n"
        f"{counted(request.clients, 'terminal')} {pacing}, {workload['home_warehouse']} home, "
        f"{request.protocol} statements, {duration}, seed {request.seed}\n"
    )


def connected(event: Connected) -> str:
    """Return what the server says of itself."""
    isolation = event.session and event.session.isolation
    level = f", isolation {isolation.replace('_', ' ')}" if isolation else ""
    return f"connected to {event.server_version}{level}{_sharing(event.pipelining)}\n\n"


def _sharing(pipelining: PipeliningFound | None) -> str:
    """Say whether statements share round trips, and why not where the server did not take it."""
    if pipelining is None:
        return ""
    if pipelining.refusal is not None:
        return (
            "\neach statement takes a round trip: the server does not take several in one "
            f"({pipelining.refusal})"
        )
    return ", statements share round trips" if pipelining.used else ""


def interval(time_s: float, totals: Totals, *, is_warmup: bool) -> str:
    """Return the line of one interval, which ends at a time after the warm-up's end."""
    new_order = totals.of("new_order")
    failed = sum(each.failed for each in totals.kinds.values())
    retries = sum(each.retries for each in totals.kinds.values())
    when = " warm-up" if is_warmup else f"{time_s:6.0f} s"
    return (
        f"[{when}] {new_orders_per_minute(totals):9,.0f} New-Orders/min "
        f"{totals.per_s(count_finished(totals)):8,.0f} transactions/s  "
        f"New-Order p50 {_ms(new_order.percentile_ms(50))} p90 {_ms(new_order.percentile_ms(90))} "
        f"p99 {_ms(new_order.percentile_ms(99))} ms  failed {failed} retries {retries}\n"
    )


def closing(outcome: Outcome) -> str:
    """Return everything that is said at the end."""
    totals = outcome.totals
    parts = [
        f"\n{totals.elapsed_s:.1f} s measured\n",
        _columns(_kind_rows(totals)),
        _asked(totals),
        throughput(outcome),
        _costs(
            totals, "generator and database" if outcome.request.is_embedded else "the generator"
        ),
        _errors(totals),
        *outcome.warnings(),
        "\nTPC-C's requirements\n",
        _columns([("", "observed", "required", ""), *shown(requirements(outcome))]),
        f"\nHeld against what is stored: {outcome.ledger.sentence}\n",
    ]
    return "".join(parts)


def _kind_rows(totals: Totals) -> Rows:
    percentiles = [f"p{percentile} ms" for percentile in PERCENTILES]
    heading = ("", "count", "share", "per min", *percentiles, "max ms", "failed", "retries")
    whole = count_finished(totals)
    rows = [_kind_row(kind, title, totals, whole) for kind, title in TITLES.items()]
    return [heading, *(row for row in rows if row)]


def _kind_row(kind: str, title: str, totals: Totals, whole: int) -> Sequence[str]:
    """Return the row of a kind; nothing for a deferred part that there is none of."""
    each: KindTotals | None = totals.kinds.get(kind)
    if each is None:
        return ()
    # A Delivery that is carried out later was drawn once.
    share = "" if kind not in _DRAWN else f"{100 * each.finished / max(1, whole):.2f} %"
    return (
        title,
        f"{each.finished:,}",
        share,
        f"{totals.per_minute(each.finished):,.0f}",
        *(_ms(each.percentile_ms(percentile)) for percentile in PERCENTILES),
        _ms(each.max_ms),
        f"{each.failed:,}",
        f"{each.retries:,}",
    )


def _asked(totals: Totals) -> str:
    """Return the times of all that were asked for, of the kinds of which some failed."""
    rows = []
    for kind, title in TITLES.items():
        times = totals.of(kind).times
        if times.failed.count:
            asked = times.asked()
            quantiles = (*(percentile / 100 for percentile in PERCENTILES), 1.0)
            rows.append(
                (title, f"{asked.count:,}", *(_ms(quantile_ms(asked, q)) for q in quantiles))
            )
    if not rows:
        return ""
    percentiles = [f"p{percentile} ms" for percentile in PERCENTILES]
    return "\nResponse times of all that were asked for, those that failed among them\n" + _columns(
        [("", "count", *percentiles, "max ms"), *rows]
    )


_DRAWN = set(TITLES) - {"delivery_deferred"}


def throughput(outcome: Outcome) -> str:
    """Return the figure that all ask for, under the name that it may have."""
    totals = outcome.totals
    new_order = totals.of("new_order")
    per_minute = new_orders_per_minute(totals)
    paced = is_paced(outcome.request.workload)
    each = f", {per_minute / outcome.request.warehouses:.2f} a warehouse" if paced else ""
    committed = totals.per_minute(new_order.committed)
    return (
        f"\n{per_minute:,.1f} {PACED if paced else UNPACED}{each}: New-Orders a minute, those "
        f"rolled back on purpose among them; {committed:,.1f} were committed. {DISCLAIMER}\n"
    )


def _costs(totals: Totals, whose: str) -> str:
    """Return what a New-Order costs, with its share of all other kinds."""
    orders = totals.of("new_order").finished
    if not orders:
        return ""
    return (
        f"For each New-Order, with all other kinds: {totals.statements / orders:.1f} statements in "
        f"{totals.round_trips / orders:.1f} round trips, and "
        f"{1e6 * totals.generator_cpu_s / orders:,.0f} µs of CPU of {whose}\n"
    )


def _errors(totals: Totals) -> str:
    lines = [
        f"  {error.count:,} × {name} ({error.code}): {error.sample}\n"
        for name, error in sorted(totals.errors.items())
    ]
    return "".join(["\nErrors, retried ones included\n", *lines]) if lines else ""


def _columns(rows: Rows) -> str:
    """Return rows with the first and the last column to the left, all others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for first, *cells in rows:
        padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        if not _is_number_like(rows, len(cells)):
            padded[-1] = cells[-1]
        lines.append("  ".join([f"{first:<{widths[0]}}", *padded]).rstrip() + "\n")
    return "".join(lines)


def _is_number_like(rows: Rows, column: int) -> bool:
    return all(row[column][:1].isdigit() for row in rows[1:])


def _ms(value_ms: float | None) -> str:
    """Return a time with three digits; ``> 2 h`` lies beyond what is recorded."""
    if value_ms is None:
        return "–"
    if math.isinf(value_ms):
        return "> 2 h"
    return f"{value_ms:,.{2 if value_ms < 10 else 1 if value_ms < 100 else 0}f}"
