"""Claims that compare each row of a table with one of them: the first, a named one, or the last.

A speed-up over one thread, a ratio to a baseline, a change since the release before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.analysis.audit.cells import number_of
from dbdyno.analysis.audit.model import Joined
from dbdyno.analysis.audit.pairs import Pair, Resolved, Side, is_of_pair, matches
from dbdyno.analysis.audit.unpaced import MOST_PER_WAREHOUSE, warehouses_of
from dbdyno.results_table.model import Claim, ClaimForm, Figure, Kind

TRIVIAL = {
    ClaimForm.RATIO: (1.0,),
    ClaimForm.RATIO_PERCENT: (100.0, 0.0),
    ClaimForm.CHANGE_PERCENT: (0.0,),
    ClaimForm.DIFFERENCE: (0.0,),
    ClaimForm.EFFICIENCY: (100.0, 1.0),
}
"""What a claim says of the baseline itself."""

Rows = Sequence[Figure]
"""The figures of one column, in the order of the table."""


@dataclass(frozen=True)
class _Way:
    """Claims as they follow from one choice of rows to compare, and how well that choice fits."""

    found: list[Resolved]
    contradicted: int
    """Claims of baselines that say that these are none."""
    is_told: bool
    """Whether a row says that it is the baseline."""

    @property
    def score(self) -> int:
        return matches(self.found) - self.contradicted

    @property
    def fits(self) -> bool:
        """Tell whether at least half of the claims follow, or the only one names its baseline."""
        return 0 < len(self.found) <= 2 * self.score or (len(self.found) == 1 and self.is_told)


def resolve_by_rows(joined: Joined, claims: Sequence[Claim]) -> list[Resolved]:
    """Return the claims of a column with the rows that most of them compare; [] if none fits."""
    own = {c.place.line: c for c in claims if c.place.table == joined.data.name}
    if not own or any(claim.is_of_column for claim in claims):
        return []
    best: _Way | None = None
    for rows in _columns(joined, claims[0]):
        for way in _ways(joined, rows, own):
            if way.fits and (best is None or way.score > best.score):
                best = way
    return best.found if best else []


def is_trivial(claim: Claim) -> bool:
    """Tell whether a claim only says that its row is the baseline."""
    return claim.number.value in TRIVIAL[claim.form]


def _columns(joined: Joined, claim: Claim) -> Iterator[Rows]:
    """Yield the columns of figures that a claim may be of, from the next one to the left on."""
    columns: dict[str, list[Figure]] = defaultdict(list)
    for each in joined.data.rounds:
        columns[each.place.column].append(each)
    names = [column.name for column in joined.data.columns]
    place = names.index(claim.place.column)
    for name in (*reversed(names[:place]), *names[place + 1 :]):
        if (rows := columns.get(name)) and _may_be_of(claim, rows[0], columns):
            yield rows


def _may_be_of(claim: Claim, figure: Figure, columns: Mapping[str, Rows]) -> bool:
    known = {rows[0].metric.name for rows in columns.values()}
    if claim.form is ClaimForm.EFFICIENCY:
        return figure.metric.kind is Kind.THROUGHPUT
    if claim.metric in known:
        return figure.metric.name == claim.metric
    return claim.kind in (None, figure.metric.kind)


def _ways(joined: Joined, rows: Rows, claims: Mapping[int, Claim]) -> Iterator[_Way]:
    """Yield the claims by each choice of groups of rows, and of the baseline in each of them."""
    scales: Sequence[str | None] = [None]
    if next(iter(claims.values())).form is ClaimForm.EFFICIENCY:
        yield _of_tpcc(joined, rows, claims)
        scales = _factors(rows)
    for scale in scales:
        for groups in _partitions(rows):
            for baseline in BASELINES:
                yield _compared(groups, claims, baseline, scale)


def _factors(rows: Rows) -> list[str]:
    """Return the factors whose levels are numbers."""
    names = dict.fromkeys(name for each in rows for name, _ in each.levels)
    return [name for name in names if all(number_of(each.level(name)) for each in rows)]


def _partitions(rows: Rows) -> list[list[Rows]]:
    """Return the rows as one group, and parted by each of subject and levels, or all but one."""
    keys = [dict(each.levels) | {"": each.subject} for each in rows]
    names = list(dict.fromkeys(name for key in keys for name in key))
    chosen = [(), *((name,) for name in names)]
    chosen += [tuple(each for each in names if each != name) for name in names]
    found: list[list[Rows]] = []
    for parted in dict.fromkeys(chosen):
        groups: dict[tuple[str | None, ...], list[Figure]] = defaultdict(list)
        for each, key in zip(rows, keys, strict=True):
            groups[tuple(key.get(name) for name in parted)].append(each)
        partition: list[Rows] = list(groups.values())
        if partition not in found and any(len(group) > 1 for group in partition):
            found.append(partition)
    return found


Baseline = Callable[[Rows, Mapping[int, Claim]], Sequence[Figure | None]]


def _named(rows: Rows, claims: Mapping[int, Claim]) -> Sequence[Figure | None]:
    """Compare with the only row that has no claim, or one that says nothing."""
    silent = [
        each
        for each in rows
        if each.place.line not in claims or is_trivial(claims[each.place.line])
    ]
    return [silent[0] if len(silent) == 1 else None] * len(rows)


BASELINES: tuple[Baseline, ...] = (
    _named,
    lambda rows, _: [rows[0]] * len(rows),
    lambda rows, _: [None, *rows[:-1]],
    lambda rows, _: [rows[-1]] * len(rows),
)


def _compared(
    groups: Sequence[Rows], claims: Mapping[int, Claim], baseline: Baseline, scale: str | None
) -> _Way:
    found, contradicted, is_told = [], 0, False
    for rows in groups:
        for own, base in zip(rows, baseline(rows, claims), strict=True):
            claim = claims.get(own.place.line)
            if base is own:
                is_told = is_told or claim is None or is_trivial(claim)
                contradicted += claim is not None and not is_trivial(claim)
            elif claim is not None and base is not None:
                pair = Pair(_side(own, scale), _side(base, scale))
                found.append(_resolved(claim, own, pair))
    return _Way(found, contradicted, is_told)


def _resolved(claim: Claim, own: Figure, pair: Pair) -> Resolved:
    kind = own.metric.kind
    matched = (pair,) if is_of_pair(claim, pair, kind) else ()
    return Resolved(claim, own.metric.name, kind, (pair,), matched)


def _side(figure: Figure, scale: str | None) -> Side:
    """Return a figure, or how much of it is of each client or node."""
    by = (number_of(figure.level(scale)) or 1.0) if scale else 1.0
    half_step = figure.number.step / 2 / by
    return Side(figure.subject, figure.levels, (figure.value / by,), half_step)


def _of_tpcc(joined: Joined, rows: Rows, claims: Mapping[int, Claim]) -> _Way:
    """Return the efficiencies of TPC-C: the rate of each warehouse to the most that it may have."""
    found = []
    most = Side("TPC-C", (), (MOST_PER_WAREHOUSE,), 0.005)
    for own in rows:
        claim, warehouses = claims.get(own.place.line), warehouses_of(joined, own)
        if claim is not None and warehouses and own.metric.name in ("tpmc", "nopm"):
            half_step = own.number.step / 2 / warehouses
            side = Side(own.subject, own.levels, (own.value / warehouses,), half_step)
            found.append(_resolved(claim, own, Pair(side, most)))
    return _Way(found, 0, is_told=True)
