"""Refuse generators that contradict each other, the load, a target or a factor."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dbdyno.experiment.design.destinations import check_destinations
from dbdyno.experiment.design.generators import parts_of_whole, shares_of
from dbdyno.experiment.design.resolved_cell import ResolvedCell, resolve_cells
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.generator import SMALLEST_PART, UNNAMED, Generator, generator_sets
from dbdyno.experiment.file.target import SqliteTarget
from dbdyno.experiment.model import Experiment, ExperimentFile, Factor


def check_choice_of_generators(file: ExperimentFile, factors: Sequence[Factor]) -> None:
    """FieldError where there are several sets of generators, and nothing chooses one of them."""
    sets = generator_sets(file.generators)
    if len(sets) > 1 and not any(factor.chooses_generators for factor in factors):
        raise FieldError(
            ("generators",),
            "are several sets, and no factor chooses one of them; add it, the baseline first: "
            f"factors: {{generators: [{', '.join(sets)}]}}",
        )


def check_generators(experiment: Experiment) -> None:
    """FieldError where generators contradict each other, the load or a target."""
    sets = experiment.generator_sets
    for name, generators in sets.items():
        _check_shares(generators, place_of(name))
    _check_ways(experiment)
    _check_one_entry(experiment)
    cells = resolve_cells(experiment)
    for cell in cells:
        _check_cell(experiment, cell)
    check_destinations(experiment, cells, {name: place_of(name) for name in sets})


def place_of(name: str) -> Location:
    """Return where a set of generators stands in the file."""
    return ("generators",) if name == UNNAMED else ("generators", name)


def _check_one_entry(experiment: Experiment) -> None:
    varied = [
        factor.sets
        for factor in experiment.factors
        if factor.subject == "generators" and not factor.chooses_generators
    ]
    if varied and len(experiment.generators) > 1:
        raise FieldError(
            ("generators", 1), f"is there although a factor varies {varied[0]}; keep one entry"
        )


def _check_ways(experiment: Experiment) -> None:
    """Refuse a host that is reached in two ways: it has one agent for all sets."""
    ways: dict[str, tuple[Location, Generator]] = {}
    for name, generators in experiment.generator_sets.items():
        for index, generator in enumerate(generators):
            if generator.host is None:
                continue
            place: Location = (*place_of(name), index)
            first, other = ways.setdefault(generator.host, (place, generator))
            for field in ("command", "python", "call_back"):
                if getattr(other, field) != getattr(generator, field):
                    where = ".".join(map(str, first))
                    raise FieldError(
                        (*place, field),
                        f"is not what {where} has for the host {generator.host}, which has one "
                        "agent for all generators; write the same",
                    )


def _check_cell(experiment: Experiment, cell: ResolvedCell) -> None:
    generators, search = cell.generators, experiment.search
    clients = cell.load.clients if search is None else search.low
    target, place = experiment.targets[cell.target], place_of(cell.generator_set)
    count = sum(generator.count for generator in generators)
    if count > 1 and isinstance(target, SqliteTarget):
        raise FieldError(place, "are several; SQLite runs inside the generator, so keep one")
    for share in shares_of(generators):
        if share.clients(clients) == 0:
            raise FieldError(
                place,
                f"are {count}, and {clients} clients are too few for a share of "
                f"{Fraction(share.end - share.begin, share.of)}; use fewer generators or more "
                "clients",
            )


def _check_shares(generators: Sequence[Generator], place: Location) -> None:
    given = [generator.share for generator in generators if generator.share is not None]
    if not given:
        return
    for index, generator in enumerate(generators):
        if generator.share is None:
            raise FieldError(
                (*place, index, "share"),
                "is missing; give each generator its share, as in 1/2, or none of them",
            )
    if sum(given) != 1:
        shares = " + ".join(map(str, given))
        raise FieldError(place, f"have the shares {shares} = {sum(given)}; they must be 1 together")
    if parts_of_whole(generators) > SMALLEST_PART:
        raise FieldError(
            place, f"have shares of more than {SMALLEST_PART:,} parts; write simpler fractions"
        )
