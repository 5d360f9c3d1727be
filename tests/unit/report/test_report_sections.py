"""The sections behind the figures: their tables, and that all of their words can be translated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache

import pytest
from babel.messages.catalog import Catalog, Message

from dbdyno.analysis.deployment import GeneratorPlace
from dbdyno.analysis.findings import Findings, Sending, Severity, Standing
from dbdyno.analysis.waiting import Waiting
from dbdyno.report.document.marks import marked
from dbdyno.report.document.model import Callout, Cell, Code, Details, Section, Table, Terms
from dbdyno.report.language import Language, in_language
from dbdyno.report.sections import generators
from dbdyno.report.words.sending import isolation_in_words, waiting_in_words
from dbdyno.report.words.standings import STANDINGS
from tests.unit.report.written import sections_by_id

from .report_examples import nothing_valid, two_factors
from .section_examples import GENERATORS, HOSTS, SENDINGS, everything

BACKGROUND = (
    *("conformance", "hosts", "resources", "generators", "sizes", "published"),
    *("warnings", "differences", "trials", "tested", "glossary"),
)


Make = Callable[[], Findings]


@cache
def sections(make: Make = everything) -> dict[str, Section | None]:
    return sections_by_id(make())


def section(name: str, make: Make = everything) -> Section:
    found = sections(make)[name]
    assert found is not None
    return found


def blocks_of(blocks: object) -> Iterator[object]:
    """Yield all blocks, those that are folded away as well."""
    assert isinstance(blocks, list | tuple)
    for block in blocks:
        yield block
        if isinstance(block, Details):
            yield from blocks_of(block.blocks)


def tables(of: Section) -> dict[str, Table]:
    return {each.id or each.label: each for each in blocks_of(of.blocks) if isinstance(each, Table)}


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for body in table.bodies for row in body.rows]


def test_sections_come_in_the_order_of_a_reader() -> None:
    names = list(sections())
    assert [name for name in names if name in BACKGROUND] == list(BACKGROUND)


def test_a_section_that_has_nothing_to_say_is_not_there() -> None:
    found = sections(two_factors)
    absent = {name for name in BACKGROUND if found[name] is None}
    assert absent == {"conformance", "hosts", "generators", "sizes", "published"}


def test_a_cell_spans_the_rows_of_its_hosts_and_of_its_generators() -> None:
    # Below the generators stands what all of them did together.
    for name, rows in (("hosts", len(HOSTS)), ("generators", len(GENERATORS) + 1)):
        (table,) = tables(section(name)).values()
        assert len(table.bodies) == 2
        for body, terminals in zip(table.bodies, ("10", "20"), strict=True):
            first, *others = body.rows
            assert (first[0].text, first[0].rows) == (terminals, rows)
            assert {len(first) - 1, *map(len, others)} == {len(table.columns) - 1}


def test_generators_have_their_figures_and_dashes() -> None:
    (table,) = tables(section("generators")).values()
    first, second, _ = table.bodies[0].rows
    plain = [cell.text.replace("\N{NO-BREAK SPACE}", " ") for cell in first[1:]]
    assert plain[:2] == ["1", "50.0 %"]
    assert plain[4:] == [
        *("700", "70.0 %", "1.23", "90.0 %", "2.3×", "1.50", "12.3", "0.300"),
        *("0", "0"),
    ]
    assert [cell.text for cell in second[8:11]] == ["–", "–", "1.00"]
    assert [cell.value for cell in second[11:]] == [None, 1, 2]


def test_the_rates_of_generators_add_up() -> None:
    (table,) = tables(section("generators")).values()
    window_s = everything().cells[0].window_s
    assert [column.heading for column in table.columns[3:6]] == [
        *("NOPM", "transactions/s", "transactions"),
    ]
    first, second, whole = table.bodies[0].rows
    shown = [[cell.value for cell in row[-12:-9]] for row in (first, second, whole)]
    assert shown == [
        pytest.approx([60 * new_orders / window_s, done / window_s, done])
        for new_orders, done in ((315, 700), (135, 300), (450, 1000))
    ]
    assert whole[0].text == "all"


def test_generators_with_places_of_their_own_say_where_and_for_which_servers() -> None:
    findings = everything()
    one, two = findings.cells[0].generators
    placed = (replace(one, place=GeneratorPlace("db7", (0, 1, 2, 5), ("db1", "db2"))), two)
    cells = tuple(replace(each, generators=placed) for each in findings.cells)
    found = generators.section(replace(findings, cells=cells))
    assert found is not None
    (table,) = tables(found).values()
    first, second, whole = table.bodies[0].rows
    assert [cell.text for cell in first[2:4]] == ["db7 (CPUs 0–2, 5)", "db1, db2"]
    assert [cell.text for cell in second[1:3]] == ["dbdyno's host", "all"]
    assert {len(first) - 1, len(second), len(whole)} == {len(table.columns) - 1}


def test_generators_without_new_orders_have_no_rate_of_them() -> None:
    findings = everything()
    unknown = replace(findings.cells[0].generators[0], new_orders=None)
    cells = tuple(replace(each, generators=(unknown, unknown)) for each in findings.cells)
    found = generators.section(replace(findings, cells=cells))
    assert found is not None
    (table,) = tables(found).values()
    headings = [column.heading for column in table.columns]
    assert "NOPM" not in headings
    assert {len(row) for body in table.bodies for row in body.rows[1:]} == {len(headings) - 1}


def test_every_trial_has_a_row_with_its_standing() -> None:
    """What warns of a valid trial is told by the check's name, what excludes one in full."""
    table = tables(section("trials"))["trials-table"]
    assert set(STANDINGS) == set(Standing)
    why = {Standing.WITH_WARNINGS: "short-window"}
    assert texts(table) == [
        [
            str(number),
            "1",
            "10",
            "2,700",
            "100.5",
            "1.25",
            standing.value,
            why.get(standing, "slow; The window has fewer than ten intervals."),
        ]
        for number, standing in enumerate(Standing, start=1)
    ]


def test_warnings_are_callouts_with_all_that_is_known_of_them() -> None:
    found = section("warnings", nothing_valid)
    callouts = [each for each in found.blocks if isinstance(each, Callout)]
    order = list(Severity)
    assert [each.severity for each in callouts] == sorted(
        (each.severity for each in callouts), key=order.index
    )
    failed = next(
        each for each in callouts if dict(each.terms)["Check"] == (Code("trial-not-completed"),)
    )
    assert list(dict(failed.terms)) == ["Evidence", "Consequence", "Advice", "Trials", "Check"]
    assert dict(failed.terms)["Trials"] == "2"
    of_host = next(each for each in callouts if each.severity is Severity.NOTE)
    assert list(dict(of_host.terms)) == ["Evidence", "Consequence", "Advice", "Check"]


def test_a_report_without_warnings_says_so() -> None:
    def make() -> Findings:
        return replace(two_factors(), warnings=())

    (only,) = section("warnings", make).blocks
    assert getattr(only, "text", "") == "Every validity check passed."


def test_how_transactions_were_sent_is_told_with_the_time_to_connect() -> None:
    table = tables(section("tested"))["sending"]
    asked, renewed = texts(table)
    assert asked[1:4] == ["text", "READ-COMMITTED or not known (asked for: SERIALIZABLE)", "on"]
    assert asked[6:] == ["kept", "–", "polls without sleeping"]
    assert renewed[6:8] == ["a new one after 500 transactions", "0.750"]
    assert renewed[8] == (
        "waits 50 µs for more answers, took 1,234 naps of 40 µs on average; "
        "the server may use the same CPUs"
    )
    assert "time to connect" not in str(tables(section("tested", kept))["sending"].columns)


def kept() -> Findings:
    """Return a result in which each connection was kept."""
    findings = everything()
    cells = tuple(replace(cell, sending=SENDINGS[0]) for cell in findings.cells)
    return replace(findings, cells=cells)


@pytest.mark.parametrize(
    ("levels", "asked", "words"),
    [
        (("X",), None, "X"),
        (("X",), "X", "X"),
        (("X",), "Y", "X (asked for: Y)"),
        (("X", "Y"), "X", "X or Y (asked for: X)"),
        ((None,), None, "not known"),
    ],
)
def test_isolation_names_what_was_asked_for_where_it_is_not_that(
    levels: tuple[str | None, ...], asked: str | None, words: str
) -> None:
    sending = Sending("text", levels, asked, True, 0, None, None, Waiting())
    assert isolation_in_words(sending) == words


def test_one_nap_is_one() -> None:
    waiting = Waiting(naps=1, nap_mean_us=50.4)
    sending = Sending("text", ("X",), None, True, 0, None, None, waiting)
    assert waiting_in_words(sending) == "took 1 nap of 50 µs"


def test_a_target_is_told_fact_by_fact() -> None:
    found = [
        each
        for each in blocks_of(section("tested").blocks)
        if isinstance(each, Table) and each.label == "Target"
    ]
    assert [(table.caption, texts(table)) for table in found] == [
        ("Target mariadb", [["product", "MariaDB"], ["CPU limit", "1.5 CPUs"]])
    ]


def test_the_glossary_has_the_field_s_words() -> None:
    field = (
        *("latency", "ramp-up", "coordinated omission", "throughput", "tps", "qps", "percentile"),
        *("closed loop", "open loop", "saturation", "knee", "steady state", "confounded"),
    )
    of_tpcc = ("tpmc", "nopm", "keying time", "think time")
    for make, words, absent in ((everything, field + of_tpcc, ()), (two_factors, field, of_tpcc)):
        (terms,) = (
            each for each in blocks_of(section("glossary", make).blocks) if isinstance(each, Terms)
        )
        named = ", ".join(term for term, _ in terms.pairs).lower()
        assert [word for word in words if word not in named] == []
        assert [word for word in absent if word in named] == []
        assert (Code("report.margin") in dict(terms.pairs)["Equivalent, no worse"]) is True


def test_marks_stand_where_the_language_has_them() -> None:
    text = "{count} are in {file}."
    assert marked(text, count="3", file=Code("a")) == ("3", " are in ", Code("a"), ".")
    with in_language(language_of({text: "{file} 里有 {count} 个"})):
        assert marked(text, count="3", file=Code("a")) == (Code("a"), " 里有 ", "3", " 个")


class Everything(Catalog):
    """A catalogue that has all messages, each as itself between ``⟦`` and ``⟧``."""

    def get(self, id: object, context: str | None = None) -> Message:
        text = id if isinstance(id, str) else id[1]  # type: ignore[index]
        return Message(text, f"⟦{text}⟧")


def language_of(messages: dict[str, str]) -> Language:
    catalogue = Catalog()
    for text, translation in messages.items():
        catalogue.add(text, translation)
    return Language("test", "zh-Hans", catalogue, ", ", "; ", ": ", " ", " %")


MESSAGE = re.compile(r"⟦[^⟦⟧]*⟧")
WORD = re.compile(r"[A-Za-z][\w.]*[A-Za-z]")
UNITS = "GiB MiB KiB TiB ms NOPM"
"""What no language translates."""


def words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}


def strings(of: object) -> Iterator[str]:
    """Yield all texts of a document, but for ids, codes and kinds."""
    if isinstance(of, str):
        yield of
    elif isinstance(of, tuple) and all(isinstance(part, str | Code) for part in of):
        yield "".join(part for part in of if isinstance(part, str))
    elif isinstance(of, list | tuple):
        for each in of:
            yield from strings(each)
    elif is_dataclass(of) and not (isinstance(of, Cell) and of.is_code):
        for each in fields(of):
            if each.name not in {"id", "kind", "tone", "role", "severity", "layout"}:
                yield from strings(getattr(of, each.name))


def left_over(text: str) -> str:
    """Return what of a text is in no message."""
    while MESSAGE.search(text):
        text = MESSAGE.sub(" ", text)
    return text


@pytest.mark.parametrize("name", BACKGROUND)
def test_all_words_of_a_section_can_be_translated(name: str) -> None:
    findings = everything()
    everything_said = replace(language_of({}), catalogue=Everything())
    with in_language(everything_said):
        found = sections_by_id(findings)[name]
    known = words(repr(findings)) | words(UNITS)
    said = list(strings(found))
    assert any("⟦" in text for text in said)
    assert {text for text in said if words(left_over(text)) - known} == set()
