"""Section: what was tested on what, and by which method the figures came about."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.targets import TargetFacts
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report.by_case import by_case
from dbdyno.report.document import cells
from dbdyno.report.document.model import (
    Block,
    Body,
    Cell,
    Column,
    Paragraph,
    Section,
    Table,
    TableKind,
)
from dbdyno.report.language import clauses, listed, message, say
from dbdyno.report.sections.tested_deployment import deployment_table
from dbdyno.report.sections.tested_hosts import host_blocks
from dbdyno.report.sections.tested_sending import sending_table
from dbdyno.report.sections.tested_settings import settings_blocks
from dbdyno.report.words.method import method_paragraphs
from dbdyno.report.words.targets import target_rows, target_title

COMPARED_HOST = message(
    "The host below is that of {baseline}, as it was before its first trial. The other result has "
    "a report of its own; the answer names in what the hosts differ."
)


def section(findings: Findings) -> Section:
    """Return the section; the method at least is known of every result."""
    title = say("What was tested on what")
    return Section("tested", title, list(_blocks(findings)), name=say("What was tested"))


def _blocks(findings: Findings) -> Iterator[Block]:
    yield from map(Paragraph, method_paragraphs(findings))
    if findings.factors:
        yield _factors(findings)
    if table := sending_table(by_case(findings)):
        yield table
    yield from deployment_table(findings)
    yield from map(_target, findings.targets)
    yield from settings_blocks(findings.settings)
    if findings.is_of_two_results and findings.imported is None:
        yield Paragraph(say(COMPARED_HOST, baseline=_baseline(findings)))
    yield from host_blocks(findings.host, findings.other_hosts)


def _baseline(findings: Findings) -> str:
    return next(each.baseline_level for each in findings.factors if not each.is_paired)


def _factors(findings: Findings) -> Table:
    headings = [say("factor"), say("levels"), say("baseline"), say("sets")]
    rows = [row for factor in findings.factors for row in _rows(factor)]
    return Table(
        label=say("Factors"),
        caption=say("What was varied"),
        columns=list(map(Column, headings)),
        bodies=[Body(rows)],
        id="factors",
    )


def _rows(factor: FactorLevels) -> Iterator[list[Cell]]:
    """Yield the factor's row, and one for each setting that follows it, with its values."""
    yield [
        cells.header(factor.name),
        Cell(listed(factor.levels)),
        Cell(_baselines(factor)),
        Cell(factor.sets, is_code=True),
    ]
    for each in factor.follows:
        follows = say("{setting} follows {factor}", setting=each.setting, factor=factor.name)
        yield [
            cells.header(follows),
            Cell(listed(each.values)),
            Cell(each.values[factor.baseline]),
            Cell(each.target),
        ]


def _baselines(factor: FactorLevels) -> str:
    """Return the baseline, and what levels are compared with that have others."""
    others = (
        say("{baseline} for {level}", baseline=listed(factor.baselines_of(level)), level=level)
        for level in dict(factor.against)
    )
    return clauses([factor.baseline_level, *others])


def _target(facts: TargetFacts) -> Table:
    rows = [[cells.header(label), Cell(value)] for label, value in target_rows(facts)]
    return Table(say("Target"), target_title(facts), [], [Body(rows)], kind=TableKind.FACTS)
