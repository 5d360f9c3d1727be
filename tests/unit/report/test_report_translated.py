"""All that a reader sees of a section is said in the language of the report.

A language made for these tests writes each message in brackets. What stands outside of them is text
that no catalogue has: it must be a figure, or a name that the experiment or the server gave.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message

from dbdyno.analysis.findings import Findings
from dbdyno.report.document.model import (
    Block,
    Bullets,
    Callout,
    Code,
    Details,
    Figure,
    Heading,
    Paragraph,
    Preformatted,
    Section,
    Table,
    Terms,
    Text,
)
from dbdyno.report.language import Language, in_language
from dbdyno.report.words.errors import sample_in_words
from tests.unit.report.written import sections_by_id

from .error_examples import with_errors, without_errors
from .report_examples import (
    EXAMPLES,
    nothing_valid,
    one_cell,
    overloaded,
    scaling_laws,
    two_factors,
    watched,
)
from .report_page import axis_labels, axis_titles
from .words.test_limits import with_limits

MADE = {
    make.__name__: make
    for make in (
        *(*EXAMPLES.values(), overloaded, scaling_laws, watched, with_limits),
        *(with_errors, without_errors),
    )
}
SECTIONS = (
    *("setup", "throughput", "over_time", "response_time", "scaling", "cost", "steadiness"),
    *("errors", "limits"),
)
NAMES = re.compile(
    r"oltp_read_write|sysbench|TPC-C|New-Order|Payment|Order-Status|Delivery|Stock-Level|p\d\d"
    r"|[KMG]iB|performance_schema=ON|wait: spin|watch: \{.*?\}|zipfian|deadlock|>.2.h"
)
"""Names of products, transactions, percentiles and settings: the same in all languages."""


class Brackets(Catalog):
    """A catalogue with a translation of everything."""

    def get(self, id: Any, context: str | None = None) -> Message:
        text = id if isinstance(id, str) else id[1]
        # What is put into a message stands outside of its brackets.
        return Message(id, "⟦{}⟧".format(re.sub(r"(\{\w+\})", r"⟧\1⟦", text)))


BRACKETS = Language("zh", "zh-Hans", Brackets(), "、", "；", "：", "", "%")


def plain(text: Text) -> str:
    parts = (text,) if isinstance(text, str) else text
    return "".join(
        part if isinstance(part, str) else "" if isinstance(part, Code) else part.text
        for part in parts
    )


def of_section(section: Section) -> Iterator[str]:
    yield from (section.title, section.name)
    for block in section.blocks:
        yield from of_block(block)


def of_block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(text) | Callout(text=text):
            yield plain(text)
        case Heading(text):
            yield text
        case Bullets(items):
            yield from map(plain, items)
        case Terms(pairs):
            yield from (plain(each) for pair in pairs for each in pair)
        case Preformatted():
            yield block.label
        case Details():
            yield block.summary
            for inner in block.blocks:
                yield from of_block(inner)
        case Table():
            yield from of_table(block)
        case Figure():
            yield from of_figure(block)


def of_table(table: Table) -> Iterator[str]:
    yield from (table.label, plain(table.caption), table.across)
    yield from (column.heading for column in table.columns)
    for body in table.bodies:
        yield body.heading
        yield from (text for row in body.rows for cell in row for text in (cell.text, cell.below))


def of_figure(figure: Figure) -> Iterator[str]:
    yield plain(figure.caption)
    if figure.legend:
        yield from (figure.legend.name, figure.legend.label)
    for drawing in figure.drawings:
        yield from (drawing.heading, *axis_titles(drawing.svg), *axis_labels(drawing.svg))
        yield from re.findall(r"<(?:title|desc)>(.*?)</", drawing.svg)


def given_names(findings: Findings) -> set[str]:
    """Return the names that the experiment and its servers gave."""
    named = [name for f in findings.factors for name in (f.name, *f.levels)]
    for cell in findings.limits:
        for limit in (*cell.limits, *cell.not_growing):
            named += [limit.host, limit.member, limit.device]
    for error in (each for cell in findings.errors.cells for each in cell.errors):
        named += [error.kind.error_class, sample_in_words(error.sample)]
    return set(named) - {""}


def left_over(text: str, findings: Findings) -> str:
    """Return the words that stand outside of all brackets and are no names."""
    text = re.sub(r"⟦[^⟦⟧]*⟧", "", text)
    for name in sorted(given_names(findings), key=len, reverse=True):
        text = text.replace(name, "")
    return " ".join(re.findall(r"[A-Za-z]{2,}", NAMES.sub("", text)))


@pytest.mark.parametrize("make", MADE.values(), ids=list(MADE))
def test_each_text_of_a_section_is_a_message(make: Callable[[], Findings]) -> None:
    findings = make()
    with in_language(BRACKETS):
        found = sections_by_id(findings)
    said = [text for name in SECTIONS if (each := found[name]) for text in of_section(each)]
    assert len(said) > 50
    assert [text for text in said if left_over(text, findings)] == []


def test_a_word_outside_of_all_messages_is_found() -> None:
    findings = two_factors()
    assert left_over("⟦a message⟧clients=4⟦ and ⟧⟦another⟧ 12, p95", findings) == ""
    assert left_over("⟦a message⟧ and more", findings) == "and more"


@pytest.mark.parametrize("make", [two_factors, one_cell, nothing_valid])
def test_english_has_no_brackets(make: Callable[[], Findings]) -> None:
    found = sections_by_id(make())
    said = [text for each in found.values() if each for text in of_section(each)]
    assert not any(re.search(r"[⟦⟧、；]|\{\w*\}", text) for text in said)
