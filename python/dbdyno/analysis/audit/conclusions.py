"""Sentences that were concluded, cell by cell: where they hold, where not, where it is open."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from dbdyno.analysis.audit.cells import (
    Cell,
    agrees,
    kind_of,
    label,
    main_metric,
    subjects_named,
    whole_cells_of,
)
from dbdyno.analysis.audit.changes import resolve_claims
from dbdyno.analysis.audit.falls import falls
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.analysis.audit.noise import FEW_PERCENT, Change, change, variation, variation_p_value
from dbdyno.analysis.audit.sides import Standing, is_open, levels_of, side, subjects_of
from dbdyno.errors import InputError
from dbdyno.refusal import suggest
from dbdyno.results_table.description import Conclusion
from dbdyno.results_table.model import ClaimForm, Kind, Levels

SIGNIFICANCE = 0.05
AHEAD = ("faster", "ahead")


def check_conclusions(joined: Joined) -> Iterator[AuditFinding]:
    """Yield conclusions that do not hold in all cells that they speak of."""
    named = [each for each in joined.conclusions if not _unknown(joined, each)]
    implied = [] if named else list(_implied(joined))
    for conclusion in (*named, *implied):
        lines = list(_cells(joined, conclusion))
        standings = [standing for standing, _ in lines]
        failing = [line for standing, line in lines if standing is not Standing.HOLDS]
        if not failing:
            continue
        holding = [line for standing, line in lines if standing is Standing.HOLDS]
        yield AuditFinding(
            Code.HOLDS_IN_PART,
            joined.data.name,
            (*failing, *holding),
            (
                ("subject", _who(conclusion)),
                ("than", _than(joined, conclusion)),
                ("best_of", _variants(joined, conclusion)),
                ("where", label(levels_of(conclusion.where))),
                ("cells", len(lines)),
                ("holds", standings.count(Standing.HOLDS)),
                ("is_implied", int(conclusion in implied)),
            ),
            variant=_variant(conclusion),
        )


def _is_of_times(conclusion: Conclusion, joined: Joined) -> bool:
    metric = conclusion.metric or main_metric(joined.data)
    return metric is not None and kind_of(joined.data, metric) is Kind.RESPONSE


def _in_words(conclusion: Conclusion) -> str:
    return json.dumps(conclusion.model_dump(exclude_defaults=True), ensure_ascii=False)


def _variant(conclusion: Conclusion) -> str:
    return "falls_more" if conclusion.says == "falls" and conclusion.than else conclusion.says


def _who(conclusion: Conclusion) -> str:
    """Return whom a conclusion is about, with the levels that it is held to."""
    return " ".join(filter(None, (conclusion.subject, label(levels_of(conclusion.where)))))


def _than(joined: Joined, conclusion: Conclusion) -> str:
    levels = label(levels_of(conclusion.than_where))
    own = subjects_of(joined.data, conclusion)
    others = [name for name in joined.data.subjects if name not in own]
    than = conclusion.than or ("" if levels else ", ".join(others))
    return " ".join(filter(None, (than, levels)))


def _variants(joined: Joined, conclusion: Conclusion) -> tuple[str, ...]:
    """Return what ``than`` stands for where it is several, of which the best is compared."""
    is_best = conclusion.says not in ("steadier", "alike", "falls") and not conclusion.than_where
    if conclusion.than is None or not is_best:
        return ()
    own = subjects_of(joined.data, conclusion)
    named = subjects_named(joined.data, conclusion.than)
    variants = tuple(each for each in named if each not in own)
    return variants if len(variants) > 1 else ()


def refuse_unknown(tables: Sequence[Joined]) -> None:
    """Raise InputError for a conclusion about what none of its tables has.

    A description may be of several tables, and a conclusion of one of them.
    """
    for joined in tables:
        for conclusion in joined.conclusions:
            owners = [each for each in tables if conclusion in each.conclusions]
            if all(_unknown(each, conclusion) for each in owners):
                name, known = _unknown(joined, conclusion)[0]
                raise InputError(
                    f"{joined.data.name}: a claim of the description names {name!r}; "
                    + (suggest(name, known) if known else "it has no subjects")
                )
            if conclusion.says == "falls" and all(
                _is_of_times(conclusion, each) for each in owners
            ):
                raise InputError(
                    f"{joined.data.name}: says: falls is about a rate, and not about "
                    f"{conclusion.metric}"
                )
            if not any(any(_cells(each, conclusion)) for each in owners):
                raise InputError(
                    f"{joined.data.name}: no figures are compared by the description's claim "
                    f"{_in_words(conclusion)}"
                )


def _unknown(joined: Joined, conclusion: Conclusion) -> list[tuple[str, list[str]]]:
    """Return the names of a conclusion that a table has not, each with what it has."""
    table = joined.data
    names = filter(None, (conclusion.subject, conclusion.than))
    unknown = [(n, list(table.subjects)) for n in names if not subjects_named(table, n)]
    factors = sorted({name for each in table.figures for name, _ in each.levels})
    lower = {name.lower() for name in factors}
    where = (*conclusion.where, *conclusion.than_where)
    return unknown + [(name, factors) for name in where if name.lower() not in lower]


def _implied(joined: Joined) -> Iterator[Conclusion]:
    """Yield what ratios of chosen cells say together: one subject is behind everywhere."""
    for column in resolve_claims(joined):
        ratios = [each for each in column if each.claim.form is ClaimForm.RATIO and each.matched]
        is_open = any(len({pair.above.levels for pair in each.pairs}) > 1 for each in ratios)
        values = [each.claim.number.value for each in ratios]
        first = ratios[0].claim if ratios else None
        if first is None or not is_open or not first.below or len(ratios) < len(column):
            continue
        if all(value < 1 for value in values) or all(value > 1 for value in values):
            yield Conclusion(
                says="behind" if values[0] < 1 else "ahead",
                subject=ratios[0].matched[0].above.subject,
                than=first.below,
                metric=ratios[0].metric,
            )


def _cells(joined: Joined, conclusion: Conclusion) -> Iterator[tuple[Standing, Line]]:
    metric = conclusion.metric or main_metric(joined.data)
    if metric is None:
        return
    less_is_better = _is_of_times(conclusion, joined)
    if conclusion.says == "falls":
        yield from falls(joined, conclusion, metric)
        return
    for levels, mine, theirs in _opposed(joined, conclusion, metric):
        if conclusion.says == "steadier":
            yield from _steadiness(levels, mine, theirs)
        elif conclusion.says == "alike":
            yield from (_likeness(levels, own, other) for own in mine for other in theirs)
        else:
            yield _speed(levels, mine, theirs, conclusion.says, less_is_better)


Opposed = tuple[Levels, list[Cell], list[Cell]]


def _opposed(joined: Joined, conclusion: Conclusion, metric: str) -> Iterator[Opposed]:
    """Yield the cells of both sides that agree in all that the conclusion does not name.

    Other levels of a subject are compared with its own.
    """
    own = subjects_of(joined.data, conclusion)
    where, than_where = levels_of(conclusion.where), levels_of(conclusion.than_where)
    if conclusion.than:
        others = subjects_named(joined.data, conclusion.than)
    else:
        others = own if than_where else [n for n in joined.data.subjects if n not in own]
    if not than_where:
        others = [name for name in others if name not in own]
    named = {name.lower() for name, _ in than_where}
    is_of_one = bool(than_where) and not conclusion.than
    sides: dict[tuple[str, Levels], tuple[list[Cell], list[Cell]]] = defaultdict(lambda: ([], []))
    for cell in whole_cells_of(joined.data, metric):
        rest = tuple((n, level) for n, level in cell.levels if n.lower() not in named)
        key = cell.subject if is_of_one else "", rest
        if cell.subject in own and agrees(cell.levels, where):
            sides[key][0].append(cell)
        if cell.subject in others and agrees(cell.levels, than_where or where):
            sides[key][1].append(cell)
    for (_, rest), (mine, theirs) in sides.items():
        if mine and theirs:
            yield rest, mine, theirs


def _alike(found: Change | None) -> Standing:
    """Return whether cells are alike: within a few percent, as an interval or as single runs."""
    if found is None:
        return Standing.OPEN
    low, high = found.ends_percent
    if low > -FEW_PERCENT and high < FEW_PERCENT:
        return Standing.HOLDS
    is_apart = low >= FEW_PERCENT or high <= -FEW_PERCENT
    return Standing.REVERSED if is_apart else Standing.OPEN


def _speed(
    levels: Levels,
    mine: Sequence[Cell],
    theirs: Sequence[Cell],
    says: str,
    less_is_better: bool,
) -> tuple[Standing, Line]:
    """Compare the best variant of one with the best of the other."""
    sign = -1 if less_is_better else 1
    own, other = (max(cells, key=lambda cell: sign * cell.mean) for cells in (mine, theirs))
    found = change(own.values, other.values)
    difference = sign * (own.mean - other.mean) * (1 if says in AHEAD else -1)
    standing = Standing.HOLDS if difference > 0 else Standing.REVERSED
    if found is not None and is_open(found):
        standing = Standing.OPEN
    return standing, _line(f"speed_{standing.value}", levels, (own, other), found)


def _likeness(levels: Levels, own: Cell, other: Cell) -> tuple[Standing, Line]:
    found = change(own.values, other.values)
    standing = _alike(found)
    kind = "differs" if standing is Standing.REVERSED else standing.value
    return standing, _line(f"speed_{kind}", levels, (own, other), found)


def _line(kind: str, levels: Levels, both: tuple[Cell, Cell], found: Change | None) -> Line:
    own, other = both
    return Line(
        kind,
        cell=label(levels),
        subject=side(own, levels),
        figure=own.mean,
        other=side(other, levels),
        other_figure=other.mean,
        change_percent=None if found is None else found.percent,
        low_percent=None if found is None else found.low_percent,
        high_percent=None if found is None else found.high_percent,
    )


def _steadiness(
    levels: Levels, mine: Sequence[Cell], theirs: Sequence[Cell]
) -> Iterator[tuple[Standing, Line]]:
    for own in mine:
        for other in theirs:
            if len(own.figures) < 2 or len(other.figures) < 2 or min(own.mean, other.mean) <= 0:
                continue
            first, second = variation(own.values), variation(other.values)
            p_value = variation_p_value(own.values, other.values)
            standing = Standing.HOLDS if first < second else Standing.REVERSED
            if p_value >= SIGNIFICANCE:
                standing = Standing.OPEN
            yield (
                standing,
                Line(
                    f"steady_{standing.value}",
                    cell=label(levels),
                    subject=side(own, levels),
                    variation_percent=100 * first,
                    other=side(other, levels),
                    other_variation_percent=100 * second,
                    p_value=p_value,
                    rounds=len(own.figures),
                ),
            )
