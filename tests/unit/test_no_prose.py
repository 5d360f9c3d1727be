"""The analysis yields codes and figures: its sources hold no text that a reader would see.

Words are in ``dbdyno.report.words``, where they can be translated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ANALYSIS = Path(__file__).parents[2] / "python" / "dbdyno" / "analysis"

WORDS_MIN = 3
"""Names and codes have one word or two."""

ALLOWED: dict[str, str] = {
    "bottleneck/thresholds.py": "where each threshold comes from, for those who read the table",
    "tpcc/requirements.py": "names of the specification's requirements",
}
"""Sources that may hold some, with what it is."""


def prose_in(source: str) -> list[tuple[int, str]]:
    """Return each text of three words or more, with its line.

    Docstrings, messages of exceptions and the values of enumerations, which are codes, are none.
    """
    tree = ast.parse(source)
    exempt = {id(each) for node in ast.walk(tree) for each in _exempt(node)}
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.expr))
    found = ((node.lineno, _text(node)) for node in nodes if id(node) not in exempt)
    return [(line, text) for line, text in found if text is not None and _is_prose(text)]


def _exempt(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is beneath a node and no text for readers."""
    match node:
        case ast.Expr(value=ast.Constant() as docstring):
            yield docstring
        case ast.Raise() | ast.Assert():
            yield from ast.walk(node)
        case ast.ClassDef() if any(ast.unparse(base).endswith("Enum") for base in node.bases):
            yield from ast.walk(node)
        case ast.JoinedStr():
            yield from (part for part in node.values if isinstance(part, ast.Constant))


def _text(node: ast.AST) -> str | None:
    """Return a text; a value in a formatted one is some word."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr():
            parts = (_text(part) or "0" for part in node.values)
            return "".join(parts)
    return None


def _is_prose(text: str) -> bool:
    words = text.split()
    return len(words) >= WORDS_MIN and any(word.isalpha() for word in words)


def test_the_analysis_holds_no_prose() -> None:
    found = {
        str(file.relative_to(ANALYSIS)): prose
        for file in sorted(ANALYSIS.rglob("*.py"))
        if (prose := prose_in(file.read_text()))
    }
    assert {file: prose for file, prose in found.items() if file not in ALLOWED} == {}
    assert ALLOWED.keys() <= found.keys(), "what is allowed is not there any more"


@pytest.mark.parametrize(
    "source",
    [
        'TITLE = "The server was slow."',
        'def check() -> str:\n    return f"{count} of {total} failed"',
        'def check() -> str:\n    return "a text " "in two parts"',
        'NAMES = {"p90": "response time at p90"}',
        'class Words:\n    TITLE = "what a reader sees"',
    ],
)
def test_prose_is_found(source: str) -> None:
    ((_, text),) = prose_in(source)
    assert len(text.split()) >= WORDS_MIN


@pytest.mark.parametrize(
    "source",
    [
        '"""What this module is for."""',
        'LIMIT = 3\n"""So many are too many."""',
        'raise ValueError(f"{name} is not in the table")',
        'class Kind(StrEnum):\n    NONE = "no difference shown"',
        'NAME = "row locks"',
        'LABEL = f"{role} {metric}"',
    ],
)
def test_names_docstrings_and_exceptions_are_no_prose(source: str) -> None:
    assert prose_in(source) == []
