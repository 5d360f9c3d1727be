"""Reports as Markdown: a parser reads back what was written, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape
from xml.etree import ElementTree

import pytest

from dbdyno.analysis.findings import Findings, Severity
from dbdyno.report.document.build import build_document
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
    Legend,
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
from dbdyno.report.formats.markdown import write_markdown
from dbdyno.report.formats.standalone import light_palette
from dbdyno.report.grammar import SHAPES, Mark
from dbdyno.report.language import in_language, language
from tests.unit.report.report_examples import EXAMPLES
from tests.unit.report.test_report_html import HOSTILE, hostile_findings

from .markdown_page import OUR_TAGS, SUMMARY, MarkdownPage, read_markdown

NAMES = [
    "a|b",
    "|",
    "\\",
    "\\|",
    "x\\",
    "<script>alert(1)</script>",
    "</details>",
    "<br>",
    "&lt;",
    "a & b",
    "*",
    "**bold**",
    "* item",
    "_under_",
    "snake_case_name",
    "__init__",
    "`",
    "``x`",
    "`code`",
    "[link](http://example)",
    "![image](x.png)",
    "]",
    "$x^2$",
    "~~gone~~",
    "# heading",
    "heading #",
    "> quote",
    "- item",
    "+ item",
    "---",
    "- - -",
    "-",
    "===",
    "1. first",
    "12) twelfth",
    "1.",
    "1.5 times",
    "-5",
    "{{7*7}}",
    "100 %",
    "(x)",
    "\u201cquoted\u201d",
    "隔离级别（默认）",
    "tab\tinside",
    "http://example.com/a_b_",
    ":-- | --:",
]
"""Texts from outside that would mean something in Markdown, each to be read as it is."""


def document_of(*blocks: Block, title: str = "Title", question: str = "") -> Document:
    section = Section("here", title, blocks)
    return Document(
        title=title,
        kicker="",
        question=question,
        facts=[title, "fact"],
        warning=title,
        sections=[section],
        footer=title,
        language=language("en"),
        labels={},
    )


def read(*blocks: Block, **texts: str) -> MarkdownPage:
    return read_markdown(write_markdown(document_of(*blocks, **texts), "figures").text)


def svg(title: str, colour: str = "var(--series-1)") -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"><title>{title}</title>'
        f'<path fill="{colour}" stroke="currentColor"/></svg>'
    )


def rows(name: str) -> list[list[Cell]]:
    return [
        [Cell(name, is_header=True, rows=2), Cell(name, is_code=True), Cell(name, below=name)],
        [Cell(name, tone=Tone.BETTER), Cell(name, below=name, tone=Tone.APART)],
    ]


PLACES: dict[str, Callable[[str], Block]] = {
    "paragraph": Paragraph,
    "lead": lambda name: Paragraph(name, Role.LEAD),
    "strong": lambda name: Paragraph((Strong(name),)),
    "heading": Heading,
    "bullet": lambda name: Bullets([name, ("x ", name)]),
    "callout": lambda name: Callout(Severity.WARNING, name),
    "code": lambda name: Paragraph((Code(name),)),
    "link": lambda name: Paragraph((Link(name, "here"),)),
}


def foreign_tags(page: MarkdownPage) -> list[str]:
    """Return the tags that the writer has none of itself."""
    return [tag for tag in page.html if not OUR_TAGS.fullmatch(tag)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", PLACES)
def test_a_text_from_outside_reads_as_it_is(place: str, name: str) -> None:
    page = read(PLACES[place](name))
    assert name in page.texts
    assert page.kinds == read(PLACES[place]("name")).kinds
    assert foreign_tags(page) == []


@pytest.mark.parametrize("name", NAMES)
def test_title_question_facts_and_footer_read_as_they_are(name: str) -> None:
    page = read(Paragraph("x"), title=name, question=name)
    assert page.texts == [name, name, name, f"{name} · fact", name, "x", name]
    assert page.strong == [name]
    assert page.kinds == read(Paragraph("x"), title="name", question="name").kinds


@pytest.mark.parametrize("name", NAMES)
def test_terms_have_their_meaning_beside_them(name: str) -> None:
    page = read(Terms([(name, name)]), Callout(Severity.NOTE, "x", [(name, (Code(name),))]))
    assert page.texts.count(f"{name}: {name}") == 2
    assert page.strong.count(name) == 2


@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_the_same_columns_in_all_rows(name: str) -> None:
    table = Table(
        label=name,
        caption=name,
        columns=[Column(name), Column(name), Column(name, is_number=True)],
        bodies=[Body(rows(name), heading=name), Body(rows(name))],
    )
    page = read(table)
    both = f"{name}\n{name}"
    assert page.tables == [
        [[name] * 3, [name, "", ""], *2 * [[name, name, both], [name, name, both]]]
    ]
    assert foreign_tags(page) == []


def test_a_table_without_headings_has_two_columns() -> None:
    table = Table("facts", "", [], [Body([[Cell("a", is_header=True), Cell("1")]])])
    (found,) = read(table).tables
    assert found == [["", ""], ["a", "1"]]


def test_the_columns_of_a_matrix_have_the_name_of_their_factor() -> None:
    table = Table(
        label="matrix",
        caption="Throughput.",
        columns=[Column("mode"), Column("1"), Column("8")],
        bodies=[Body([[Cell("wal", is_header=True), Cell("3"), Cell("4")]])],
        kind=TableKind.MATRIX,
        across="clients",
    )
    (found,) = read(table).tables
    assert found == [["mode", "clients=1", "clients=8"], ["wal", "3", "4"]]


@pytest.mark.parametrize("name", NAMES)
def test_details_have_their_summary_and_what_is_in_them(name: str) -> None:
    inside: list[Block] = [Paragraph(name), Table("t", "c", [Column("a")], [Body([[Cell(name)]])])]
    page = read(Details(name, inside), Paragraph("after"))
    summary, *others = [tag for tag in page.html if "details" in tag]
    match = SUMMARY.fullmatch(summary)
    assert match is not None
    assert unescape(match[1]) == name
    assert others == ["</details>"]
    assert page.tables == [[["a"], [name]]]
    assert "after" in page.texts


@pytest.mark.parametrize("text", ["SELECT 1;\n```\n- x", "a: 1\n\n\n  b: <x>", "~~~", "````\n"])
def test_a_file_is_as_it_is(text: str) -> None:
    page = read(Preformatted(text, "a file"))
    assert page.texts[-2].rstrip() == text.rstrip()


def test_words_stand_out_between_letters_and_signs_too() -> None:
    text = ("前", Strong("（混淆）"), "后", Strong("：x"), "y ", Strong("z."), "w")
    page = read(Paragraph(text))
    assert page.texts[-2] == "前（混淆）后：xy z.w"
    assert page.strong[-3:] == ["（混淆）", "：x", "z."]


def test_terms_stand_out_in_chinese() -> None:
    document = document_of(Terms([("试验（有效）", "24")]))
    with in_language(language("zh")):
        page = read_markdown(write_markdown(document, "figures").text)
    assert "试验（有效）：24" in page.texts
    assert "试验（有效）" in page.strong


def test_lines_are_joined() -> None:
    page = read(Paragraph("one\r\n\n# two\n- three"), Heading("a\nb"), Bullets(["c\n\nd"]))
    assert page.texts[4:7] == ["one # two - three", "a b", "c d"]


def test_a_link_to_a_section_that_is_not_there_is_left_out() -> None:
    page = read(Paragraph(("x ", Link("away", "elsewhere"))))
    assert page.links == []
    assert page.texts[-2] == "x"


def test_a_drawing_is_a_file_with_the_words_of_its_title() -> None:
    drawings = [Drawing(heading, svg("Effect of a &amp; [b]")) for heading in ("p*", "")]
    legend = Legend("mode", [(f"*{shape}", Mark("var(--series-1)", shape)) for shape in SHAPES])
    figure = Figure("Caption.", drawings, Layout.WIDE, legend)
    written = write_markdown(document_of(figure), "figures")
    page = read_markdown(written.text)
    assert page.images == ["figures/01.svg", "figures/02.svg"]
    assert sorted(written.drawings) == ["01.svg", "02.svg"]
    assert page.texts.count("Effect of a & [b]") == 2
    assert page.strong[-1] == "p*"
    assert any("● *circle, ■ *square" in text for text in page.texts)


def test_a_drawing_by_itself_has_the_colours_of_light_paper() -> None:
    written = write_markdown(
        document_of(Figure("x", [Drawing("", svg("t"))], Layout.WIDE)), "figures"
    )
    path = ElementTree.fromstring(written.drawings["01.svg"])[1]
    assert path.get("fill") == light_palette()["--series-1"] == "#0b62a8"
    assert path.get("stroke") == light_palette()["--ink"] == "#1c2126"


@pytest.mark.parametrize("make", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("name", ["en", "zh"])
def test_a_whole_report_can_be_read(make: Callable[[], Findings], name: str) -> None:
    at = datetime(2026, 7, 1, tzinfo=UTC)
    document = build_document(make(), at, language(name))
    with in_language(document.language):
        written = write_markdown(document, "report.figures")
    page = read_markdown(written.text)
    assert page.texts[0] == document.title
    for table in page.tables:
        assert {len(row) for row in table} == {len(table[0])}
    assert page.anchors == {section.id for section in document.sections}
    assert {link.removeprefix("#") for link in page.links} <= page.anchors
    assert page.images == [f"report.figures/{drawing}" for drawing in written.drawings]
    for drawing in written.drawings.values():
        assert ElementTree.fromstring(drawing).tag.endswith("svg")
        assert not re.search(r"var\(|currentColor", drawing)
    assert all(SUMMARY.fullmatch(tag) for tag in foreign_tags(page))


def test_names_in_a_whole_report_mark_nothing_up() -> None:
    document = build_document(hostile_findings(), datetime(2026, 7, 1, tzinfo=UTC), language("en"))
    page = read_markdown(write_markdown(document, "report.figures").text)
    assert page.texts[0] == HOSTILE
    assert all(SUMMARY.fullmatch(tag) for tag in foreign_tags(page))
    # Each of its signs would be lost where it was taken for markup.
    assert sum(text.count(HOSTILE) for text in page.texts) > 20
