"""Figures of one row that cannot be together: rates with times and clients, or by the minute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dbdyno.analysis.audit.cells import clients_of, label
from dbdyno.analysis.audit.model import Joined, Line
from dbdyno.results_table.evidence import NEW_ORDERS
from dbdyno.results_table.model import ClaimForm, Figure, Role

Row = dict[str, Figure]
"""The figures of one row or cell by their metrics."""

OF_TRANSACTIONS = ("tps", "ops", "tpm_total")
"""Rates of what the response times are of; a transaction has several queries."""
SECONDS = {"tpm_total": 60.0}
MOST_QUERIES = 100.0
"""Of a transaction: TPC-C's have about 30."""
OF_QUERIES = ("query mean", "queries mean", "statement mean", "查询 mean")
SLACK = 1.05
"""Rates and times of one run may be of slightly different windows."""
SAME = 0.02
_A_PART = re.compile(r"\bper\b|\bje\b|每")
"""Heads clients of one generator or node, of which there may be several."""


def beyond_laws(joined: Joined, rows: Sequence[Row]) -> list[Line]:
    """Return all lines of evidence."""
    return [*_busy(joined, rows), *_per_minute(rows), *_efficiencies(joined)]


def _busy(joined: Joined, rows: Sequence[Row]) -> Iterator[Line]:
    """Yield rows that keep more clients busy than there are (Little's law: rate x mean time)."""
    if any(_A_PART.search(name.replace("_", " ")) for name in joined.data.named(Role.LOAD)):
        return
    for row in rows:
        rate, mean, at_once = _rate_and_mean(row)
        clients = clients_of(joined.data, rate.levels) if rate else None
        if rate is None or mean is None or clients is None or rate.part:
            continue
        seconds = 1000 * SECONDS.get(rate.metric.name, 1.0)
        least = (rate.value - rate.number.step / 2) * (mean.value - mean.number.step / 2) / seconds
        if least > SLACK * clients * at_once:
            yield Line(
                "busy",
                cell=_name(rate),
                line=rate.place.line,
                metric=rate.metric.name,
                rate=rate.number.text,
                mean_ms=mean.value,
                busy=rate.value * mean.value / seconds,
                clients=clients,
            )


def _rate_and_mean(row: Row) -> tuple[Figure | None, Figure | None, float]:
    """Return a rate, a mean time, and how many of the rate may be done in one such time.

    Beside a rate of New-Orders a time may be of these alone, which take longer than others.
    """
    has_new_orders = not row.keys().isdisjoint(NEW_ORDERS)
    names = (name for name in OF_TRANSACTIONS if not (name in SECONDS and has_new_orders))
    rate = next((row[name] for name in names if name in row), None)
    if rate is not None or "qps" not in row:
        return rate, row.get("mean"), 1.0
    of_query = next((row[name] for name in OF_QUERIES if name in row), None)
    return row["qps"], of_query or row.get("mean"), 1.0 if of_query else MOST_QUERIES


def _per_minute(rows: Sequence[Row]) -> Iterator[Line]:
    """Yield rates a minute that are not 60 times those a second, where most others are."""
    both = [(row["tps"], row["tpm_total"]) for row in rows if row.keys() >= {"tps", "tpm_total"}]
    wrong = [pair for pair in both if not _is_same_rate(*pair)]
    if len(wrong) * 2 > len(both):
        # Tools count different things as transactions.
        return
    for second, minute in wrong:
        yield Line(
            "per_minute",
            cell=_name(minute),
            line=minute.place.line,
            minute=minute.number.text,
            second=second.number.text,
            right=60 * second.value,
        )


def _is_same_rate(second: Figure, minute: Figure) -> bool:
    slack = 30 * second.number.step + minute.number.step / 2 + SAME * minute.value
    return abs(60 * second.value - minute.value) <= slack


def _efficiencies(joined: Joined) -> Iterator[Line]:
    for claim in joined.claims:
        whole = 100.0 if claim.is_unit_told or claim.number.value > 10 else 1.0
        is_above = claim.number.value - claim.number.step / 2 > whole
        if claim.form is ClaimForm.EFFICIENCY and is_above:
            yield Line(
                "above_all",
                line=claim.place.line,
                column=claim.place.column,
                metric=claim.column,
                stated=claim.number.text,
                cell=" ".join(filter(None, (claim.above, label(claim.levels)))),
            )


def _name(figure: Figure) -> str:
    return " ".join(filter(None, (figure.subject, label(figure.levels))))
