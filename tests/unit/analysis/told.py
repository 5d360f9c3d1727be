"""What a reader is told of findings: the tests of checks look at words, as readers do."""

from __future__ import annotations

from dbdyno.analysis.findings import Finding, TrialReason
from dbdyno.report.words.checks.words import check_advice, check_consequence, check_message
from dbdyno.report.words.evidence.words import finding_evidence, reason_in_words


def evidence_of(finding: Finding) -> str:
    """Return the evidence in words, with plain spaces before units."""
    return _plain(finding_evidence(finding))


def words_of(finding: Finding) -> list[str]:
    """Return all that is said of a finding, in the order in which a reader finds it."""
    return [
        check_message(finding.code),
        finding_evidence(finding),
        check_consequence(finding.code),
        check_advice(finding.code),
    ]


def reason_of(reason: TrialReason) -> str:
    """Return what stands against a trial in words."""
    return _plain(reason_in_words(reason))


def _plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")
