"""Published tables as a report shows them: their figures, their faults, and ratios side by side."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dbdyno.analysis.audit.model import AuditFinding
from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.published.stated import Stated
from dbdyno.experiment.translated import Translated

if TYPE_CHECKING:
    from dbdyno.analysis.findings import Findings


class NoRatios(StrEnum):
    """Why no ratio of a table stands beside one of this experiment."""

    NO_MATCH = "no match"
    """No column of the table stands for a factor."""
    STAND_INS = "stand-ins"
    """No column does, because servers of a smoke run stand in for those of the table."""
    NO_LEVELS = "no levels"
    """No two cells of the table stand for levels of this experiment."""
    UNLIKE_MEASURES = "unlike measures"
    """The table counts something else than this experiment."""
    SMOKE = "smoke"
    """The figures of a smoke run mean nothing."""


@dataclass(frozen=True)
class Ratio:
    """How many times the baseline's figure a level's is: a geometric mean over combinations.

    ``combinations`` are those of the levels of all that is not matched; ``least`` and ``most`` are
    the smallest and the largest ratio of one of them. ``low`` and ``high`` are the ends of the
    95 % interval; None where there are too few rounds for one.
    """

    mean: float
    low: float | None
    high: float | None
    rounds: int
    combinations: int
    least: float
    most: float


@dataclass(frozen=True)
class MatchedLevel:
    """A level of a factor, and what the table calls it."""

    own: str
    told: str


@dataclass(frozen=True)
class RatioPair:
    """One ratio of a table, and that of the same levels in this experiment.

    ``at`` has the other factors that are matched, each with its level.
    """

    metric: Metric
    factor: str
    level: MatchedLevel
    baseline: MatchedLevel
    at: tuple[tuple[str, MatchedLevel], ...]
    published: Ratio
    own: Ratio | None
    """None where this experiment has no such ratio."""


@dataclass(frozen=True)
class PublishedTable:
    """A table with its figures as findings of their own. ``ratios`` are empty where ``why_not``."""

    name: str
    findings: Findings
    ratios: tuple[RatioPair, ...] = ()
    why_not: NoRatios | None = None
    unmatched_columns: tuple[str, ...] = ()
    """Columns that vary and stand for no factor: ratios are means over their levels."""
    unmatched_factors: tuple[str, ...] = ()
    """Factors that no column stands for: likewise."""
    stated: tuple[Stated, ...] = ()
    """The means and differences that the source states of its figures."""


@dataclass(frozen=True)
class PublishedSource:
    """All tables of one source, and what an audit finds in them."""

    source: Translated
    tables: tuple[PublishedTable, ...]
    faults: tuple[AuditFinding, ...] = ()
