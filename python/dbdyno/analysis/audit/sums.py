"""Totals held against the parts that they are of."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.analysis.audit.cells import agrees, label
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Figure, Kind, Role, Summary

SUMMED = (Kind.THROUGHPUT, Kind.ERRORS)
"""Of response times and shares there is no sum."""


def check_sums(joined: Joined) -> Iterator[AuditFinding]:
    """Yield totals that are not the sum of their parts, a finding for all of a table."""
    totals = [
        each
        for each in joined.data.figures
        if each.summary is Summary.TOTAL and each.metric.kind in SUMMED
    ]
    lines = [line for total in totals if (line := _wrong(joined, total)) is not None]
    if lines:
        yield AuditFinding(Code.SUM_WRONG, joined.data.name, tuple(lines))


def _wrong(joined: Joined, total: Figure) -> Line | None:
    choices = [parts for parts in _parts(joined, total) if len(parts) > 1]
    if not choices or any(_adds_up(total, parts) for parts in choices):
        return None
    parts = choices[0]
    return Line(
        "sum",
        line=total.place.line,
        column=total.place.column,
        cell=label(total.levels),
        total=total.part or Summary.TOTAL.value,
        stated=total.number.text,
        parts=len(parts),
        right=sum(each.value for each in parts),
    )


def _parts(joined: Joined, total: Figure) -> Iterator[list[Figure]]:
    """Yield what a total may be of: the parts it names, those of its levels, those above it."""
    same = [
        each
        for each in joined.data.rounds
        if each.metric == total.metric
        and each.place.column == total.place.column
        and agrees(each.levels, total.levels)
        and total.subject in ("", each.subject)
    ]
    named = [each for each in same if each.part and each.part in total.part]
    if named:
        yield named
        return
    yield same
    ends = [
        each.place.line
        for each in joined.data.figures
        if each.summary is not None and each.place.line < total.place.line
    ]
    start = max(ends, default=0)
    yield [each for each in same if start < each.place.line < total.place.line]
    # A total has the clients of all its parts.
    loads = joined.data.named(Role.LOAD)
    rest = tuple(level for level in total.levels if level[0] not in loads)
    yield [
        each
        for each in joined.data.rounds
        if each.metric == total.metric
        and each.place.column == total.place.column
        and agrees(each.levels, rest)
        and start < each.place.line < total.place.line
    ]


def _adds_up(total: Figure, parts: list[Figure]) -> bool:
    tolerance = total.number.step + sum(each.number.step for each in parts) / 2
    gap = abs(total.value - sum(each.value for each in parts))
    return gap <= tolerance + 1e-9 * abs(total.value)
