"""Every note of an imported source has a sentence, in each language."""

from __future__ import annotations

import ast
import inspect
import re

import pytest

from dbdyno import source_notes
from dbdyno.report.language import in_language, language
from dbdyno.report.words.import_notes import NOTES, note_in_words
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import SourceNote

COMPUTED = {"column"}
"""Placeholders that are words made of a figure."""


def documented() -> dict[str, set[str]]:
    """Return the figures of each code, as its docstring names them."""
    (body,) = (
        node
        for node in ast.parse(inspect.getsource(source_notes)).body
        if isinstance(node, ast.ClassDef)
    )
    found: dict[str, set[str]] = {}
    name = ""
    for node in body.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif name and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found[name] = set(re.findall(r"``(\w+)``", str(node.value.value)))
    return found


@pytest.mark.parametrize("code", NoteCode)
def test_each_code_has_words_with_figures_that_it_has(code: NoteCode) -> None:
    asked = set(re.findall(r"\{(\w+)\}", NOTES[code])) - COMPUTED
    assert asked <= documented()[code.name]


@pytest.mark.parametrize("name", ["en", "zh"])
@pytest.mark.parametrize("code", NoteCode)
def test_each_note_is_a_sentence(code: NoteCode, name: str) -> None:
    figures = tuple((each, 3) for each in sorted(documented()[code.name]))
    with in_language(language(name)):
        said = note_in_words(SourceNote(code=code, figures=figures))
    assert said.endswith("." if name == "en" else "。")
    assert "{" not in said
    assert "–" not in said


def test_figures_are_written_for_people() -> None:
    note = SourceNote(code=NoteCode.SAMPLED, figures=(("share", 0.0498),))
    assert "only 5.0\N{NO-BREAK SPACE}% of" in note_in_words(note)
    until = SourceNote(code=NoteCode.TRUNCATED, figures=(("until_s", 1234567.25),))
    assert "until 1,234,567 s" in note_in_words(until)
    assert "until – s" in note_in_words(SourceNote(code=NoteCode.TRUNCATED))


def test_the_note_of_a_later_version_is_shown_by_its_code() -> None:
    assert note_in_words(SourceNote(code="something_new", figures=(("x", 1),))) == "something_new"
