"""Short names of cells where many factors were varied one at a time: which case, and what differs.

A cell's levels of seven factors are a long line of which most is the same everywhere. Sections that
describe each cell have three factors instead: the case as the experiment names it, the variant, and
the load. A variant is what varies within its case, or else what differs from the baselines.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import groupby
from operator import is_not
from typing import TypeVar

from dbdyno.analysis.bottleneck.model import CellLimit
from dbdyno.analysis.compare.model import MetricComparisons
from dbdyno.analysis.cost.model import CellCosts
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.steadiness.model import CellSteadiness
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.report.grammar import CASE, VARIANT, choose, levels_in_words, varied, views
from dbdyno.report.language import say

Factors = tuple[FactorLevels, ...]
OfCell = TypeVar("OfCell", CellSummary, CellCosts, CellLimit, CellSteadiness)
_PLAIN = frozenset((float, int, str, bool, type(None)))


def by_case(findings: Findings) -> Findings:
    """Return findings whose cells have short names and are in their order.

    What is compared by another factor than those that are left is compared by its variant. Nothing
    is left of effects over several cells. Cells are as they were where factors were not varied one
    at a time, or cells have no case where others have one, and where others chose the names.
    """
    case_of = _cases_of(findings)
    is_partly_named = len(set(map(bool, case_of.values()))) > 1
    is_as_named = findings.imported is not None or is_partly_named
    if is_as_named or len(views(findings.factors, findings.cells)) == 1:
        return findings
    across, factors = choose(findings.factors).across, varied(findings.factors)
    kept = tuple(
        each for each in factors if each is across or each.sets_transactions or not each.is_paired
    )
    names = _names(case_of, kept, tuple(each for each in factors if each not in kept))
    short = (*_short_factors(list(names.values())), *kept)
    if across:
        # Series are of all levels of the load, and are named by the others.
        names |= {old.without(across.name): new.without(across.name) for old, new in names.items()}
    by_variant = tuple(
        _by_variant(each, {factor.name for factor in kept}) for each in findings.compared
    )
    changed = replace(findings, factors=short, compared=by_variant, cases=())
    renamed = _renamed(changed, names)
    assert isinstance(renamed, Findings)
    return replace(
        renamed,
        cells=_in_order(renamed.cells, short),
        costs=_in_order(renamed.costs, short),
        limits=_in_order(renamed.limits, short),
        steadiness=replace(renamed.steadiness, cells=_in_order(renamed.steadiness.cells, short)),
    )


def _by_variant(compared: MetricComparisons, kept: Container[str]) -> MetricComparisons:
    """Return the comparisons of single cells alone, by the factors that cells are named by."""
    comparisons = tuple(
        each if each.factor in kept else replace(each, factor=VARIANT)
        for each in compared.comparisons
    )
    return replace(compared, comparisons=comparisons, tests=(), effects=(), partial_means=())


def _cases_of(findings: Findings) -> dict[Cell, str]:
    """Return the first case of each cell, case by case; last those that have none, with ""."""
    cells = [each.cell for each in findings.cells]
    named: dict[Cell, str] = {}
    for case in findings.cases:
        named |= {cell: case.name for cell in cells if case.has(cell) and cell not in named}
    return named | {cell: "" for cell in cells if cell not in named}


def _names(case_of: Mapping[Cell, str], kept: Factors, merged: Factors) -> dict[Cell, Cell]:
    """Return the short name of each cell."""
    names = {}
    for case, members in groupby(case_of, case_of.__getitem__):
        cells = list(members)
        varied_here = _varied_between(cells, merged) if case else ()
        for cell in cells:
            own = varied_here or tuple(
                each for each in merged if cell.level(each.name) != each.baseline_level
            )
            variant = (VARIANT, levels_in_words(cell, own) or say("baseline"))
            load = [(factor.name, cell.level(factor.name)) for factor in kept]
            names[cell] = Cell((*([(CASE, case)] if case else []), variant, *load))
    return names


def _varied_between(cells: Sequence[Cell], factors: Factors) -> Factors:
    return tuple(each for each in factors if len({cell.level(each.name) for cell in cells}) > 1)


def _short_factors(cells: Sequence[Cell]) -> Factors:
    """Return the factors that stand for many, with their levels in the order of the cells."""
    own = [name for name, _ in cells[0].levels if name in (CASE, VARIANT)]
    return tuple(
        FactorLevels(name, tuple(dict.fromkeys(cell.level(name) for cell in cells)), sets="")
        for name in own
    )


def _in_order(found: Iterable[OfCell], factors: Factors) -> tuple[OfCell, ...]:
    """Return what was found of cells so that those of a case follow each other."""

    def places(each: OfCell) -> list[int]:
        return [factor.levels.index(each.cell.level(factor.name)) for factor in factors]

    return tuple(sorted(found, key=places))


def _renamed(value: object, names: Mapping[Cell, Cell]) -> object:
    """Return a value with other names of all cells in it; the value itself where it has none."""
    if isinstance(value, Cell):
        return names.get(value, value)
    if isinstance(value, tuple):
        if _PLAIN.issuperset(map(type, value)):
            return value  # Most are long series of figures.
        items = tuple(_renamed(each, names) for each in value)
        return items if _differ(items, value) else value
    if isinstance(value, Mapping):
        keys, own = tuple(value), tuple(value.values())
        new = tuple(_renamed(each, names) for each in keys + own)
        return (
            dict(zip(new[: len(keys)], new[len(keys) :], strict=True))
            if _differ(new, keys + own)
            else value
        )
    if is_dataclass(value) and not isinstance(value, type):
        had = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        has = {name: _renamed(each, names) for name, each in had.items()}
        return replace(value, **has) if _differ(has.values(), had.values()) else value
    return value


def _differ(new: Iterable[object], old: Iterable[object]) -> bool:
    return any(map(is_not, new, old))
