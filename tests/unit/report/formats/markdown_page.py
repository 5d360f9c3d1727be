"""Markdown read back by a parser of its own: what a reader sees of it, and what it refers to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

OUR_TAGS = re.compile(r'</?(details|strong)>|<br>|<a id="[\w-]+">|</a>')
SUMMARY = re.compile(r"<details>\n<summary>([^<>\n]*)</summary>\n?")


@dataclass
class MarkdownPage:
    """``texts`` are those of all blocks in order; ``tables`` have the texts of their cells."""

    texts: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    """Tags, each by itself."""
    links: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    strong: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    """Of the blocks, as the parser calls them."""

    @property
    def anchors(self) -> set[str]:
        return {match[1] for tag in self.html if (match := re.fullmatch('<a id="(.*)">', tag))}


def read_markdown(text: str) -> MarkdownPage:
    page = MarkdownPage()
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        page.kinds.append(token.type)
        if token.type == "table_open":
            page.tables.append([])
        elif token.type == "tr_open":
            page.tables[-1].append([])
        elif token.type in ("fence", "code_block"):
            page.texts.append(token.content)
        elif token.type == "html_block":
            page.html.append(token.content.strip())
        elif token.type == "inline":
            seen = _read_inline(page, token.children or [])
            page.texts += [seen] if seen else []
            if page.kinds[-2] in ("th_open", "td_open"):
                page.tables[-1][-1].append(seen)
    return page


def _read_inline(page: MarkdownPage, tokens: list[Token]) -> str:
    seen, strong = "", []
    for token in tokens:
        if token.type == "html_inline":
            page.html.append(token.content)
            seen += "\n" if token.content == "<br>" else ""
        elif token.type == "image":
            page.images.append(str(token.attrs["src"]))
            seen += token.content and _read_inline(page, token.children or [])
        elif token.type == "softbreak":
            seen += " "
        else:
            seen += token.content
        if token.type == "link_open":
            page.links.append(str(token.attrs["href"]))
        if token.type == "strong_open" or token.content == "<strong>":
            strong.append(len(seen))
        if token.type == "strong_close" or token.content == "</strong>":
            page.strong.append(seen[strong.pop() :])
    return seen
