"""The pieces of Markdown that generated pages are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

GENERATED = "% Made from the code by docs_build. Change the code, and not this page.\n\n"
"""The first line of each generated page, as a comment that is not shown."""


def page(title: str, introduction: str, *parts: str) -> str:
    """Return a generated page of a title, an introduction and parts, each a block or several."""
    return GENERATED + "\n\n".join([f"# {title}", introduction, *filter(None, parts)]) + "\n"


def code(text: object) -> str:
    """Return a text as it is written in a file or in a shell, within a line."""
    shown = str(text)
    fence = "``" if "`" in shown else "`"
    padding = " " if "`" in shown else ""
    return f"{fence}{padding}{shown}{padding}{fence}"


def block(text: str, language: str = "none") -> str:
    """Return a text of several lines as it stands in a file or on a screen."""
    return f"```{language}\n{text.rstrip()}\n```"


def plain(text: str) -> str:
    """Return a text from the code, so that none of its signs is taken for Markdown.

    What stands between two backquotes each is code, as in docstrings.
    """
    parts = " ".join(text.split()).split("``")
    return "".join(code(part) if index % 2 else _escaped(part) for index, part in enumerate(parts))


def _escaped(text: str) -> str:
    for sign in "\\`*_{}[]<>|#$~":
        text = text.replace(sign, f"\\{sign}")
    return text


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a sign that would end a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("\\|", "|").replace("|", "\\|").replace("\n", " ")


def target(label: str) -> str:
    """Return an anchor of a fixed name, for what follows it."""
    return f"({label})="
