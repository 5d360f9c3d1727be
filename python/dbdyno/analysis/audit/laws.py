"""Figures of one row that cannot be together: rates with times and clients, or by the minute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dbdyno.analysis.audit.cells import clients_of, label
from dbdyno.analysis.audit.model import Joined, Line
from dbdyno.results_table.model import ClaimForm, Figure, Role

Row = dict[str, Figure]
"""The figures of one row or cell by their metrics."""

OF_TRANSACTIONS = ("tps", "ops")
"""Rates of what the response times are of; a transaction has several queries."""
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
        rate = next((row[name] for name in OF_TRANSACTIONS if name in row), None)
        mean = row.get("mean")
        clients = clients_of(joined.data, rate.levels) if rate else None
        if rate is None or mean is None or clients is None or rate.part:
            continue
        least = (rate.value - rate.number.step / 2) * (mean.value - mean.number.step / 2) / 1000
        if least > SLACK * clients:
            yield Line(
                "busy",
                cell=_name(rate),
                line=rate.place.line,
                rate=rate.number.text,
                mean_ms=mean.value,
                busy=rate.value * mean.value / 1000,
                clients=clients,
            )


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
