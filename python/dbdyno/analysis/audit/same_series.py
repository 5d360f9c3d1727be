"""Series of figures that stand in two tables under unlike settings: one of the two is wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Figure, Kind, Role

FEWEST = 5
"""So many figures in a row that are equal to the last digit are no accident."""

Pairs = tuple[tuple[str, str], ...]
Levels = dict[str, str]
Series = tuple[Joined, Levels, list[Figure]]


def check_same_series(tables: Sequence[Joined]) -> Iterator[AuditFinding]:
    """Yield series of two tables of one file that are equal, and have unlike levels of a factor."""
    by_values: dict[tuple[str, ...], list[Series]] = defaultdict(list)
    for table in tables:
        for levels, figures in _series_of(table):
            values = tuple(each.number.text for each in figures)
            if len(set(values)) >= FEWEST:
                by_values[str(table.data.path), *values].append((table, levels, figures))
    for found in by_values.values():
        for (one, levels, figures), (other, others, same) in combinations(found, 2):
            lines = [
                Line(
                    "same_series",
                    count=len(figures),
                    first=figures[0].number.text,
                    line=same[0].place.line,
                    cell=f"{name}={others[name]}",
                    other_table=one.data.name,
                    other_line=figures[0].place.line,
                    other_cell=f"{name}={levels[name]}",
                )
                for name in levels
                if name in others and _are_unlike(levels[name], others[name])
            ]
            if one is not other and lines:
                yield AuditFinding(Code.SAME_SERIES, other.data.name, tuple(lines))


def _series_of(table: Joined) -> Iterator[tuple[Levels, list[Figure]]]:
    """Yield the rates of a table along its first column, with the levels that they have besides."""
    axis = next((column.name for column in table.data.columns), "")
    subjects = [column.name for column in table.data.columns if column.role is Role.SUBJECT]
    found: dict[tuple[str, str, Pairs], list[Figure]] = defaultdict(list)
    for each in table.data.rounds:
        if each.metric.kind is Kind.THROUGHPUT:
            rest = tuple(level for level in each.levels if level[0] != axis)
            found[each.place.column, each.subject, rest].append(each)
    for (_, subject, rest), figures in found.items():
        yield dict(rest) | dict.fromkeys(subjects[:1], subject), figures


def _are_unlike(level: str, other: str) -> bool:
    """Tell whether two levels contradict each other: one that says more than the other does not."""
    return level not in other and other not in level
