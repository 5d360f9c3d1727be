"""What stands above a panel over time: where throughput changed its level, and the worst dips."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from dbdyno.analysis.findings import Findings
from dbdyno.experiment.plan import Cell
from dbdyno.report.drawing import Rows
from dbdyno.report.language import say, sentences
from dbdyno.report.words.steadiness import change_in_words, dip_in_words

_CHANGE, _DIP = "triangle-down", "circle"


def event_rows(findings: Findings) -> Mapping[Cell, Rows]:
    """Return by cell a row for each mark: its second, its shape and what it says."""
    rows: defaultdict[Cell, Rows] = defaultdict(list)
    for cell, change in findings.steadiness.changes:
        title = change_in_words(change, findings.measure)
        rows[cell].append({"s": change.at_s, "shape": _CHANGE, "title": title})
    for cell, dip in findings.steadiness.worst:
        rows[cell].append({"s": dip.start_s, "shape": _DIP, "title": dip_in_words(dip)})
    return rows


def note(findings: Findings) -> str:
    """Return what the marks mean, of those that there are."""
    has_changes, has_dips = findings.steadiness.changes, findings.steadiness.worst
    return sentences(
        [
            say("▼: throughput moved to another level.") if has_changes else "",
            say("●: one of the worst dips begins.") if has_dips else "",
        ]
    )
