"""Checks of TPC-C's cells: requirements of the specification that are not met, chance aside."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import CellSummary, Finding
from dbdyno.analysis.tpcc.model import Group, Requirement, Standing
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.warn import warn

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
    of_cells: list[list[Evidence]] = []
    trials: list[int] = []
    for summary in summaries:
        if summary.conformance is None:
            continue
        outside = summary.conformance.of_standing(Standing.OUTSIDE)
        place = summary.cell.label() if summary.cell.levels else ""
        found = [_evidence(each, place) for each in outside if each.group is group]
        if found:
            of_cells.append(found)
            trials += summary.conformance.trials
    if not of_cells:
        return None
    evidence = [each for found in of_cells[:CELLS_QUOTED] for each in found]
    if len(of_cells) > CELLS_QUOTED:
        more = len(of_cells) - CELLS_QUOTED
        evidence.append(Evidence(EvidenceKind.MORE_CELLS, count=more))
    return warn(CODES[group], *evidence, trials=sorted(trials))


def _evidence(requirement: Requirement, place: str) -> Evidence:
    return Evidence(
        EvidenceKind.REQUIREMENT,
        place=place,
        group=requirement.group,
        name=requirement.name,
        unit=requirement.unit,
        low=requirement.low,
        high=requirement.high,
        observed=requirement.observed,
    )
