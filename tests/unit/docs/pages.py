"""What pages of the documentation hold: fenced blocks, the commands in them, tables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
GUIDES = [DOCS / "tutorial.md", *sorted(DOCS.glob("from/*.md")), *sorted(DOCS.glob("how-to/*.md"))]
"""The pages that tell how something is done; the others say what there is."""
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

_ASSIGNMENT = re.compile(r"\w+=.*", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: where it begins, and what is in it."""

    page: Path
    line: int
    text: str

    @property
    def place(self) -> str:
        """As ``docs/page.md:12``, for messages and the names of tests."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Row:
    """A row of a table: the code in its first column, and the texts of all columns."""

    code: tuple[str, ...]
    cells: tuple[str, ...]


def blocks(language: str, pages: list[Path]) -> Iterator[Block]:
    """Yield the blocks of a language; one may stand within a list."""
    for page in pages:
        for token in _tokens(page):
            if token.type == "fence" and token.info.strip() == language:
                yield Block(page, (token.map or [0])[0] + 1, token.content)


def calls(block: Block) -> Iterator[list[str]]:
    """Yield the words behind each ``dbdyno`` of a block of shell commands."""
    for words in _command_lines(block.text):
        call: list[str] = []
        for word in [*words, ";"]:
            if set(word) <= set("();<>|&"):
                if call and Path(call[0]).name == "dbdyno":
                    yield call[1:]
                call = []
            elif call or not _ASSIGNMENT.fullmatch(word):
                call.append(word)


def _command_lines(text: str) -> Iterator[list[str]]:
    """Yield the words of each command line, which goes on where a quotation or a backslash does."""
    begun = ""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.shlex(begun + line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        try:
            yield list(words)
        except ValueError:
            begun += f"{line}\n"
        else:
            begun = ""
    if begun:
        raise ValueError(f"a quotation is not closed: {begun}")


def rows(page: Path, heading: tuple[str, ...]) -> list[Row]:
    """Return the rows of all tables of a page with these headings."""
    found: list[Row] = []
    row: list[Token] = []
    is_wanted = False
    for token, following in pairwise(_tokens(page)):
        if token.type in ("th_open", "td_open"):
            row.append(following)
        elif token.type == "tr_close":
            cells = tuple(cell.content for cell in row)
            if following.type == "thead_close":
                is_wanted = cells == heading
            elif is_wanted:
                found.append(Row(tuple(code_in(row[0])), cells))
            row = []
    return found


def inline_code(page: Path) -> Iterator[str]:
    """Yield all code that stands within sentences and tables."""
    for token in _tokens(page):
        if token.type == "inline":
            yield from code_in(token)


def code_in(token: Token) -> list[str]:
    """Return the code in a piece of text."""
    return [child.content for child in token.children or () if child.type == "code_inline"]


@cache
def _tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
