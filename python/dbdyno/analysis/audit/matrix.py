"""Rows that stand twice, and cells that the matrix of a table lacks."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise

from dbdyno.analysis.audit.cells import label
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import UNKNOWN, Figure, Kind, Role
from dbdyno.results_table.rows import THREADS
from dbdyno.results_table.vocabulary import TOTAL

FEWEST_GROUPS = 3
"""Fewer do not tell which levels are usual."""
FILLED = 0.9
"""The share of a column's cells that must hold a figure before an empty one is missed."""

FLAT = 0.03
"""A curve that changes by less from load to load may have two equal figures."""
SURE_DIGITS = 7
"""So many equal ones are no accident on any curve."""

SUBJECT, ROUND, PART = "subject", "round", "part"


def check_duplicates(joined: Joined) -> Iterator[AuditFinding]:
    """Yield cells that are there twice where the others are there once."""
    groups: dict[tuple[object, ...], list[Figure]] = defaultdict(list)
    for each in joined.data.rounds:
        # Two columns of totals are of other parts.
        total = each.place.column if TOTAL.search(each.place.column) else ""
        key = (each.metric, each.subject, each.levels, each.round, each.part, total)
        groups[key].append(each)
    single = [found for found in groups.values() if len(found) == 1]
    twice = [found for found in groups.values() if len(found) > 1]
    has_rounds = any(each.round for each in joined.data.rounds)
    # Rows alike in all but their figures are rounds without a number, if most cells have them.
    if not twice or (not has_rounds and len(twice) >= len(single)):
        return
    lines = [
        Line(
            "duplicate",
            cell=_name(_key(found[0])),
            column=found[0].place.column,
            lines=tuple(dict.fromkeys(each.place.line for each in found)),
            values=tuple(each.number.text for each in found),
        )
        for found in twice
    ]
    yield AuditFinding(Code.DUPLICATE, joined.data.name, tuple(lines))


def check_copied(joined: Joined) -> Iterator[AuditFinding]:
    """Yield rates that are the same at two loads to the last digit, as the figures beside them."""
    curves: dict[Hashable, list[Figure]] = defaultdict(list)
    loads = {*joined.data.named(Role.LOAD), THREADS}
    for each in joined.data.rounds:
        rest = tuple(level for level in each.levels if level[0] not in loads)
        is_rate = each.metric.kind is Kind.THROUGHPUT or each.metric == UNKNOWN
        if is_rate and len(rest) < len(each.levels):
            curves[each.metric, each.subject, rest, each.round, each.part].append(each)
    lines = [line for curve in curves.values() for line in _copies(joined, curve)]
    if lines:
        yield AuditFinding(Code.COPIED, joined.data.name, tuple(lines))


def _copies(joined: Joined, curve: Sequence[Figure]) -> Iterator[Line]:
    """Yield neighbours of a curve that are equal, where chance does not make them so.

    Rates that hardly change with the load may be equal by chance, unless they have many digits.
    """
    if min((each.value for each in curve), default=0) <= 0:
        return
    steps = sorted(abs(math.log(b.value / a.value)) for a, b in pairwise(curve))
    is_flat = len(steps) < 2 or steps[len(steps) // 2] < FLAT
    for first, second in pairwise(curve):
        digits = len(re.sub(r"\D", "", first.number.text).strip("0"))
        enough = digits + _digits_beside(joined, first, second) >= (SURE_DIGITS if is_flat else 4)
        if first.value == second.value and digits >= 3 and enough:
            yield Line(
                "copied",
                cell=_name(_key(first)),
                other_cell=_name(_key(second)),
                column=first.metric.name,
                lines=tuple(dict.fromkeys((first.place.line, second.place.line))),
                stated=first.number.text,
            )


def _digits_beside(joined: Joined, first: Figure, second: Figure) -> int:
    """Return how many digits the other figures of two rows have in common."""
    if first.place.line == second.place.line:
        return 0
    rows: dict[int, dict[str, str]] = defaultdict(dict)
    for each in joined.data.rounds:
        if each.subject == first.subject and each.place.column != first.place.column:
            rows[each.place.line][each.place.column] = each.number.text
    one, other = rows[first.place.line], rows[second.place.line]
    same = (text for column, text in one.items() if other.get(column) == text)
    return sum(len(re.sub(r"\D", "", text).strip("0")) for text in same)


def check_missing(joined: Joined) -> Iterator[AuditFinding]:
    """Yield cells that are missing where all others of their kind are there."""
    keys: dict[str, list[dict[str, str]]] = defaultdict(list)
    for each in (*joined.data.rounds, *joined.data.absent):
        if each.summary is None:
            keys[each.metric.name].append(_key(each))
    missing: dict[frozenset[tuple[str, str]], dict[str, str]] = {}
    for found in keys.values():
        for factor in dict.fromkeys(name for key in found for name in key):
            for key in _missing(found, factor):
                # One cell may be missed along each of its factors.
                missing.setdefault(frozenset(key), dict(key))
    lines = [Line("missing", cell=_name(key)) for key in missing.values()]
    lines += _blank(joined)
    if lines:
        yield AuditFinding(Code.MISSING_CELLS, joined.data.name, tuple(lines))


def _key(figure: Figure) -> dict[str, str]:
    key = {SUBJECT: figure.subject, **dict(figure.levels)}
    key |= {ROUND: figure.round or "", PART: figure.part}
    return {name: level for name, level in key.items() if level}


def _missing(keys: list[dict[str, str]], factor: str) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield what one group alone lacks of the levels that all other groups have."""
    groups: dict[tuple[tuple[str, str], ...], set[str]] = defaultdict(set)
    for key in keys:
        if factor in key:
            groups[tuple((n, v) for n, v in key.items() if n != factor)].add(key[factor])
    usual, count = Counter(map(frozenset, groups.values())).most_common(1)[0]
    if len(groups) < FEWEST_GROUPS or count != len(groups) - 1 or len(usual) < 2:
        return
    for rest, levels in groups.items():
        if levels < usual:
            for level in sorted(usual - levels):
                yield (*rest, (factor, level))


def _blank(joined: Joined) -> Iterator[Line]:
    """Yield empty cells of columns that are full otherwise."""
    blanks = Counter(place.column for place in joined.data.blank)
    filled = Counter(each.place.column for each in joined.data.rounds)
    claims = joined.data.named(Role.CLAIM)
    for place in joined.data.blank:
        count = blanks[place.column]
        if place.column not in claims and filled[place.column] >= FILLED * (
            filled[place.column] + count
        ):
            yield Line("blank", line=place.line, column=place.column)


def _name(key: dict[str, str]) -> str:
    """Return a cell by its subject and its levels."""
    levels = {name: level for name, level in key.items() if name != SUBJECT}
    return " ".join(filter(None, (key.get(SUBJECT), label(levels))))
