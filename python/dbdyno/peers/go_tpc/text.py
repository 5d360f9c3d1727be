"""What go-tpc prints of a run: a row for each kind of transaction, and the throughput."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno._native import Histogram
from dbdyno.peers.call.totals import Totals
from dbdyno.peers.go_tpc.form import render
from dbdyno.peers.tpcc.kinds import KINDS, count_finished, new_orders_per_minute
from dbdyno.times import quantile_ms

CURRENT, SUMMARY = "[Current] ", "[Summary] "

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9)
HEADERS = (
    *("Prefix", "Operation", "Takes(s)", "Count", "TPM", "Sum(ms)", "Avg(ms)"),
    *(f"{percentile:g}th(ms)" for percentile in PERCENTILES),
    "Max(ms)",
)
WAIT_HEADERS = ("Prefix", "Operation", "Avg(s)")
THROUGHPUT_HEADERS = ("tpmC", "tpmTotal", "efficiency")

KEYING_S = {"new_order": 18, "payment": 3, "order_status": 2, "delivery": 2, "stock_level": 2}
"""How long a user types before a transaction (clause 5.2.5.7): always as long."""

MOST_PER_WAREHOUSE = 12.86
"""New-Orders a minute and warehouse that are possible with keying and think times."""


def transactions(output: str, prefix: str, totals: Totals) -> str:
    """Return a row for each kind that there was, and one for those of it that failed."""
    rows = []
    for kind in sorted(KINDS):
        each = totals.of(kind)
        if each.finished:
            rows.append(_row(prefix, kind.upper(), each.finished, totals, each.times.done))
        if each.failed:
            rows.append(_row(prefix, f"{kind.upper()}_ERR", each.failed, totals, each.times.failed))
    plain = "".join(_line(row, HEADERS[2:]) for row in rows)
    return render(output, HEADERS, rows, plain)


def waits(output: str, prefix: str, totals: Totals) -> str:
    """Return a row for the keying time of each kind that there was.

    Think times are drawn, and nobody measures them: they have no row.
    """
    rows = [
        (prefix, f"KEYINGTIME-{kind.upper()}", f"{KEYING_S[kind]:.1f}s")
        for kind in sorted(KINDS)
        if totals.of(kind).finished
    ]
    return render(output, WAIT_HEADERS, rows, "".join(map(_line, rows)))


def throughput(output: str, totals: Totals, warehouses: int) -> str:
    """Return the last line."""
    new_orders = new_orders_per_minute(totals)
    if not new_orders:
        return ""
    row = (
        f"{new_orders:.1f}",
        f"{totals.per_minute(count_finished(totals)):.1f}",
        f"{100 * new_orders / (MOST_PER_WAREHOUSE * warehouses):.1f}%",
    )
    plain = ", ".join(map(": ".join, zip(THROUGHPUT_HEADERS, row, strict=True)))
    return render(output, THROUGHPUT_HEADERS, [row], f"{plain}\n")


def _row(
    prefix: str, operation: str, count: int, totals: Totals, times: Histogram
) -> tuple[str, ...]:
    mean_ms = times.mean_ns / 1e6 if times.count else 0.0
    quantiles = [quantile_ms(times, percentile / 100) or 0.0 for percentile in PERCENTILES]
    return (
        prefix,
        operation,
        f"{totals.elapsed_s:.1f}",
        str(count),
        f"{totals.per_minute(count):.1f}",
        f"{mean_ms * count:.1f}",
        f"{mean_ms:.1f}",
        *(f"{quantile:.1f}" for quantile in quantiles),
        f"{quantile_ms(times, 1.0) or 0.0:.1f}",
    )


def _line(row: Sequence[str], names: Sequence[str] = ()) -> str:
    prefix, operation, *values = row
    named = (
        [f"{name}: {value}" for name, value in zip(names, values, strict=True)] if names else values
    )
    return f"{prefix}{operation:<6} - {', '.join(named)}\n"
