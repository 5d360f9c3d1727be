"""Section: figures that others have published, of other machines, for orientation only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dbdyno.analysis.audit.cells import label
from dbdyno.analysis.audit.model import AuditFinding
from dbdyno.analysis.findings import Findings, Severity
from dbdyno.analysis.published.model import (
    MatchedLevel,
    PublishedSource,
    PublishedTable,
    Ratio,
    RatioPair,
)
from dbdyno.analysis.published.stated import Stated
from dbdyno.report.document import cells
from dbdyno.report.document.marks import joined
from dbdyno.report.document.model import (
    Block,
    Body,
    Bullets,
    Callout,
    Cell,
    Column,
    Details,
    Figure,
    Heading,
    Paragraph,
    Role,
    Section,
    Strong,
    Table,
)
from dbdyno.report.language import say, translated
from dbdyno.report.sections import throughput, told
from dbdyno.report.words.audit import evidence_lines, what_is_right
from dbdyno.report.words.metrics import metric_name
from dbdyno.report.words.published import (
    NO_RATIOS,
    WHAT_STATED_IS,
    below_ratio,
    fault_in_words,
    given_in_words,
    ratio_in_words,
    standing_of_figures,
    stated_in_words,
    stated_of_what,
    what_ratios_are,
)


def section(findings: Findings) -> Section | None:
    """Return the section; None where the experiment names no published tables."""
    if not findings.published:
        return None
    standing = standing_of_figures(is_stand_in=findings.is_stand_in)
    blocks: list[Block] = [Callout(Severity.WARNING, standing)]
    for source in findings.published:
        blocks += _source(source)
    title = say("Published figures, of another machine")
    return Section("published", title, blocks, name=say("Published"))


def _source(source: PublishedSource) -> Iterator[Block]:
    yield Heading(translated(source.source))
    if source.faults:
        yield Paragraph(say("An audit of these tables finds, for readers to beware of:"))
        yield from (_fault(each) for each in source.faults)
    else:
        yield Paragraph(say("An audit of these tables finds nothing."), Role.MUTED)
    for table in source.tables:
        yield Heading(say("Table {name}", name=table.name))
        yield from _ratios(table)
        if table.stated:
            yield Details(
                say("What {name} states of its figures, and what they give", name=table.name),
                [Paragraph(say(WHAT_STATED_IS), Role.MUTED), _stated(table)],
            )
        figures = [_marked(block) for block in _figures(table.findings)]
        yield Details(say("Figures of {name}", name=table.name), figures)


def _fault(fault: AuditFinding) -> Details:
    """Return what is wrong, with each place where it is, and what would be right."""
    right = say("Right: {right}", right=what_is_right(fault))
    return Details(
        fault_in_words(fault), [Bullets(evidence_lines(fault)), Paragraph(right, Role.MUTED)]
    )


def _ratios(table: PublishedTable) -> Iterator[Block]:
    """Yield a table of ratios for each factor that is matched, or why there is none."""
    if table.why_not is not None:
        yield Paragraph(say(NO_RATIOS[table.why_not]), Role.MUTED)
        return
    yield Paragraph(what_ratios_are(table), Role.MUTED)
    for factor in dict.fromkeys(pair.factor for pair in table.ratios):
        yield _ratios_of(factor, [pair for pair in table.ratios if pair.factor == factor], table)


def _ratios_of(factor: str, pairs: list[RatioPair], table: PublishedTable) -> Table:
    others = list(dict.fromkeys(name for pair in pairs for name, _ in pair.at))
    return Table(
        label=say("Published ratios of {factor}", factor=factor),
        caption=say(
            "{factor} against its baseline: the ratio in {table}, and the ratio here",
            factor=factor,
            table=table.name,
        ),
        columns=[
            Column(factor),
            *map(Column, others),
            Column(say("metric")),
            cells.number(say("published ratio")),
            cells.number(say("ratio here")),
        ],
        bodies=[Body([_row(pair, others) for pair in pairs])],
    )


def _row(pair: RatioPair, others: list[str]) -> list[Cell]:
    at = dict(pair.at)
    return [
        _levels(pair.level, pair.baseline),
        *(_levels(at[name]) if name in at else cells.NONE for name in others),
        Cell(metric_name(pair.metric)),
        _ratio(pair.published),
        _ratio(pair.own),
    ]


def _levels(*levels: MatchedLevel) -> Cell:
    """Return what a row is about, and below it what the table calls it where that differs."""
    own, told = (" / ".join(each) for each in zip(*((x.own, x.told) for x in levels), strict=True))
    return replace(cells.header(own), below="" if own == told else told)


def _ratio(ratio: Ratio | None) -> Cell:
    if ratio is None:
        return cells.NONE
    return Cell(ratio_in_words(ratio.mean), value=ratio.mean, below=below_ratio(ratio))


def _stated(table: PublishedTable) -> Table:
    """Return the means and differences that a source states, beside those of all its rounds."""
    return Table(
        label=say("What {name} states", name=table.name),
        caption=say("Stated in {name}, and from all of its rounds", name=table.name),
        columns=[
            Column(say("of")),
            Column(say("at")),
            cells.number(say("stated")),
            cells.number(say("from all rounds")),
            Column(say("agrees")),
        ],
        bodies=[Body([_stated_row(each) for each in table.stated])],
    )


def _stated_row(stated: Stated) -> list[Cell]:
    of = stated_of_what(stated)
    given = given_in_words(stated)
    return [
        cells.header(of),
        Cell(label(stated.levels)),
        Cell(stated_in_words(stated)),
        cells.NONE if given is None else Cell(given, value=stated.given),
        cells.NONE if given is None else Cell(say("yes") if stated.follows else say("no")),
    ]


def _figures(findings: Findings) -> Iterator[Block]:
    """Yield tables and drawings as a report of the table alone has them, without verdicts."""
    findings = replace(findings, compared=(), scaling=())
    measured = throughput.section(findings)
    yield from measured.blocks if measured else ()
    if findings.imported is not None and findings.imported.figures:
        yield from told.drawn(findings)
        yield told.other_figures(findings, findings.imported)


def _marked(block: Block) -> Block:
    """Return a block that says in its caption whose figures it has; ids are the report's own."""
    if not isinstance(block, Figure | Table):
        return block
    mark = Strong(say("Published, of another machine."))
    marked = replace(block, caption=joined((mark,), block.caption))
    return replace(marked, id="") if isinstance(marked, Table) else marked
