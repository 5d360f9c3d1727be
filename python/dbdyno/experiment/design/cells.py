"""Which combinations of levels are cells: all of them, or those that the file names.

Combinations are places of levels and not levels, for a smoke run has other levels in the same
places.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from dbdyno.experiment.file.base import Scalar
from dbdyno.experiment.file.cells import CASE
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.model import Combination, ExperimentFile, Factor, Level, NamedCells
from dbdyno.refusal import suggest


def all_combinations(factors: Sequence[Factor]) -> list[Combination]:
    """Return the places of the levels of all combinations, in the order of the matrix."""
    return list(itertools.product(*(range(len(factor.levels)) for factor in factors)))


def resolve_combinations(
    file: ExperimentFile, factors: Sequence[Factor]
) -> tuple[Combination, ...] | None:
    """Return the combinations that run, in the order of the matrix; None where all do.

    FieldError for an entry that names what is not there or adds nothing, and for a level that no
    entry leaves.
    """
    if file.cells is None:
        return None
    if file.search is not None:
        raise FieldError(
            ("cells",),
            "cannot be used with a search, which runs all combinations; remove one of the two",
        )
    if not factors:
        raise FieldError(("cells",), "has no effect without factors; remove it")
    chosen: set[Combination] = set()
    for index, entry in enumerate(file.cells):
        fitting = set(_fitting(entry, factors, ("cells", index)))
        if fitting <= chosen:
            raise FieldError(
                ("cells", index),
                "names no combination that the entries before it do not name; remove it",
            )
        chosen |= fitting
    combinations = tuple(sorted(chosen))
    _refuse_unused_levels(file, factors, combinations)
    return combinations


def resolve_cases(file: ExperimentFile, factors: Sequence[Factor]) -> tuple[NamedCells, ...]:
    """Return the entries that have a name, which several may share, in the order of the file."""
    if any(factor.name == CASE for factor in factors):
        raise FieldError(("factors", CASE), "is what names cells; name the factor otherwise")
    return tuple(
        (str(entry[CASE][0]), _places_of(entry, factors, ("cells", index)))
        for index, entry in enumerate(file.cells or ())
        if CASE in entry
    )


def _fitting(
    entry: Mapping[str, Sequence[Scalar]], factors: Sequence[Factor], location: Location
) -> list[Combination]:
    """Return the combinations that an entry names; factors that it does not name are free."""
    names = [factor.name for factor in factors]
    for name in entry:
        if name not in (*names, CASE):
            raise FieldError((*location, name), f"is no factor; {suggest(name, names)}")
    return list(itertools.product(*_places_of(entry, factors, location)))


def _places_of(
    entry: Mapping[str, Sequence[Scalar]], factors: Sequence[Factor], location: Location
) -> tuple[tuple[int, ...], ...]:
    """Return the places of each factor's levels that an entry has."""
    return tuple(
        tuple(_places(factor, entry[factor.name], (*location, factor.name)))
        if factor.name in entry
        else tuple(range(len(factor.levels)))
        for factor in factors
    )


def _places(factor: Factor, written: Sequence[Scalar], location: Location) -> list[int]:
    labels = [level.label for level in factor.levels]
    places: list[int] = []
    for index, value in enumerate(written):
        label = Level(value).label
        if label not in labels:
            known = suggest(label, labels)
            raise FieldError((*location, index), f"{label} is no level of {factor.name}; {known}")
        if labels.index(label) in places:
            raise FieldError((*location, index), f"{label} is there already; remove one")
        places.append(labels.index(label))
    return places


def _refuse_unused_levels(
    file: ExperimentFile, factors: Sequence[Factor], combinations: Sequence[Combination]
) -> None:
    for position, factor in enumerate(factors):
        used = {combination[position] for combination in combinations}
        for place, level in enumerate(factor.levels):
            if place in used:
                continue
            is_list = isinstance(file.factors[factor.name], list)
            where: Location = ("factors", factor.name, *(() if is_list else ("levels",)), place)
            what = "the baseline and " if place == factor.baseline else ""
            raise FieldError(
                where,
                f"{level.label} is {what}in no cell: no entry of cells names it; add it to one, "
                "or remove the level",
            )
