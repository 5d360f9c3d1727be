"""Messages with marks in them, and texts that a language joins in its own way."""

from __future__ import annotations

from babel.messages.catalog import Catalog

from dbdyno.report.document.legend import legend_of
from dbdyno.report.document.marks import joined, marked
from dbdyno.report.document.model import Code, Link, Part
from dbdyno.report.grammar import choose
from dbdyno.report.language import Language, either, in_language

from .report_examples import one_cell, three_factors


def turned_round() -> Language:
    """A language that puts the link first, and nothing between sentences."""
    catalogue = Catalog()
    catalogue.add("Read {file} by the {method}.", "{method}{file}。")
    catalogue.add("{one} or {other}", "{one}或{other}")
    return Language("zh", "zh-Hans", catalogue, "、", "；", "：", "", "%")


def test_marks_stand_where_the_language_puts_them() -> None:
    marks: dict[str, Part] = {"file": Code("a.yaml"), "method": Link("method", "tested")}
    text = "Read {file} by the {method}."
    assert marked(text, **marks) == ("Read ", marks["file"], " by the ", marks["method"], ".")
    with in_language(turned_round()):
        assert marked(text, **marks) == (marks["method"], marks["file"], "。")


def test_sentences_are_joined_and_empty_ones_left_out() -> None:
    link = Link("b", "c")
    assert joined("a.", "", (link, ".")) == ("a.", " ", link, ".")
    with in_language(turned_round()):
        assert joined("a.", "", (link, ".")) == ("a.", link, ".")


def test_alternatives_are_told_once_each() -> None:
    assert either([]) == ""
    assert either(["a", "a"]) == "a"
    assert either(["a", "b", "a", "c"]) == "a or b or c"
    with in_language(turned_round()):
        assert either(["a", "b", "c"]) == "a或b或c"


def test_a_legend_has_each_level_of_the_coloured_factor() -> None:
    assert legend_of(one_cell()) is None
    grammar = choose(three_factors().factors)
    legend = legend_of(three_factors())
    assert legend is not None
    assert grammar.colour is not None
    assert legend.name == grammar.colour.name
    assert tuple(legend.marks) == grammar.legend()
