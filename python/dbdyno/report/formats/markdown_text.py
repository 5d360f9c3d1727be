"""Texts in Markdown: whatever they hold, they read as they are and mark nothing up."""

from __future__ import annotations

import re
from html import escape as html_escaped

_MARKUP = re.compile(r"([\\`*{}\[\]<>#|~$&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
"""Signs that would mark up a text, wherever they stand; an underscore inside a word does not."""
_LINE_END = re.compile(r"\s*[\r\n]+\s*")
_BLOCK_START = re.compile(r"^([-+](?=[-\s]|$)|=)")
_NUMBER_START = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")


def inline(text: str) -> str:
    """Return a part of a text without marks; lines are joined."""
    return _MARKUP.sub(r"\\\1", one_line(text))


def escaped(text: str) -> str:
    """Return a whole text without marks, to stand where a block begins."""
    return as_block(inline(text))


def as_block(written: str) -> str:
    """Return written text that begins no list, no rule and no block of code."""
    stripped = written.strip()
    return _NUMBER_START.sub(r"\1\\\2", _BLOCK_START.sub(r"\\\1", stripped))


def strong(text: str, before: str = "", after: str = "") -> str:
    """Return a text that stands out between what is written before and after it.

    Asterisks mark nothing where they touch a letter on one side and a sign on the other, as they
    often do in Chinese; a tag does everywhere.
    """
    words = inline(text).strip()
    if not words:
        return ""
    opens = before[-1:].strip() == "" or words[0].isalnum()
    closes = after[:1].strip() == "" or words[-1].isalnum()
    return f"**{words}**" if opens and closes else f"<strong>{words}</strong>"


def code(text: str) -> str:
    """Return code with a fence that is longer than any in it."""
    joined = one_line(text)
    if not joined.strip():
        return ""
    fence = "`" * (_longest_fence(joined) + 1)
    # One space is taken away from both ends, where both have one.
    is_padded = joined[0] in "` " or joined[-1] in "` "
    space = " " if is_padded else ""
    return f"{fence}{space}{joined}{space}{fence}"


def fenced(text: str) -> str:
    """Return a file as it is."""
    fence = "`" * max(3, _longest_fence(text) + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"


def inside_tag(text: str) -> str:
    """Return a text for a line of HTML, in which Markdown has no meaning."""
    return html_escaped(one_line(text).strip(), quote=False)


def one_line(text: str) -> str:
    """Return a text without line ends."""
    return _LINE_END.sub(" ", text)


def _longest_fence(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
