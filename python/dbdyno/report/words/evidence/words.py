"""Evidence in words: of a check, of a finding, and of what stands against a trial."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding, TrialLine, TrialReason
from dbdyno.report.language import clauses, listed, say
from dbdyno.report.words.checks.words import check_message
from dbdyno.report.words.evidence import experiments, machines, servers, trials
from dbdyno.report.words.evidence.writers import Words, tell

WORDS: dict[EvidenceKind, Words] = {
    **trials.WORDS,
    **machines.WORDS,
    **servers.WORDS,
    **experiments.WORDS,
}
SHOWN_TRIALS = 3
"""So many trials are quoted in one finding; the rest are named by number."""


def evidence_in_words(found: Iterable[Evidence]) -> str:
    """Return what a check found, in one line; what holds of one cell has its levels before it."""
    parts = []
    for place, members in groupby(found, key=lambda each: each.place):
        texts = [tell(each, WORDS[each.kind]) for each in members]
        if place:
            parts.append(say("{cell}: {evidence}", cell=place, evidence=listed(texts)))
        else:
            parts.append(clauses(texts))
    return clauses(parts)


def finding_evidence(finding: Finding) -> str:
    """Return the evidence of a finding; trials of which it is not the same are quoted singly."""
    told = [(number, evidence_in_words(found)) for number, found in finding.by_trial]
    texts = list(dict.fromkeys(text for _, text in told))
    if len(texts) <= 1:
        return clauses([evidence_in_words(finding.evidence), *texts])
    quoted = [
        say("trial {number}: {evidence}", number=number, evidence=text)
        for number, text in told[:SHOWN_TRIALS]
    ]
    if len(told) > SHOWN_TRIALS:
        quoted.append(say("and {count} more", count=len(told) - SHOWN_TRIALS))
    return clauses(quoted)


def reason_in_words(reason: TrialReason) -> str:
    """Return in one line what stands against a trial."""
    evidence = evidence_in_words(reason.evidence)
    if reason.code is None:
        return evidence
    message = check_message(reason.code)
    return (
        say("{message} ({evidence})", message=message, evidence=evidence) if evidence else message
    )


def reasons_in_words(line: TrialLine) -> str:
    """Return all that stands against a trial; "" where nothing does."""
    return clauses(map(reason_in_words, line.reasons))
