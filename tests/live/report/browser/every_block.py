"""A document with every block that a report can have, so that tests need not know the sections."""

from __future__ import annotations

from dbdyno.analysis.findings import Severity
from dbdyno.report import charts, panels
from dbdyno.report.document.legend import legend_of
from dbdyno.report.document.model import (
    Block,
    Body,
    Bullets,
    Callout,
    Cell,
    Code,
    Column,
    Details,
    Document,
    Figure,
    Heading,
    Layout,
    Link,
    Paragraph,
    Preformatted,
    Role,
    Section,
    Strong,
    Table,
    TableKind,
    Terms,
    Tone,
)
from dbdyno.report.drawing import Drawing
from dbdyno.report.language import Language, in_language
from dbdyno.report.percentile_curves import percentile_curves
from tests.unit.report.report_examples import scaling_laws, two_factors

FOLDED = "What a reader opens"
INSIDE = "Only who opens it reads this"
TRIALS = 60
CELLS = 16


def every_block(language: Language) -> Document:
    """Return the document. Its words are in English in every language, its figures are not."""
    with in_language(language):
        return Document(
            title="every-block",
            kicker="dbdyno report",
            question="Is every block of a report shown on every kind of paper and screen?",
            facts=["written 2026-11-25 02:44 UTC", "dbdyno 0.1.0"],
            warning="This was a smoke run.",
            sections=[_texts(), _drawn(), _tables(), _trials()],
            footer="Written from the trials that are stored beside this file.",
            language=language,
            labels={
                "sections": "Sections",
                "copy": "Copy as TSV",
                "copied": "Copied",
                "save": "Save as SVG",
                "search": "Search trials",
                "theme": "Light or dark",
                "reading": "Point at a chart to read values; drag to see a part of the time.",
                "whole": "Show the whole time",
                "moment": "{seconds} s",
                "round": "round {number}",
                "lowest": "lowest",
                "highest": "highest",
                "median": "median",
            },
        )


def _texts() -> Section:
    blocks: list[Block] = [
        Paragraph(("The answer is ", Strong("in this line"), "."), Role.LEAD),
        Paragraph(("Explained by ", Code("innodb_flush_log_at_trx_commit"), "."), Role.MUTED),
        *(Callout(each, (Strong(each.value), " with words after it")) for each in Severity),
        Callout(Severity.WARNING, (Strong("Details"),), [("Evidence", "8 of 20"), ("Check", "x")]),
        Bullets(["first", ("second, with a ", Link("link to the tables", "tables"))]),
        Terms(
            [("Trials", "24 of 24 valid"), ("Reproduce", (Code("dbdyno run " + "x" * 90),))], True
        ),
        Heading("A heading inside"),
        Terms([("Term", "What it means")]),
        Preformatted("experiment: every-block\n" + "question: " + "long " * 60, "The file"),
    ]
    return Section("answer", "Answer", blocks)


def _drawn() -> Section:
    findings, laws = two_factors(), scaling_laws()
    series = panels.over_time(findings)[:4]
    blocks: list[Block] = [
        _figure(charts.throughput(laws), Layout.WIDE),
        _figure(series, Layout.SMALL_MULTIPLES),
        _figure(percentile_curves(findings)[:2], Layout.SMALL_MULTIPLES),
        Details(FOLDED, [Paragraph(INSIDE), _figure(series[:1], Layout.SMALL_MULTIPLES)]),
    ]
    return Section("drawn", "Drawings", blocks)


def _figure(drawings: list[Drawing], layout: Layout) -> Figure:
    legend = legend_of(two_factors())
    return Figure((Strong("Throughput."), " Every point."), drawings, layout, legend)


def _tables() -> Section:
    levels = [f"journal_mode=delete, clients={2**n}" for n in range(CELLS)]
    wide = Table(
        "Resources",
        "A column for each cell",
        [Column("resource"), *(Column(level, is_number=True) for level in levels)],
        [
            Body(
                [[_name("disk nvme0n1, written"), *map(_figure_of, range(CELLS))]] * 3,
                "local, where dbdyno runs",
            )
        ],
        id="resources",
    )
    matrix = Table(
        "Matrix",
        "One factor down, another across",
        [Column("journal_mode"), *(Column(f"{2**n}", is_number=True) for n in range(4))],
        [Body([[_name(mode), *map(_figure_of, range(4))] for mode in ("delete", "wal")])],
        kind=TableKind.MATRIX,
        across="clients",
    )
    facts = Table("Host", "The host", [], [Body([[_name("cpu"), Cell("AMD EPYC 7B13 " * 4)]])],
                  kind=TableKind.FACTS)  # fmt: skip
    return Section("tables", "Tables", [wide, matrix, facts, _spanning(), _requirements()])


def _spanning() -> Table:
    rows = [
        row
        for mode in ("delete", "wal")
        for row in (
            [Cell(mode, is_header=True, rows=2), _name("1"), _figure_of(1)],
            [_name("2"), _figure_of(2)],
        )
    ]
    columns = [Column("journal_mode"), Column("clients"), Column("rate", is_number=True)]
    return Table("Rates", "Rows that share a header", columns, [Body(rows)], id="rates")


def _requirements() -> Table:
    tones = [Cell(tone.value or "none", below=f"as {tone.value}", tone=tone) for tone in Tone]
    plain = [Cell(tone.value or "none", tone=tone) for tone in Tone]
    columns = [Column("tone"), *(Column(tone.value or "none") for tone in Tone)]
    return Table(
        "Tones",
        "What a cell can say",
        columns,
        [Body([[_name("below"), *tones], [_name("itself"), *plain]])],
        kind=TableKind.REQUIREMENTS,
    )


def _trials() -> Section:
    columns = [*(Column(name, is_number=True) for name in ("trial", "round")), Column("mode"),
               Column("transactions/s", is_number=True), Column("why")]  # fmt: skip
    rows = [
        [
            _name(str(number)),
            Cell(str(number // 8 + 1)),
            Cell(("delete", "wal")[number % 2]),
            Cell(f"{212 + number}", value=212.015625 + number),
            Cell("error share 31 %" if number == 7 else ""),
        ]
        for number in range(1, TRIALS + 1)
    ]
    table = Table("Trials", "How each trial stands", columns, [Body(rows)], id="trials-table")
    return Section("trials", "Trials", [table])


def _name(text: str) -> Cell:
    return Cell(text, is_header=True)


def _figure_of(number: int) -> Cell:
    return Cell(f"{1.62 * (number + 1):.2f}", value=1.62 * (number + 1), below="p95 1.92")
