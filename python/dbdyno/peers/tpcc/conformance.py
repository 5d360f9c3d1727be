"""A run that has just ended, held against the specification by the rules of the analysis."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.tpcc.figures import TrialFigures, requirements_of
from dbdyno.analysis.tpcc.model import Group, Requirement, Standing
from dbdyno.peers.tpcc.run import Outcome
from dbdyno.report.words.tpcc import allowed, observed, title

SILENT_GROUPS = {Group.RESPONSE, Group.MIX}
"""Response times and shares stand in the table of the kinds; only what is wrong is said again."""


def requirements(outcome: Outcome) -> list[Requirement]:
    """Return all that can be required of the run, judged."""
    totals, whole = outcome.totals, outcome.whole
    figures = TrialFigures(
        window_s=totals.elapsed_s,
        window={kind: each.finished for kind, each in totals.kinds.items()},
        whole={kind: each.finished for kind, each in whole.kinds.items()},
        facts=outcome.facts,
        response={kind: each.times.done for kind, each in totals.kinds.items()},
    )
    return requirements_of([figures], outcome.request.workload)


def shown(found: Sequence[Requirement]) -> list[tuple[str, str, str, str]]:
    """Return name, figure, range and verdict of those that are worth a line."""
    return [
        (title(each), observed(each), allowed(each), each.reason or each.standing.value)
        for each in found
        if not (each.group in SILENT_GROUPS and _is_no_news(each))
    ]


def _is_no_news(requirement: Requirement) -> bool:
    if requirement.group is Group.MIX:
        return requirement.low is None
    return requirement.standing is not Standing.OUTSIDE
