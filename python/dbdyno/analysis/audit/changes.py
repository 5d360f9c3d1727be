"""Claimed percentages and ratios, each with the two figures that it is of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

from dbdyno.analysis.audit.baselines import resolve_by_rows
from dbdyno.analysis.audit.cells import (
    Cell,
    agrees,
    cells_of,
    kind_of,
    main_metric,
    matching,
    subjects_named,
)
from dbdyno.analysis.audit.model import Joined
from dbdyno.analysis.audit.pairs import Pair, Resolved, Side, is_of_pair, matches
from dbdyno.results_table.model import Claim, ClaimForm, Figure, Kind, Summary


def resolve_claims(joined: Joined) -> list[list[Resolved]]:
    """Return the claims of single cells by column, each column with one direction."""
    columns: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in joined.claims:
        if not claim.over:
            columns[claim.place.table, claim.column].append(claim)
    return [found for claims in columns.values() if (found := _resolve_column(joined, claims))]


def _resolve_column(joined: Joined, claims: Sequence[Claim]) -> list[Resolved]:
    """Return the claims of a column in the way in which most of them follow.

    They compare two subjects, or each row with a row that is the baseline.
    """
    forms = [claims]
    if claims[0].form is ClaimForm.CHANGE_PERCENT and not any(c.is_unit_told for c in claims):
        forms.append([replace(claim, form=ClaimForm.DIFFERENCE) for claim in claims])
    ways = [
        way
        for form in forms
        for way in (_resolve(joined, form), resolve_by_rows(joined, form))
        if way
    ]
    best = max(ways, key=matches, default=[])
    return _of_one_sign(best)


def of_all_rounds(joined: Joined, resolved: Resolved) -> Pair | None:
    """Return the pair that a claim is of, with all rounds in place of means that are stated.

    None where it may be of several pairs, or the figures do not have the two cells.
    """
    choices = resolved.matched if len(resolved.matched) == 1 else resolved.pairs
    if len(choices) != 1:
        return None
    (pair,) = choices
    above, below = (_with_rounds(joined, resolved, side) for side in (pair.above, pair.below))
    return None if above is None or below is None else Pair(above, below)


def _with_rounds(joined: Joined, resolved: Resolved, side: Side) -> Side | None:
    if not side.is_stated:
        return side
    subjects = subjects_named(joined.data, side.subject)
    cells = matching(cells_of(joined.data, resolved.metric), subjects, side.levels)
    return _side(cells[0]) if len(cells) == 1 else None


def _resolve(joined: Joined, claims: Sequence[Claim]) -> list[Resolved]:
    """Return the claims of a column, by the metric and direction in which most of them follow."""
    candidates = [_metrics(joined, claim) for claim in claims]
    best: list[Resolved] = []
    best_score = -1
    for choice in range(max(map(len, candidates))):
        named = [
            (claim, metrics[min(choice, len(metrics) - 1)])
            for claim, metrics in zip(claims, candidates, strict=True)
            if metrics
        ]
        for above, below in _directions(joined, claims):
            found = [_one(joined, claim, metric, above, below) for claim, metric in named]
            found = [each for each in found if each.pairs]
            score = matches(found)
            if found and score > best_score:
                best, best_score = found, score
    return best


def _of_one_sign(column: list[Resolved]) -> list[Resolved]:
    """Return a column of response times without the matches whose sign means the opposite.

    Less is an improvement: some write +10 % for it, and others -10 %, but one column is alike.
    """
    signs = [_sign(each) for each in column]
    usual = 1 if signs.count(1) > signs.count(-1) else -1
    if signs.count(usual) < 2 or signs.count(1) == signs.count(-1):
        return column
    return [
        replace(each, claim=replace(each.claim, sign=usual), matched=()) if sign == -usual else each
        for each, sign in zip(column, signs, strict=True)
    ]


def _sign(resolved: Resolved) -> int:
    """Return in which of the two ways a claim follows; 0 where that is not open, or in both."""
    claim = resolved.claim
    is_open = resolved.kind is Kind.RESPONSE and claim.form is ClaimForm.CHANGE_PERCENT
    if not is_open or claim.is_reduction or len(resolved.matched) != 1:
        return 0
    fits = [
        sign
        for sign in (1, -1)
        if is_of_pair(replace(claim, sign=sign), resolved.matched[0], resolved.kind)
    ]
    return fits[0] if len(fits) == 1 else 0


def _metrics(joined: Joined, claim: Claim) -> list[str]:
    """Return the metrics that a claim may be of, the likeliest first."""
    known = {each.metric.name: each.metric.kind for each in joined.data.figures}
    if claim.metric in known:
        return [claim.metric]
    if claim.kind is not None:
        return [name for name, kind in known.items() if kind is claim.kind]
    usual = main_metric(joined.data)
    if usual is None:
        # Points are of shares, as of a hit rate.
        return list(known) if claim.form is ClaimForm.DIFFERENCE else []
    others = (name for name, kind in known.items() if kind is Kind.THROUGHPUT)
    return list(dict.fromkeys([usual, *others]))


Names = tuple[str, ...]


def _directions(joined: Joined, claims: Sequence[Claim]) -> Iterator[tuple[Names | None, Names]]:
    """Yield who may be held against whom; None for the claim's own subject."""
    subjects = joined.data.subjects
    first = claims[0]
    above = tuple(subjects_named(joined.data, first.above)) if first.above else ()
    below = tuple(subjects_named(joined.data, first.below)) if first.below else ()
    if first.form is not ClaimForm.CHANGE_PERCENT and first.below and not below:
        # A ratio of what are no subjects is none of theirs.
        return
    if any(claim.above in subjects for claim in claims):
        # The subject of the row, or the one that the heading of all of them names.
        yield from ((None, (subject,)) for subject in (below or subjects))
    elif above and below:
        yield above, below
    elif below:
        yield from (((new,), below) for new in subjects if new not in below)
    else:
        # The one that comes first is the baseline where nothing speaks against it.
        yield from (((new,), (old,)) for old, new in permutations(subjects, 2))


def _one(joined: Joined, claim: Claim, metric: str, above: Names | None, below: Names) -> Resolved:
    own = above if above is not None else (claim.above,)
    others = tuple(name for name in below if name not in own)
    kind = kind_of(joined.data, metric)
    pairs = _pairs(joined, claim, metric, own, others)
    matched = tuple(pair for pair in pairs if is_of_pair(claim, pair, kind))
    if not matched:
        # Means that stand beside the rounds are judged by themselves.
        means = [each for each in joined.data.figures if each.summary is Summary.MEAN]
        beside = _stated_pairs(joined, means, claim, own, others)
        matched = tuple(pair for pair in beside if is_of_pair(claim, pair, kind))
    return Resolved(claim, metric, kind, pairs, matched)


def _pairs(
    joined: Joined, claim: Claim, metric: str, above: Names, below: Names
) -> tuple[Pair, ...]:
    if stated := _stated_pairs(joined, joined.stated, claim, above, below):
        return stated
    cells = cells_of(joined.data, metric)
    return tuple(
        Pair(_side(one), _side(other))
        for one in _of_claim(matching(cells, above, claim.levels), claim)
        for other in _of_claim(matching(cells, below, claim.levels), claim)
        if one.levels == other.levels
    )


def _of_claim(cells: Sequence[Cell], claim: Claim) -> list[Cell]:
    """Return the cells with the figures of the claim's round and column alone, if it has them."""
    kept = [
        replace(
            cell,
            figures=tuple(
                figure
                for figure in cell.figures
                if claim.round in (None, figure.round)
                and (not claim.is_of_column or figure.place.column == claim.place.column)
            ),
        )
        for cell in cells
    ]
    return [cell for cell in kept if cell.figures]


def _stated_pairs(
    joined: Joined, means: Sequence[Figure], claim: Claim, above: Names, below: Names
) -> tuple[Pair, ...]:
    return tuple(
        Pair(one, other)
        for one in _stated(joined, means, claim, above)
        for other in _stated(joined, means, claim, below)
    )


def _stated(joined: Joined, means: Sequence[Figure], claim: Claim, names: Names) -> Iterator[Side]:
    for each in means:
        subjects = subjects_named(joined.data, each.subject) if each.subject else []
        is_here = agrees(each.levels, claim.levels) and len(each.levels) == len(claim.levels)
        if is_here and any(name in names for name in subjects):
            half_step = each.number.step / 2
            yield Side(each.subject, each.levels, (each.value,), half_step, is_stated=True)


def _side(cell: Cell) -> Side:
    return Side(cell.subject, cell.levels, tuple(cell.values), cell.half_step)
