"""Checks of TPC-C's cells: requirements of the specification that are not met, chance aside."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.findings import CellSummary, Finding
from dbdyno.analysis.tpcc.model import Group, Standing
from dbdyno.analysis.tpcc.words import in_words
from dbdyno.analysis.validity.catalogue import warn
from dbdyno.analysis.validity.codes import Code

CODES = {
    Group.INPUT: Code.TPCC_INPUT,
    Group.MIX: Code.TPCC_MIX,
    Group.RESPONSE: Code.TPCC_RESPONSE,
    Group.DELIVERY: Code.TPCC_DELIVERIES,
    Group.THROUGHPUT: Code.TPCC_PER_WAREHOUSE,
}
CELLS_QUOTED = 3


def conformance_warnings(summaries: Sequence[CellSummary]) -> list[Finding]:
    """Return a warning for each group of requirements of which one is not met in some cell."""
    return [warning for group in Group if (warning := _not_met(group, summaries)) is not None]


def _not_met(group: Group, summaries: Sequence[CellSummary]) -> Finding | None:
    evidence: list[str] = []
    trials: list[int] = []
    for summary in summaries:
        if summary.conformance is None:
            continue
        outside = summary.conformance.of_standing(Standing.OUTSIDE)
        quoted = [in_words(each) for each in outside if each.group is group]
        if quoted:
            place = f"{summary.cell.label()}: " if summary.cell.levels else ""
            evidence.append(place + ", ".join(quoted))
            trials += summary.conformance.trials
    if not evidence:
        return None
    more = len(evidence) - CELLS_QUOTED
    shown = evidence[:CELLS_QUOTED] + ([f"and {more} more cells"] if more > 0 else [])
    return warn(CODES[group], "; ".join(shown), sorted(trials))
