"""Rows that stand twice, and cells that the matrix of a table lacks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from dbdyno.analysis.audit.cells import label
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Figure, Role

FEWEST_GROUPS = 3
"""Fewer do not tell which levels are usual."""
FILLED = 0.9
"""The share of a column's cells that must hold a figure before an empty one is missed."""

SUBJECT, ROUND, PART = "subject", "round", "part"


def check_duplicates(joined: Joined) -> Iterator[AuditFinding]:
    """Yield cells that are there twice where the others are there once."""
    groups: dict[tuple[object, ...], list[Figure]] = defaultdict(list)
    for each in joined.data.rounds:
        key = (each.metric, each.subject, each.levels, each.round, each.part)
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
