"""A document as Markdown (GitHub's dialect), with its drawings as SVG files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

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
from dbdyno.report.document.parts import reachable
from dbdyno.report.formats.standalone import standalone_svg
from dbdyno.report.language import current

_MARKUP = re.compile(r"([\\`*{}\[\]<>#|~$&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
"""Signs that would mark up a text, wherever they stand; an underscore inside a word does not."""
_LIST_START = re.compile(r"^(\s*)([-+]|\d+[.)])(?=\s)")


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


def escaped(text: str) -> str:
    """Return a text that reads the same in Markdown; lines are joined."""
    joined = " ".join(text.split("\n"))
    return _LIST_START.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", joined))


@dataclass
class _Writer:
    folder: str
    sections: frozenset[str]
    drawings: dict[str, str] = field(default_factory=dict)

    def document(self, document: Document) -> Iterator[str]:
        yield f"# {escaped(document.title)}"
        if document.warning:
            yield f"> **{escaped(document.warning)}**"
        if document.question:
            yield f"*{escaped(document.question)}*"
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
                strong = "**" if role is Role.LEAD else ""
                yield f"{strong}{self.text(text)}{strong}"
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
                yield _fenced(text)
            case Table():
                yield self.text(block.caption)
                yield self.table(block)
            case Figure():
                yield from self.figure(block)
            case Details(summary, blocks):
                yield f"<details>\n<summary>{escaped(summary)}</summary>"
                for each in blocks:
                    yield from self.block(each)
                yield "</details>"

    def terms(self, pairs: Sequence[tuple[str, Text]]) -> str:
        colon = current().colon
        return "\n".join(f"- **{escaped(term)}**{colon}{self.text(text)}" for term, text in pairs)

    def text(self, text: Text) -> str:
        written = []
        for part in reachable(text, self.sections):
            match part:
                case Strong(words):
                    written.append(f"**{escaped(words)}**")
                case Code(words):
                    written.append(_code(words))
                case Link(words, section):
                    written.append(f"[{escaped(words)}](#{section})")
                case _:
                    written.append(escaped(part))
        return "".join(written).strip()

    def table(self, table: Table) -> str:
        width = len(table.columns) or 2
        columns = [column.heading for column in table.columns] or [""] * width
        aligned = ["--:" if column.is_number else ":--" for column in table.columns]
        rows = [_row(map(escaped, columns)), _row(aligned or [":--"] * width)]
        for body in table.bodies:
            if body.heading:
                rows.append(_row([f"**{escaped(body.heading)}**", *[""] * (width - 1)]))
            rows += [_row(cells) for cells in _complete(body.rows, width)]
        return "\n".join(rows)

    def figure(self, figure: Figure) -> Iterator[str]:
        yield self.text(figure.caption)
        if figure.legend:
            levels = ", ".join(
                f"{escaped(level)} ({mark.shape})" for level, mark in figure.legend.marks
            )
            yield f"{escaped(figure.legend.name)}{current().colon}{levels}"
        for drawing in figure.drawings:
            name = f"{len(self.drawings) + 1:02}.svg"
            self.drawings[name] = standalone_svg(drawing.svg)
            yield f"![{escaped(drawing.heading)}]({self.folder}/{name})"


def _complete(rows: Sequence[Sequence[Cell]], width: int) -> Iterator[list[str]]:
    """Yield rows of equal length: a header that spans rows is written in each of them."""
    spanning: list[Cell] = []
    for row in rows:
        left_out = spanning[: width - len(row)]
        spanning = [*left_out, *(cell for cell in row if cell.rows > 1)]
        yield [_cell(cell) for cell in (*left_out, *row)]


def _cell(cell: Cell) -> str:
    text = _code(cell.text.replace("|", "\\|")) if cell.is_code else escaped(cell.text)
    is_strong = cell.tone in (Tone.APART, Tone.BETTER, Tone.WORSE, Tone.OUTSIDE)
    if is_strong and not cell.below:
        text = f"**{text}**"
    if not cell.below:
        return text
    below = escaped(cell.below)
    return f"{text}<br>**{below}**" if is_strong else f"{text}<br>{below}"


def _row(cells: Iterator[str] | Sequence[str] | map[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """Return code with a fence that is longer than any in it."""
    joined = " ".join(text.split("\n"))
    longest = max((len(run) for run in re.findall(r"`+", joined)), default=0)
    fence = "`" * (longest + 1)
    space = " " if joined.startswith("`") or joined.endswith("`") else ""
    return f"{fence}{space}{joined}{space}{fence}" if joined else ""


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"
