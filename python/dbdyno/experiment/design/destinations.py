"""Where the clients of one generator connect to that are not sent to all that a URL names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from dbdyno.database.hosts import take_apart
from dbdyno.experiment.design.resolved_cell import ResolvedCell
from dbdyno.experiment.design.varied_target import target_of
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.target import Target, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.refusal import suggest

Destinations = Mapping[str, tuple[str, ...]]
"""What ``to`` may name, each with what that stands for in a plan."""


def destinations(target: Target) -> Destinations | None:
    """Return what a generator may be sent to; None where a target has only one place."""
    if isinstance(target, UrlTarget):
        return {host: (host,) for host in take_apart(target.url).hosts}
    return None


def chosen(to: Iterable[str], target: Target) -> tuple[str, ...]:
    """Return where a generator is sent that names some destinations: to those that are there."""
    known = destinations(target) or {}
    return tuple(dict.fromkeys(each for name in to for each in known.get(name, ())))


def check_destinations(
    experiment: Experiment, cells: Sequence[ResolvedCell], places: Mapping[str, Location]
) -> None:
    """FieldError for a destination that no cell has, and for a cell that has none of them.

    ``places`` is where each set of generators stands in the file.
    """
    for name, generators in experiment.generator_sets.items():
        mine = [cell for cell in cells if cell.generator_set == name]
        for index, generator in enumerate(generators):
            if generator.to is not None and mine:
                place = (*places[name], index, "to")
                _check(experiment, mine, generator.to, place)


def _check(
    experiment: Experiment, cells: Sequence[ResolvedCell], to: Sequence[str], place: Location
) -> None:
    known: dict[str, str] = {}
    for cell in cells:
        found = destinations(target_of(experiment, cell))
        if found is None:
            raise FieldError(
                place,
                f"chooses hosts of a target by url, and {cell.target!r} is none; remove it",
            )
        known |= dict.fromkeys(found, cell.target)
    for name in to:
        if name not in known:
            raise FieldError(place, _unknown(name, known))
    for cell in cells:
        if not chosen(to, target_of(experiment, cell)):
            raise FieldError(
                place,
                f"is {', '.join(to)}, and the cell {cell.cell.label()} has none of them; name "
                f"one of {', '.join(destinations(target_of(experiment, cell)) or ())} too",
            )


def _unknown(name: str, known: Mapping[str, str]) -> str:
    targets = ", ".join(repr(target) for target, _ in groupby(known.values()))
    return f"{name!r} is no host of the target {targets}; {suggest(name, known)}"
