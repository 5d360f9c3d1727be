"""A table of results as typed columns and figures, each with its place in the file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dbdyno.results_table.deployments import Placed
from dbdyno.results_table.description import NOTHING_TOLD, Description
from dbdyno.results_table.notes import Note
from dbdyno.results_table.numbers import Number
from dbdyno.results_table.raw import Text


class Role(StrEnum):
    """What a column is."""

    SUBJECT = "subject"
    """What is compared: a system, an engine, a version."""
    FACTOR = "factor"
    """What describes the set-up."""
    LOAD = "load"
    """How many clients there are at once."""
    CASE = "case"
    """A name of a test, which describes nothing by itself."""
    PART = "part"
    """A name of a part of a run, as a generator, beside rows of totals."""
    ROUND = "round"
    METRIC = "metric"
    """The name of the metric whose figure is in another column."""
    VALUE = "value"
    """A figure whose metric is in another column."""
    QUANTITY = "quantity"
    """What a claim is about: a subject or an improvement."""
    FIGURE = "figure"
    """A metric of its own."""
    CLAIM = "claim"
    """A percentage or a ratio that somebody computed of two figures."""
    NOTE = "note"


class Kind(StrEnum):
    """What a metric says, and so which way is better."""

    THROUGHPUT = "throughput"
    RESPONSE = "response"
    SUCCESS = "success"
    ERRORS = "errors"
    OTHER = "other"


class ClaimForm(StrEnum):
    """How a claim holds one figure against another."""

    CHANGE_PERCENT = "change_percent"
    """By how many percent one is above the other."""
    RATIO = "ratio"
    """How many times the other it is."""
    RATIO_PERCENT = "ratio_percent"
    """How many percent of the other it is."""
    DIFFERENCE = "difference"
    """By how much one is above the other, in their unit or in percentage points."""
    EFFICIENCY = "efficiency"
    """How much of the speed-up that is due to more clients or nodes is there, in percent."""


class Summary(StrEnum):
    """What a row or a column is of others."""

    MEAN = "mean"
    MEDIAN = "median"
    TOTAL = "total"
    SPREAD = "spread"
    """The least, the most, or how far they scatter."""
    ALL = "all"
    """Over all levels, in a way that is not told."""


Levels = tuple[tuple[str, str], ...]
"""Factor → level, sorted by factor."""


@dataclass(frozen=True)
class Place:
    """Where a figure stands."""

    table: str
    line: int
    column: str


@dataclass(frozen=True)
class Metric:
    """A metric by its name in lower case, as ``tps`` or ``p95``."""

    name: str
    kind: Kind


UNKNOWN = Metric("figure", Kind.OTHER)
"""The metric of columns that have a subject, a round or a load as their heading alone."""


@dataclass(frozen=True)
class Figure:
    """One figure of a table.

    ``levels`` has all factors but subject, round and part. A subject is "" where there is none.
    """

    metric: Metric
    number: Number
    place: Place
    subject: str = ""
    levels: Levels = ()
    round: str | None = None
    part: str = ""
    summary: Summary | None = None
    summarised: str = ""
    """The column over whose levels it is a summary; "" where it is over the rounds."""

    @property
    def value(self) -> float:
        """Return the value alone."""
        return self.number.value

    def level(self, factor: str) -> str | None:
        """Return the level of a factor; None where the figure does not name it."""
        return dict(self.levels).get(factor)


@dataclass(frozen=True)
class Claim:
    """A percentage or a ratio that a table states of two of its subjects.

    ``over`` is the column over whose levels it is one figure, or "".
    """

    number: Number
    form: ClaimForm
    place: Place
    levels: Levels = ()
    metric: str = ""
    """The metric's name where the heading tells it."""
    kind: Kind | None = None
    """And its kind."""
    above: str = ""
    """The subject that is held against the other one, as the heading has it."""
    below: str = ""
    over: str = ""
    round: str | None = None
    """The only round that it is of."""
    is_of_column: bool = False
    """Whether it is of the figures above it in its own column."""
    is_reduction: bool = False
    """Whether a positive figure says that something became smaller."""
    sign: int = 0
    """1 where a positive figure says that the metric became larger, -1 smaller, 0 if not told."""
    is_speed_up: bool = False
    """Of times, how many times shorter; in percent it may be a change: 40 % may be 1.4 times."""
    is_unit_told: bool = True
    """Whether heading or cell say that it is in percent; 0.2 may otherwise be 20 %."""
    column: str = ""
    """The heading that tells what it is, or the text that stands for it."""


@dataclass(frozen=True)
class Column:
    """A column with its role; ``unit`` is what its heading says in parentheses."""

    name: str
    role: Role
    unit: str = ""


@dataclass(frozen=True)
class ResultsTable:
    """All that a table says. ``figures`` has rounds and summaries alike.

    ``stated`` are means of rounds that a table of claims gives. ``absent`` are cells that say that
    there is no figure, ``blank`` such that say nothing at all.
    """

    name: str
    path: Path
    columns: tuple[Column, ...]
    figures: tuple[Figure, ...]
    claims: tuple[Claim, ...] = ()
    stated: tuple[Figure, ...] = ()
    absent: tuple[Figure, ...] = ()
    blank: tuple[Place, ...] = ()
    unread: tuple[Place, ...] = ()
    """Cells that hold no number where one is expected."""
    texts: tuple[Text, ...] = ()
    """The paragraphs beside it."""
    section: tuple[str, str] | None = None
    """Factor and level, where the line above it says ``buffer pool = 48G``."""
    description: Description = NOTHING_TOLD
    notes: tuple[Note, ...] = ()
    """What texts beside the table told of its facts."""
    placed: tuple[Placed, ...] = ()
    """The servers of all tables of its file, with their roles."""

    def named(self, role: Role) -> tuple[str, ...]:
        """Return the names of the columns that have a role."""
        return tuple(column.name for column in self.columns if column.role is role)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Return what is compared, in the order of the table."""
        return tuple(dict.fromkeys(each.subject for each in self.figures if each.subject))

    @property
    def rounds(self) -> tuple[Figure, ...]:
        """Return the figures that are measured, without summaries of others."""
        return tuple(each for each in self.figures if each.summary is None)
