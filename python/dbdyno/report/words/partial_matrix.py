"""What is said of a matrix that is not full: which cells there are, and what they cannot tell."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.validity.codes import Code
from dbdyno.report import figures
from dbdyno.report.language import say
from dbdyno.report.words.evidence.words import evidence_in_words


def no_verdict_sentences(findings: Findings) -> list[str]:
    """Return a sentence for each factor that no verdict can be about, without a full stop."""
    return [
        say(
            "No verdict about {factor}: {why}",
            factor=evidence["factor"],
            why=evidence_in_words([evidence]),
        )
        for warning in findings.warnings
        if warning.code is Code.FACTORS_CONFOUNDED
        for evidence in warning.evidence
    ]


def cells_line(findings: Findings) -> str:
    """Return how many combinations of levels have a cell; "" where all have one."""
    without = findings.combinations_without_cell
    if not without:
        return ""
    count = len(findings.cells)
    return say(
        "Of {total} combinations of levels, {count} have a cell. A level is compared over those "
        "that both it and its baseline have.",
        total=figures.count(count + without),
        count=figures.count(count),
    )
