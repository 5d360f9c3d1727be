"""Figures that look as if two were mixed up. Only those who recorded them can check that.

Two suspicions are raised. A curve of one level runs with those of another level, and is far above
one of its own that had more nodes, or memory. And what a server sends on is what another one
*received*, not what that sent: the two directions of one of them may have been swapped.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from statistics import fmean

from dbdyno.analysis.audit.cells import label
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Figure, Kind, ResultsTable, Role
from dbdyno.results_table.numbers import read_number

ALIKE = 0.05
"""Curves, and a server's two directions, that differ by less are as good as equal."""
APART = 0.15
"""By so much a curve is above another one, or a figure off another one, that is not alike."""
MOST = 0.8
"""Of the loads, in so many both must hold."""
FEWEST_LOADS = 5

_RECEIVED = re.compile(r"接收|收包|\breceived?\b|\brx\b", re.I)
_SENT = re.compile(r"发送|发包|\bsent\b|\bsend\b|\btx\b", re.I)

Rates = Mapping[str, float]
"""By load."""


def check_stray_curves(joined: Joined) -> Iterator[AuditFinding]:
    """Yield curves that are like those of another level, and unlike the others of their own."""
    for factor in (*joined.data.named(Role.FACTOR), *joined.data.named(Role.SUBJECT)):
        if lines := tuple(_strays(_curves(joined.data, factor), factor)):
            # A column that always changes with this one would say the same.
            yield AuditFinding(Code.MAY_BE_MIXED_UP, joined.data.name, lines)
            return


def _strays(curves: Sequence[_Curve], factor: str) -> Iterator[Line]:
    """Yield the curves that were faster with less: fewer nodes, less memory.

    That more of something helps at one level alone is no reason to suspect anything.
    """
    for one, other in permutations(curves, 2):
        beside = [each for each in curves if each.level != one.level]
        theirs = [each.rates for each in beside]
        if (
            one.level == other.level
            and _is_less(one.levels, other.levels)
            and len({each.level for each in beside}) == 1
            and len(theirs) > 1
            and all(_share_within(a, [b]) >= MOST for a, b in combinations(theirs, 2))
            and _share_within(one.rates, theirs) >= MOST
            and _share_above(one.rates, other.rates) >= MOST
        ):
            ratios = [rate / other.rates[at] for at, rate in one.rates.items() if at in other.rates]
            yield Line(
                "stray_curve",
                cell=label((*((factor, one.level),), *one.levels.items())),
                of_own=label((*((factor, one.level),), *other.levels.items())),
                other_cell=f"{factor}={beside[0].level}",
                count=len(ratios),
                change_percent=100 * (fmean(ratios) - 1),
            )


@dataclass(frozen=True)
class _Curve:
    """The rates of one level of a factor by load, at levels of the others."""

    level: str
    levels: Mapping[str, str]
    rates: Rates


def _curves(table: ResultsTable, factor: str) -> list[_Curve]:
    load, subject = (next(iter(table.named(role)), "") for role in (Role.LOAD, Role.SUBJECT))
    found: dict[tuple[tuple[str, str], ...], dict[str, float]] = defaultdict(dict)
    for each in table.rounds:
        levels = dict(each.levels) | ({subject: each.subject} if subject else {})
        at = levels.pop(load, None)
        if each.metric.kind is Kind.THROUGHPUT and at is not None and levels.get(factor):
            found[tuple(sorted(levels.items()))][at] = each.value
    return [
        _Curve(dict(levels)[factor], {n: v for n, v in levels if n != factor}, rates)
        for levels, rates in found.items()
        if len(rates) >= FEWEST_LOADS
    ]


def _is_less(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Tell whether two combinations differ in one number alone, and the first one has less."""
    unlike = [(one[name], other.get(name, "")) for name in one if one[name] != other.get(name)]
    if len(unlike) != 1:
        return False
    numbers = [read_number(each) for each in unlike[0]]
    return numbers[0] is not None and numbers[1] is not None and numbers[0].value < numbers[1].value


def _share_within(rates: Rates, others: Sequence[Rates]) -> float:
    """Return at which share of the loads rates are as good as equal to one of the others."""
    near = [
        any(load in each and abs(rate / each[load] - 1) <= ALIKE for each in others)
        for load, rate in rates.items()
    ]
    return sum(near) / len(near)


def _share_above(rates: Rates, other: Rates) -> float:
    above = [load in other and rate > (1 + APART) * other[load] for load, rate in rates.items()]
    return sum(above) / len(above)


def check_directions(joined: Joined) -> Iterator[AuditFinding]:
    """Yield servers whose received and sent may be swapped: who passes it on says the other."""
    received, sent = (_columns(joined.data, each) for each in (_RECEIVED, _SENT))
    if len(received) != 1 or len(sent) != 1:
        return
    first = joined.data.columns[0].name
    for role in (name for name in joined.data.named(Role.FACTOR) if name != first):
        sums = _sums(joined.data.rounds, (first, role), (received[0], sent[0]))
        found = [_swapped(role, passes, asks, sums) for passes, asks in permutations(sums, 2)]
        if lines := tuple(line for line in found if line is not None):
            # By role, or by server where that is the first column: they say the same.
            yield AuditFinding(Code.MAY_BE_MIXED_UP, joined.data.name, lines)
            return


def _columns(table: ResultsTable, pattern: re.Pattern[str]) -> list[str]:
    return [column.name for column in table.columns if pattern.search(column.name)]


Traffic = Mapping[str, tuple[float, float]]
"""Received and sent by load, of all servers of a role."""


def _sums(
    figures: Sequence[Figure], names: tuple[str, str], columns: tuple[str, str]
) -> dict[str, Traffic]:
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for each in figures:
        levels = dict(each.levels)
        if each.place.column in columns and names[0] in levels and names[1] in levels:
            direction = columns.index(each.place.column)
            found[levels[names[1]]][levels[names[0]]][direction] += each.value
    return {
        role: {load: (both[0], both[1]) for load, both in by_load.items() if min(both) > 0}
        for role, by_load in found.items()
    }


def _swapped(role: str, passes: str, asks: str, sums: Mapping[str, Traffic]) -> Line | None:
    """Return the suspicion where one role passes on what another received, and not what it sent."""
    relay, source = sums[passes], sums[asks]
    loads = [load for load in relay if load in source]
    fits = [
        load
        for load in loads
        if abs(relay[load][1] / relay[load][0] - 1) <= ALIKE
        and abs(source[load][0] / relay[load][0] - 1) <= ALIKE
        and abs(source[load][1] / relay[load][0] - 1) > APART
    ]
    if len(loads) < FEWEST_LOADS or len(fits) < MOST * len(loads):
        return None
    last = fits[-1]
    return Line(
        "swapped",
        cell=f"{role}={asks}",
        other_cell=f"{role}={passes}",
        level=last,
        received=source[last][0],
        sent=source[last][1],
        passed=relay[last][0],
        count=len(fits),
        loads=len(loads),
    )
