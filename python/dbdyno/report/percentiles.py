"""Which percentiles and which measures a table shows: those that say something of their own."""

from __future__ import annotations

import math
from enum import StrEnum

from dbdyno.analysis.findings import CellSummary, Findings, Percentiles
from dbdyno.report import figures
from dbdyno.report.language import message, say

FEWEST_FOR_P99 = 1_000
FEWEST_FOR_P999 = 10_000
"""Ten transactions took longer then; with fewer, a percentile is the luck of a few."""
_FEWEST = {0.99: FEWEST_FOR_P99, 0.999: FEWEST_FOR_P999}
ALIKE = 0.01
"""Times that differ by no more than this share are the same figure twice."""


def has_enough(times: Percentiles, quantile: float) -> bool:
    """Tell whether there are enough transactions for a percentile."""
    return times.count >= _FEWEST.get(quantile, 0)


def p99_ms(times: Percentiles) -> float | None:
    """Return the 99th percentile; None of too few transactions."""
    return times.p99_ms if has_enough(times, 0.99) else None


def p999_ms(times: Percentiles) -> float | None:
    """Return the 99.9th percentile; None of too few transactions."""
    return times.p999_ms if has_enough(times, 0.999) else None


def table_values(times: Percentiles) -> tuple[float | None, ...]:
    """Return p50, p90, p95, p99, p99.9 and the maximum, as far as they say anything."""
    if not times.count:
        return (None,) * 6
    upper = (p99_ms(times), p999_ms(times), times.max_ms)
    return (times.p50_ms, times.p90_ms, times.p95_ms, *upper)


class TimeMeasure(StrEnum):
    """What times of transactions are taken of."""

    RESPONSE = "response"
    ASKED = "asked"
    FAILED = "failed"
    SERVICE = "service"
    LAG = "lag"


MEASURE_NAMES = {
    TimeMeasure.RESPONSE: message("response time"),
    TimeMeasure.ASKED: message("response time, all asked for"),
    TimeMeasure.FAILED: message("response time, failed"),
    TimeMeasure.SERVICE: message("service time"),
    TimeMeasure.LAG: message("schedule lag"),
}


def measures(cell: CellSummary, transaction: str) -> list[tuple[TimeMeasure, Percentiles]]:
    """Return the measures that there are of one transaction in one cell.

    Service time and lag are left out where the former is the response time once more.
    """
    all_measures = (
        (TimeMeasure.RESPONSE, cell.response),
        (TimeMeasure.ASKED, cell.asked_response),
        (TimeMeasure.FAILED, cell.failed_response),
        (TimeMeasure.SERVICE, {} if is_repeated(cell, transaction) else cell.service),
        (TimeMeasure.LAG, {} if is_repeated(cell, transaction) else cell.lag),
    )
    return [(name, by[transaction]) for name, by in all_measures if transaction in by]


def is_repeated(cell: CellSummary, transaction: str) -> bool:
    """Tell whether service times are response times within one percent at all percentiles."""
    response, service = cell.response.get(transaction), cell.service.get(transaction)
    if response is None or service is None:
        return False
    return all(
        math.isclose(own, other, rel_tol=ALIKE)
        for own, other in zip(_all(response), _all(service), strict=True)
    )


def _all(times: Percentiles) -> tuple[float, ...]:
    upper = (times.p99_ms, times.p999_ms, times.max_ms)
    return (times.p50_ms, times.p90_ms, times.p95_ms, *upper)


def notes(findings: Findings) -> list[str]:
    """Return what the table leaves out, a sentence each."""
    found = []
    kinds = [(cell, kind) for cell in findings.cells for kind in cell.response]
    if any(is_repeated(cell, kind) for cell, kind in kinds):
        found.append(
            say(
                "Service time and schedule lag are left out where service time equals response "
                "time within 1 % at all percentiles: no transaction waited before it began."
            )
        )
    shown = [times for cell, kind in kinds for _, times in measures(cell, kind)]
    if any(times.count < FEWEST_FOR_P999 for times in shown):
        found.append(
            say(
                "p99 of fewer than {p99} transactions and p99.9 of fewer than {p999} are not "
                "shown (–): too few took longer to tell.",
                p99=figures.count(FEWEST_FOR_P99),
                p999=figures.count(FEWEST_FOR_P999),
            )
        )
    return found
