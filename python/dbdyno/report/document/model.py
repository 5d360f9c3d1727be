"""What a report consists of, whatever format it is written in.

A section is a list of blocks. Texts are in the language that was current when they were said; a
text with marks in it (a link, a name as code) is a tuple of its parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from dbdyno.analysis.findings import Severity
from dbdyno.report.drawing import Drawing
from dbdyno.report.grammar import Mark
from dbdyno.report.language import Language


@dataclass(frozen=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True)
class Code:
    """A name or a command as it is typed."""

    text: str


@dataclass(frozen=True)
class Link:
    """A link to a section of this document, by its ``id``."""

    text: str
    section: str


Part: TypeAlias = str | Strong | Code | Link
Text: TypeAlias = str | tuple[Part, ...]


class Role(StrEnum):
    """How a paragraph or a list reads."""

    PLAIN = "plain"
    LEAD = "lead"
    """Part of the answer."""
    MUTED = "muted"
    """An explanation of what follows."""


@dataclass(frozen=True)
class Paragraph:
    """One paragraph."""

    text: Text
    role: Role = Role.PLAIN


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: Sequence[Text]
    role: Role = Role.PLAIN


@dataclass(frozen=True)
class Terms:
    """Terms with what they mean; ``is_table`` puts short ones beside their meaning."""

    pairs: Sequence[tuple[str, Text]]
    is_table: bool = False


@dataclass(frozen=True)
class Callout:
    """What a reader must not miss. ``terms`` are its details."""

    severity: Severity
    text: Text
    terms: Sequence[tuple[str, Text]] = ()


@dataclass(frozen=True)
class Preformatted:
    """A file as it is. ``label`` says which."""

    text: str
    label: str


class Tone(StrEnum):
    """What a cell of a table says besides its text."""

    NONE = ""
    APART = "apart"
    """Differs by more than chance explains."""
    BETTER = "better"
    WORSE = "worse"
    FAINT = "faint"
    """Says that nothing was shown."""
    OUTSIDE = "outside"
    """Breaks a requirement."""


class Shade(StrEnum):
    """The background of a cell: how large its effect is. 4 is the strongest."""

    NONE = ""
    BETTER_1 = "better-1"
    BETTER_2 = "better-2"
    BETTER_3 = "better-3"
    BETTER_4 = "better-4"
    WORSE_1 = "worse-1"
    WORSE_2 = "worse-2"
    WORSE_3 = "worse-3"
    WORSE_4 = "worse-4"
    NOT_SHOWN = "not-shown"
    """Hatched: there is an effect, and chance alone would explain it."""


@dataclass(frozen=True)
class KeyGroup:
    """Shades with what each of them means; ``words`` stand before them."""

    words: str
    shades: Sequence[tuple[Shade, str]]


@dataclass(frozen=True)
class Cell:
    """A cell of a table. ``value`` is the exact figure that ``text`` shows, for programs.

    ``below`` is a second, smaller line: an interval, an effect. ``rows`` is how many rows a header
    stands for; the rows after the first then leave it out.
    """

    text: str
    value: float | None = None
    below: str = ""
    tone: Tone = Tone.NONE
    """Of the text, or of ``below`` where there is one."""
    is_header: bool = False
    is_code: bool = False
    rows: int = 1
    shade: Shade = Shade.NONE


@dataclass(frozen=True)
class Column:
    """A column of a table. Figures stand to the right."""

    heading: str
    is_number: bool = False


@dataclass(frozen=True)
class Body:
    """Rows of a table that belong together, below a heading where they have one."""

    rows: Sequence[Sequence[Cell]]
    heading: str = ""


class TableKind(StrEnum):
    """How a table is laid out."""

    PLAIN = ""
    FACTS = "facts-table"
    """Names and values, without headings."""
    MATRIX = "matrix"
    """Levels of one factor across; ``Table.across`` names it."""
    REQUIREMENTS = "requirements"


@dataclass(frozen=True)
class Table:
    """A table. ``label`` names it for those who cannot see it, ``caption`` says what it shows."""

    label: str
    caption: Text
    columns: Sequence[Column]
    bodies: Sequence[Body]
    id: str = ""
    kind: TableKind = TableKind.PLAIN
    across: str = ""
    key: Sequence[KeyGroup] = ()
    """What the shades of its cells mean."""


class Layout(StrEnum):
    """How the panels of a figure stand."""

    WIDE = "wide"
    """Below each other."""
    SMALL_MULTIPLES = "small-multiples"
    """Beside each other."""


@dataclass(frozen=True)
class Legend:
    """Which colour and marker each level of a factor has."""

    name: str
    marks: Sequence[tuple[str, Mark]]
    label: str = ""
    """What it is, for those who cannot see it."""


@dataclass(frozen=True)
class Figure:
    """Drawings with one caption."""

    caption: Text
    drawings: Sequence[Drawing]
    layout: Layout
    legend: Legend | None = None
    is_paired: bool = False
    """Whether two panels belong side by side."""


@dataclass(frozen=True)
class Details:
    """Blocks that a reader opens."""

    summary: str
    blocks: Sequence[Block]


Block: TypeAlias = (
    Paragraph | Heading | Bullets | Terms | Callout | Preformatted | Table | Figure | Details
)


@dataclass(frozen=True)
class Section:
    """A section. ``name`` is what the list of sections calls it."""

    id: str
    title: str
    blocks: Sequence[Block]
    name: str = ""


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    kicker: str
    question: str
    facts: Sequence[str]
    warning: str
    """Stands above everything else; "" where there is nothing to warn of."""
    sections: Sequence[Section]
    footer: str
    language: Language
    labels: Mapping[str, str]
    """What a page calls its list of sections and its buttons, by their names."""
