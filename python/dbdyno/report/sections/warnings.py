"""Section: what validity checks found, the gravest first, and the trials that are not used."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.analysis.findings import Finding, Findings
from dbdyno.report import figures
from dbdyno.report.document import cells
from dbdyno.report.document.model import (
    Block,
    Body,
    Callout,
    Cell,
    Code,
    Column,
    Heading,
    Paragraph,
    Role,
    Section,
    Strong,
    Table,
    Text,
)
from dbdyno.report.language import message, say, sentences
from dbdyno.report.verdicts import touched_in_words
from dbdyno.report.words.checks.words import check_advice, check_consequence, check_message
from dbdyno.report.words.evidence.words import finding_evidence, reason_in_words
from dbdyno.report.words.import_notes import UNCHECKED
from dbdyno.report.words.trial_numbers import numbers_line
from dbdyno.report.words.warnings import SEVERITIES


def section(findings: Findings) -> Section:
    """Return the section; it says so where every check passed."""
    blocks = list(_by_severity(findings))
    if not blocks:
        passed = message("Every validity check passed.")
        blocks.append(Paragraph(say(UNCHECKED if findings.imported else passed)))
    elif line := numbers_line(findings):
        blocks.insert(0, Paragraph(line))
    if any(each.excluded for each in findings.cells):
        blocks.append(_excluded(findings))
    title = say("Warnings")
    return Section("warnings", title, blocks, name=title)


def _by_severity(findings: Findings) -> Iterator[Block]:
    """Yield the warnings of each severity below its heading; nothing where there are none."""
    for severity, words in SEVERITIES.items():
        members = [each for each in findings.warnings if each.severity is severity]
        if not members:
            continue
        yield Heading(say(words.heading))
        yield Paragraph(say(words.meaning), Role.MUTED)
        for each in members:
            yield _callout(each, len(findings.comparisons))


def _callout(warning: Finding, comparisons: int) -> Callout:
    """Return one warning; ``comparisons`` is how many the report has."""
    touched = touched_in_words(warning, comparisons)
    evidence = finding_evidence(warning)
    terms: list[tuple[str, Text]] = [
        *([(say("Evidence"), evidence)] if evidence else []),
        (say("Consequence"), sentences([check_consequence(warning.code), touched])),
        (say("Advice"), check_advice(warning.code)),
    ]
    if warning.trials:
        terms.append((say("Trials"), figures.ranges(warning.trials)))
    terms.append((say("Check"), (Code(warning.code),)))
    return Callout(warning.severity, (Strong(check_message(warning.code)),), terms)


def _excluded(findings: Findings) -> Table:
    """Return the trials that are not used, each with the reason."""
    rows = [
        [
            cells.count(trial),
            *cells.level_headers(each.cell, findings.factors),
            Cell(reason_in_words(reason)),
        ]
        for each in findings.cells
        for trial, reason in each.excluded
    ]
    levels = cells.level_columns(findings.factors)
    return Table(
        label=say("Trials not used"),
        caption=say("Trials that are not used"),
        columns=[cells.number(say("trial")), *levels, Column(say("why"))],
        bodies=[Body(rows)],
        id="excluded",
    )
