"""Rates of New-Orders that are called tpmC without the keying and think times of TPC-C."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dbdyno.analysis.audit.cells import clients_of, label, number_of
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Figure

MOST_PER_WAREHOUSE = 12.86
"""TPC-C with its keying and think times has no more New-Orders a warehouse and minute."""
MOST_PER_TERMINAL = MOST_PER_WAREHOUSE / 10
"""A warehouse has ten terminals."""
GENERATORS = 10
"""A table may tell the terminals of one generator of several."""
_WAREHOUSES = re.compile(r"warehouses?|仓库数?|wh", re.I)


def check_pacing(joined: Joined) -> Iterator[AuditFinding]:
    """Yield tpmC that no paced run can reach, with the largest one."""
    figures = [each for each in joined.data.figures if each.metric.name == "tpmc"]
    by_warehouse = [(each, n) for each in figures if (n := warehouses_of(joined, each))]
    above = [(f, f.value / n) for f, n in by_warehouse if f.value > MOST_PER_WAREHOUSE * n]
    if above:
        yield _finding(joined, above, len(figures), "warehouse")
        return
    if by_warehouse:
        return
    by_terminal = [(each, n) for each in figures if (n := clients_of(joined.data, each.levels))]
    limit = MOST_PER_TERMINAL * GENERATORS
    above = [(each, each.value / n) for each, n in by_terminal if each.value > limit * n]
    if above:
        yield _finding(joined, above, len(figures), "terminal")


def warehouses_of(joined: Joined, figure: Figure) -> float | None:
    """Return the warehouses of a figure by its column or by what is described; None if not told."""
    for name, level in figure.levels:
        if _WAREHOUSES.fullmatch(name):
            return number_of(level)
    return joined.data.description.facts.warehouses


def _finding(
    joined: Joined, above: list[tuple[Figure, float]], count: int, per: str
) -> AuditFinding:
    figure, rate = max(above, key=lambda each: each[1])
    name = " ".join(filter(None, (figure.subject, label(figure.levels))))
    most = MOST_PER_WAREHOUSE if per == "warehouse" else MOST_PER_TERMINAL
    line = Line("rate", cell=name, figure=figure.value, rate=rate, most=most, per=per)
    return AuditFinding(
        Code.UNPACED, joined.data.name, (line,), (("above", len(above)), ("figures", count))
    )
