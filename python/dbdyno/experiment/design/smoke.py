"""Shrink an experiment so that all of it, whatever it is, runs in seconds.

A smoke run shows that everything fits together and measures nothing. What it varies stays
different from level to level; server settings are left alone, for they are what might not work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.generator import GeneratorSets
from dbdyno.experiment.file.search import Search
from dbdyno.experiment.model import Experiment, Factor, Level
from dbdyno.experiment.workload.tpcc import RANGES

WARMUP_S = 0.2
DURATION_S = 1.0
PAUSE_S = 0.2
INTERVAL_S = 0.2
ROUNDS = 2

LARGEST = {
    "load.clients": 4,
    "load.workers": 2,
    "load.rate": 200,
    "workload.tables": 4,
    "workload.table_size": 1000,
    "workload.scale": 1,
    "workload.warehouses": 1,
    "generators.count": 2,
}
"""The largest value of each field; more only where a factor has more levels than that."""


def shrink(experiment: Experiment) -> Experiment:
    """Return the experiment at its smoke size."""
    procedure, sets = experiment.procedure, _shrink_generators(experiment.generator_sets)
    processes = _most_processes(sets, experiment.factors)
    largest = LARGEST | {"load.clients": _most_clients(processes, experiment.factors)}
    load, workload = experiment.load, experiment.workload
    return replace(
        experiment,
        is_smoke=True,
        load=load.with_fields(_too_large(load, "load", largest)),
        workload=workload.with_fields(_too_large(workload, "workload", largest)),
        own_workloads={
            target: own.with_fields(_too_large(own, "workload", largest))
            for target, own in experiment.own_workloads.items()
        },
        search=_shrink_search(experiment.search, processes),
        factors=tuple(_shrink_factor(factor, largest) for factor in experiment.factors),
        generator_sets=sets,
        procedure=procedure.model_copy(
            update={
                # Nothing is steady so soon: the bound is taken for a fixed time.
                "warmup": min(procedure.warmup_s, WARMUP_S),
                "duration_s": min(procedure.duration_s, DURATION_S),
                "interval_s": min(procedure.interval_s, INTERVAL_S),
                "pause_s": min(procedure.pause_s, PAUSE_S),
                "rounds": min(procedure.rounds, ROUNDS),
            }
        ),
    )


def _shrink_generators(sets: GeneratorSets) -> GeneratorSets:
    """Return sets of few processes; what they differ by stays different.

    Few clients are left: each process has a part of them that is as large as any.
    """
    largest = LARGEST["generators.count"]
    counts = [generator.count for generators in sets.values() for generator in generators]
    smaller = {count: min(count, largest) for count in counts}
    if len(sets) > 1:
        smaller = dict(zip(counts, map(int, shrink_levels(counts, largest)), strict=True))
    return {
        name: tuple(
            generator.model_copy(update={"share": None, "count": smaller[generator.count]})
            for generator in generators
        )
        for name, generators in sets.items()
    }


def shrink_levels(values: Sequence[float], largest: int) -> list[float]:
    """Return values of which none has grown and no two that differed are equal.

    The k-th smallest of n becomes k/n of the largest, or k where n is more than the largest.
    """
    if max(values) <= largest:
        return list(values)
    distinct = sorted(set(values))
    shrunk = {
        value: min(value, max(rank, largest * rank // len(distinct)))
        for rank, value in enumerate(distinct, start=1)
    }
    return [shrunk[value] for value in values]


def _most_processes(sets: GeneratorSets, factors: Sequence[Factor]) -> int:
    levels = next((each.levels for each in factors if each.sets == "generators.count"), ())
    processes = [sum(generator.count for generator in generators) for generators in sets.values()]
    return max(*processes, len(levels))


def _most_clients(processes: int, factors: Sequence[Factor]) -> int:
    """Return the largest number of clients: so many that each process has one in every cell."""
    levels = next((each.levels for each in factors if each.sets == "load.clients"), (None,))
    # The smallest of the levels is the largest one divided by their number.
    return max(LARGEST["load.clients"], processes * len(levels))


def _too_large(
    model: FileModel, subject: str, all_largest: Mapping[str, int]
) -> dict[str, int | None]:
    """Return the fields that are to become smaller, with their new values.

    A range of warehouses becomes all that are left: it may lie beyond them.
    """
    written = model.model_dump(by_alias=True)
    limits = {
        path.removeprefix(f"{subject}."): largest
        for path, largest in all_largest.items()
        if path.startswith(f"{subject}.")
    }
    smaller: dict[str, int | None] = {
        field: largest
        for field, largest in limits.items()
        # A field of this name may be something else in another workload.
        if isinstance(value := written.get(field), int | float) and value > largest
    }
    if "warehouses" in smaller:
        smaller |= {field: None for field in RANGES if written.get(field) is not None}
    return smaller


def _shrink_search(search: Search | None, processes: int) -> Search | None:
    largest = max(LARGEST["load.clients"], processes + 1)
    if search is None or search.high <= largest:
        return search
    return search.with_fields({"from": min(search.low, largest - 1), "to": largest})


def _shrink_factor(factor: Factor, largest: Mapping[str, int]) -> Factor:
    if factor.sets not in largest:
        return factor
    values = [level.value for level in factor.levels if isinstance(level.value, int | float)]
    shrunk = shrink_levels(values, largest[factor.sets])
    return replace(factor, levels=tuple(Level(value) for value in shrunk))
