"""A document as Markdown (GitHub's dialect), with its drawings as SVG files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape

from dbdyno.report.document.model import (
    Block,
    Bullets,
    Callout,
    Cell,
    Code,
    Details,
    Document,
    Figure,
    Heading,
    Link,
    Paragraph,
    Preformatted,
    Role,
    Section,
    Strong,
    Table,
    Terms,
    Text,
    Tone,
)
from dbdyno.report.document.parts import plain, reachable
from dbdyno.report.drawing import Drawing
from dbdyno.report.formats.markdown_text import (
    as_block,
    code,
    escaped,
    fenced,
    inline,
    inside_tag,
    strong,
)
from dbdyno.report.formats.standalone import standalone_svg
from dbdyno.report.language import current, listed

_GLYPHS = {
    "circle": "●",
    "square": "■",
    "diamond": "◆",
    "cross": "✚",
    "triangle-up": "▲",
    "triangle-down": "▼",
    "triangle-right": "▶",
    "triangle-left": "◀",
}
"""What the marks of a drawing look like in text."""
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)


@dataclass
class MarkdownFiles:
    """The text, and each drawing by its file name."""

    text: str
    drawings: dict[str, str]


def write_markdown(document: Document, folder: str) -> MarkdownFiles:
    """Return a document as Markdown; its drawings are to stand in ``folder`` beside it."""
    writer = _Writer(folder, frozenset(section.id for section in document.sections))
    lines = "\n\n".join(writer.document(document))
    return MarkdownFiles(lines + "\n", writer.drawings)


@dataclass
class _Writer:
    folder: str
    sections: frozenset[str]
    drawings: dict[str, str] = field(default_factory=dict)

    def document(self, document: Document) -> Iterator[str]:
        yield f"# {escaped(document.title)}"
        if document.warning:
            yield f"> {strong(document.warning)}"
        if document.question.strip():
            yield f"*{inline(document.question).strip()}*"
        yield " · ".join(map(escaped, document.facts))
        for section in document.sections:
            yield from self.section(section)
        yield "---"
        yield escaped(document.footer)

    def section(self, section: Section) -> Iterator[str]:
        yield f'<a id="{section.id}"></a>\n\n## {escaped(section.title)}'
        for block in section.blocks:
            yield from self.block(block)

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Paragraph(text, role):
                yield strong(plain(text)) if role is Role.LEAD else self.text(text)
            case Heading(heading):
                yield f"### {escaped(heading)}"
            case Bullets(items):
                yield "\n".join(f"- {self.text(item)}" for item in items)
            case Terms(pairs):
                yield self.terms(pairs)
            case Callout(_, text, terms):
                lines = [self.text(text), *([""] if terms else []), *self.terms(terms).splitlines()]
                yield "\n".join(f"> {line}".rstrip() for line in lines)
            case Preformatted(text):
                yield fenced(text)
            case Table():
                yield self.text(block.caption)
                yield self.table(block)
            case Figure():
                yield from self.figure(block)
            case Details(summary, blocks):
                yield f"<details>\n<summary>{inside_tag(summary)}</summary>"
                for each in blocks:
                    yield from self.block(each)
                yield "</details>"

    def terms(self, pairs: Sequence[tuple[str, Text]]) -> str:
        colon = current().colon
        return "\n".join(
            f"- {strong(term, after=colon)}{colon}{self.text(text)}" for term, text in pairs
        )

    def text(self, text: Text) -> str:
        found = list(reachable(text, self.sections))
        written = ""
        for place, part in enumerate(found):
            match part:
                case Strong(words):
                    after = found[place + 1] if place + 1 < len(found) else ""
                    written += strong(words, written, after if isinstance(after, str) else "`")
                case Code(words):
                    written += code(words)
                case Link(words, section):
                    written += f"[{inline(words)}](#{section})"
                case _:
                    written += inline(part)
        return as_block(written)

    def table(self, table: Table) -> str:
        width = len(table.columns) or 2
        columns = _headings(table) or [""] * width
        aligned = ["--:" if column.is_number else ":--" for column in table.columns]
        rows = [_row(map(escaped, columns)), _row(aligned or [":--"] * width)]
        for body in table.bodies:
            if body.heading:
                rows.append(_row([strong(body.heading), *[""] * (width - 1)]))
            rows += [_row(cells) for cells in _complete(body.rows, width)]
        return "\n".join(rows)

    def figure(self, figure: Figure) -> Iterator[str]:
        yield self.text(figure.caption)
        if figure.legend:
            marks = figure.legend.marks
            levels = listed(f"{_GLYPHS[mark.shape]} {inline(level)}" for level, mark in marks)
            yield as_block(f"{inline(figure.legend.name)}{current().colon}{levels}")
        for drawing in figure.drawings:
            name = f"{len(self.drawings) + 1:02}.svg"
            self.drawings[name] = standalone_svg(drawing.svg)
            if drawing.heading:
                yield strong(drawing.heading)
            yield f"![{inline(_alternative(drawing))}]({self.folder}/{name})"


def _headings(table: Table) -> list[str]:
    """Return the headings of the columns; levels of a factor with its name."""
    first, *levels = [column.heading for column in table.columns] or [""]
    if table.across:
        levels = [f"{table.across}={level}" for level in levels]
    return [first, *levels] if table.columns else []


def _alternative(drawing: Drawing) -> str:
    """Return what a drawing is called for those who cannot see it."""
    title = _TITLE.search(drawing.svg)
    return drawing.heading if title is None else unescape(title[1])


def _complete(rows: Sequence[Sequence[Cell]], width: int) -> Iterator[list[str]]:
    """Yield rows of equal length: a header that spans rows is written in each of them."""
    spanning: list[Cell] = []
    for row in rows:
        left_out = spanning[: width - len(row)]
        spanning = [*left_out, *(cell for cell in row if cell.rows > 1)]
        yield [_cell(cell) for cell in (*left_out, *row)]


def _cell(cell: Cell) -> str:
    text = code(cell.text.replace("|", "\\|")) if cell.is_code else inline(cell.text).strip()
    stands_out = cell.tone in (Tone.APART, Tone.BETTER, Tone.WORSE, Tone.OUTSIDE)
    if not cell.below:
        return strong(cell.text) if stands_out and not cell.is_code else text
    below = strong(cell.below) if stands_out else inline(cell.below).strip()
    return f"{text}<br>{below}"


def _row(cells: Iterator[str] | Sequence[str] | map[str]) -> str:
    return f"| {' | '.join(cells)} |"
