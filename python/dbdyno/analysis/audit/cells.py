"""Cells of a table: the figures of one metric, subject and combination of levels."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from dbdyno.results_table.evidence import measured
from dbdyno.results_table.headings import role_of
from dbdyno.results_table.model import UNKNOWN, Figure, Kind, Levels, ResultsTable, Role
from dbdyno.results_table.numbers import read_number
from dbdyno.results_table.rows import THREADS


@dataclass(frozen=True)
class Cell:
    """What was measured in one cell, a figure a round."""

    metric: str
    subject: str
    levels: Levels
    figures: tuple[Figure, ...]

    @property
    def values(self) -> list[float]:
        """Return the figures' values, in the order of the table."""
        return [each.value for each in self.figures]

    @property
    def mean(self) -> float:
        """Return the arithmetic mean of the rounds."""
        return fmean(self.values)

    @property
    def half_step(self) -> float:
        """Return how far the mean may be off by rounding."""
        return fmean(each.number.step for each in self.figures) / 2


def same_level(one: str, other: str) -> bool:
    """Tell whether two texts are one level: 32 and 32.0 are, whatever the case of letters."""
    if one.strip().lower() == other.strip().lower():
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False


_PRODUCT = re.compile(r"(\d+)\s*[*x×]\s*(\d+)", re.I)


def number_of(level: str | None) -> float | None:
    """Return the positive number that a level is, ``128 * 3`` included; None where it is none."""
    if level is None:
        return None
    if product := _PRODUCT.fullmatch(level.strip()):
        return float(product[1]) * float(product[2])
    number = read_number(level)
    return number.value if number is not None and number.value > 0 else None


def clients_of(table: ResultsTable, levels: Levels) -> float | None:
    """Return how many clients there are at some levels; None where the table does not tell."""
    own = dict(levels)
    told = (number_of(own.get(name)) for name in (*table.named(Role.LOAD), THREADS))
    return next((number for number in told if number is not None), None)


def agrees(levels: Levels, asked: Iterable[tuple[str, str]]) -> bool:
    """Tell whether levels contain those that are asked for; a factor they do not have is passed."""
    own = {name.lower(): level for name, level in levels}
    return all(
        name.lower() not in own or same_level(own[name.lower()], level) for name, level in asked
    )


def cells_of(table: ResultsTable, metric: str | None = None) -> list[Cell]:
    """Return all cells; each part of a run is one."""
    return _grouped(table.rounds, metric)


def whole_cells_of(table: ResultsTable, metric: str) -> list[Cell]:
    """Return all cells; of a run with a total, that alone. Runs of one part have no part's name."""
    found = measured(table)
    parts: dict[tuple[str, str, Levels], set[str]] = defaultdict(set)
    for each in found:
        parts[each.metric.name, each.subject, each.levels].add(each.part)
    return _grouped(
        (
            replace(each, part="")
            if len(parts[each.metric.name, each.subject, each.levels]) == 1
            else each
            for each in found
        ),
        metric,
    )


def _grouped(found: Iterable[Figure], metric: str | None) -> list[Cell]:
    grouped: dict[tuple[str, str, Levels, str], list[Figure]] = defaultdict(list)
    for each in found:
        if metric is None or each.metric.name == metric:
            grouped[each.metric.name, each.subject, each.levels, each.part].append(each)
    return [
        Cell(name, subject, _with_part(levels, part), tuple(figures))
        for (name, subject, levels, part), figures in grouped.items()
    ]


def _with_part(levels: Levels, part: str) -> Levels:
    return (*levels, ("part", part)) if part else levels


def matching(cells: Sequence[Cell], subjects: Iterable[str], asked: Levels) -> list[Cell]:
    """Return the cells of some subjects that agree with levels."""
    wanted = set(subjects)
    return [each for each in cells if each.subject in wanted and agrees(each.levels, asked)]


def subjects_named(table: ResultsTable, name: str) -> list[str]:
    """Return the subjects that a name means: it, or all whose names begin with it."""
    bare = _bare(name)
    known = table.subjects
    begin = [each for each in known if _bare(each).startswith(bare)]
    exact = [each for each in known if _bare(each) == bare]
    # ``MySQL 8`` means not MySQL 8.0 only where that is another product's version.
    return begin or exact or [each for each in known if bare and bare in _bare(each)]


def _bare(text: str) -> str:
    return "".join(text.lower().replace("_", " ").replace("-", " ").split())


CLAIMED = (Kind.RESPONSE, Kind.SUCCESS)


def has_systems(table: ResultsTable) -> bool:
    """Tell whether subjects are systems; settings with a name of their own are what they are."""
    return any(role_of(name) is Role.SUBJECT for name in table.named(Role.SUBJECT))


def main_metric(table: ResultsTable) -> str | None:
    """Return the first throughput, or else the first metric that claims are made of."""
    metrics = list(dict.fromkeys(each.metric for each in table.rounds))
    throughput = [each.name for each in metrics if each.kind is Kind.THROUGHPUT]
    others = [each.name for each in metrics if each.kind in CLAIMED or each == UNKNOWN]
    return next(iter([*throughput, *others]), None)


def kind_of(table: ResultsTable, metric: str) -> Kind:
    """Return the kind of a metric by its name."""
    kinds = {each.metric.name: each.metric.kind for each in table.figures}
    return kinds.get(metric, Kind.OTHER)


def label(levels: Levels | Mapping[str, str]) -> str:
    """Return levels as ``threads=32 buffer_pool_gib=128``, or "" where there is none."""
    pairs = levels.items() if isinstance(levels, Mapping) else levels
    return " ".join(f"{name}={level}" for name, level in pairs if level)
