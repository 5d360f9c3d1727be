"""The costs of a transaction in words: headings with their units, figures, ratios."""

from __future__ import annotations

from dbdyno.analysis.cost.model import Cost, CostName
from dbdyno.analysis.findings import Estimate, Findings
from dbdyno.analysis.units import bytes_in_words
from dbdyno.report import figures
from dbdyno.report.language import message, say

_MILLISECONDS = 1000.0

_COLUMNS = {
    CostName.SERVER_CPU: (message("server CPU (ms)"), _MILLISECONDS),
    CostName.CLIENT_CPU: (message("client CPU (ms)"), _MILLISECONDS),
    CostName.READ: (message("server reads (bytes)"), 1.0),
    CostName.WRITTEN: (message("disk writes (bytes), whole host"), 1.0),
    CostName.DISK_FLUSHES: (message("disk flushes, whole host"), 1.0),
    CostName.LOG: (message("redo or WAL (bytes)"), 1.0),
    CostName.LOG_FSYNCS: (message("log fsyncs"), 1.0),
    CostName.NETWORK: (message("network (bytes)"), 1.0),
    CostName.MEMORY: (message("memory resident, in all"), 1.0),
}
"""What stands over a column, and by what a figure is multiplied for its unit."""

MEANING = message(
    "What a transaction took that was committed or rolled back, of all kinds together: the "
    "window's amount by the window's transactions of each trial, and the geometric mean over the "
    "rounds. Memory is no cost of a transaction but what the server had on average. Server means "
    "the processes of all servers that were watched, also of those that had nothing to do, client "
    "the workers of all generators. A dash stands for a figure that was not watched, or not in the "
    "whole window; below a figure, for a ratio that has a zero in it."
)
EMBEDDED = message(
    "SQLite runs in the generator's own process, so that client CPU is that of both together."
)


def cost_columns(findings: Findings) -> list[tuple[CostName, str]]:
    """Return each cost that is known of any cell, with its heading."""
    known = {name for cell in findings.costs for name in cell.costs}
    return [(name, say(heading)) for name, (heading, _) in _COLUMNS.items() if name in known]


def cost_value(cost: Cost, name: CostName) -> float:
    """Return a cost in the unit of its heading."""
    return cost.mean.mean * _COLUMNS[name][1]


def cost_in_words(cost: Cost, name: CostName) -> str:
    """Write a cost in the unit of its heading; memory in a unit that is easy to read."""
    value = cost_value(cost, name)
    return bytes_in_words(value) if name is CostName.MEMORY else figures.rate(value)


def ratio_in_words(ratio: Estimate | None) -> str:
    """Write a ratio to the baseline with its interval: ``1.25 [1.20, 1.31]``."""
    if ratio is None:
        return figures.ABSENT
    known = [each for each in (ratio.mean, ratio.low, ratio.high) if each is not None]
    decimals = _decimals(known)
    mean, *ends = (f"{each:,.{decimals}f}" for each in known)
    return f"{mean} [{', '.join(ends)}]" if ends else mean


def _decimals(ratios: list[float]) -> int:
    """Return how many decimals show ratios, so that none that is not 1, or not 0, looks so."""
    enough = (
        decimals
        for decimals in (2, 3, 4)
        if all(each == 1 or round(each, decimals) not in (0, 1) for each in ratios)
    )
    return next(enough, 4)
