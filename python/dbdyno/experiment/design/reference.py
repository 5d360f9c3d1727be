"""The reference cell: one that is measured again and again, to show how the machine drifts.

Its trials stand outside the rounds and are compared with nothing but each other: whatever moves
between them has moved the machine, the server or the data, and not a level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from dbdyno.experiment.file.base import Scalar
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.procedure import Procedure
from dbdyno.experiment.model import Combination, Factor, Level
from dbdyno.experiment.plan import Cell
from dbdyno.refusal import suggest

Item = TypeVar("Item")

OUTSIDE_ROUNDS = 0
"""The round of a trial that belongs to none."""

_LOCATION: Location = ("procedure", "reference")


def resolve_reference(
    procedure: Procedure, factors: Sequence[Factor], combinations: Sequence[Combination] | None
) -> Combination | None:
    """Return the place of the reference's level in each factor; None where there is none.

    Places and not levels, for a smoke run has other levels in the same places. FieldError for one
    that is not among the combinations, which are None where all levels are combined.
    """
    if procedure.reference is None:
        if procedure.reference_every is not None:
            raise FieldError(
                ("procedure", "reference_every"),
                "has no effect without a reference; add one, as in reference: baseline",
            )
        return None
    written = {} if isinstance(procedure.reference, str) else procedure.reference
    names = [factor.name for factor in factors]
    for name in written:
        if name not in names:
            raise FieldError((*_LOCATION, name), f"is no factor; {suggest(name, names)}")
    reference = tuple(_place(factor, written) for factor in factors)
    if combinations is not None and reference not in combinations:
        levels = (factor.levels[at].label for factor, at in zip(factors, reference, strict=True))
        label = Cell(tuple(zip(names, levels, strict=True))).label()
        raise FieldError(_LOCATION, f"is {label}, which cells leaves out; name a cell that runs")
    return reference


def _place(factor: Factor, written: Mapping[str, Scalar]) -> int:
    labels = [level.label for level in factor.levels]
    if factor.name not in written:
        return factor.baseline
    label = Level(written[factor.name]).label
    if label not in labels:
        raise FieldError(
            (*_LOCATION, factor.name), f"{label} is no level; {suggest(label, labels)}"
        )
    return labels.index(label)


def insert_reference(
    order: Sequence[Item], reference: Item, every: int | None
) -> list[tuple[Item, bool]]:
    """Return what is run in order, and whether it is the reference.

    The reference stands at the start, in the middle and at the end, or at the start, after every so
    many others, and at the end.
    """
    count = len(order)
    places = {0, count // 2, count} if every is None else {*range(0, count, every), count}
    with_reference: list[tuple[Item, bool]] = []
    for place in range(count + 1):
        if place in places:
            with_reference.append((reference, True))
        if place < count:
            with_reference.append((order[place], False))
    return with_reference


def describe_reference(label: str, count: int, every: int | None) -> str:
    """Return what is measured again and when, for those who plan."""
    when = (
        "at the start, in the middle and at the end"
        if every is None
        else (f"at the start, after every {every} trials and at the end")
    )
    return f"{label}, {when}: {count} trials more, which show drift and are compared with no cell"
