"""Totals held against the parts that they are of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from dbdyno.analysis.audit.cells import agrees, label
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import UNKNOWN, Figure, Kind, Role, Summary
from dbdyno.results_table.vocabulary import TOTAL

SUMMED = (Kind.THROUGHPUT, Kind.ERRORS)
"""Of response times and shares there is no sum."""
_COUNT = re.compile(
    r"\b(counts?|number|transactions|operations|ops|queries|requests|statements|rows|calls|executed"
    r"|anzahl|transaktionen|anfragen)\b|数量|次数|笔数|事务数|总数"
)
"""What heads a column of counts, which add up; a rate per thing or a share does not."""
_NO_COUNT = re.compile(r"%|percent|ratio|share|rate|mean|avg|average|max|min|\bper\b|/|率|平均")
_RATE = re.compile(r"(/ ?|\bper )(s|sec|second|min|minute)\b", re.I)


def check_sums(joined: Joined) -> Iterator[AuditFinding]:
    """Yield totals that are not the sum of their parts, a finding for all of a table."""
    totals = [each for each in joined.data.figures if each.summary is Summary.TOTAL and _adds(each)]
    lines = [line for total in totals if (line := _wrong(joined, total)) is not None]
    lines += _wrong_across(joined)
    if lines:
        yield AuditFinding(Code.SUM_WRONG, joined.data.name, tuple(lines))


def _adds(figure: Figure) -> bool:
    """Tell whether figures of a column can be added up."""
    name = figure.metric.name.lower()
    is_count = _COUNT.search(name) is not None and _NO_COUNT.search(name) is None
    is_rate = _RATE.search(figure.place.column) is not None
    return figure.metric.kind in SUMMED or is_count or (figure.metric == UNKNOWN and is_rate)


def _wrong(joined: Joined, total: Figure) -> Line | None:
    choices = [parts for parts in _parts(joined, total) if len(parts) > 1]
    if not choices or any(_adds_up(total, parts) for parts in choices):
        return None
    return _line(total, choices[0])


def _line(total: Figure, parts: Sequence[Figure]) -> Line:
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


Row = Mapping[str, Figure]


def _wrong_across(joined: Joined) -> list[Line]:
    """Return totals that are not the sum of the columns beside them, as in most other rows."""
    rows: dict[int, dict[str, Figure]] = defaultdict(dict)
    for each in joined.data.figures:
        rows[each.place.line][each.place.column] = each
    names = [column.name for column in joined.data.columns if column.role is Role.FIGURE]
    lines: list[Line] = []
    for place, name in enumerate(names):
        if TOTAL.search(name.replace("_", " ")):
            beside = _runs(names[:place][::-1]) + _runs(names[place + 1 :])
            lines += _unlike_most(name, beside, list(rows.values()))
    return lines


def _runs(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the two or more columns next to a total that it may be of."""
    return [tuple(names[:count]) for count in range(2, len(names) + 1)]


def _unlike_most(total: str, beside: Sequence[tuple[str, ...]], rows: Sequence[Row]) -> list[Line]:
    """Return the rows that do not add up, of the columns that do in more than half of the rows."""
    for names in beside:
        full = [row for row in rows if row.keys() >= {total, *names} and row[total].value]
        wrong = [row for row in full if not _adds_up(row[total], [row[name] for name in names])]
        if len(full) - len(wrong) > max(1, len(full) / 2):
            return [_line(row[total], [row[name] for name in names]) for row in wrong]
    return []
