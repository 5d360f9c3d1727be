"""Which generators make the load of a cell: who makes which part of it, on which CPUs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from dbdyno.experiment.file.generator import Generator
from dbdyno.protocol.generators import GeneratorPart, Placement, SharePlan


def generator_parts(
    generators: Sequence[Generator],
    *,
    placement: Callable[[Generator], Placement],
    wait: Callable[[Generator, Placement], str],
    workers: Callable[[Sequence[int], Placement, str], int],
    send_to: Callable[[Sequence[str]], tuple[str, ...]],
) -> tuple[GeneratorPart, ...]:
    """Return what each process makes of the load; none where one process makes all of it.

    ``placement`` says where the server runs, seen from a generator's CPUs, ``wait`` how
    workers wait there, ``workers`` how many threads of a process send that may use some CPUs,
    ``send_to`` what its destinations are in the cell.
    """
    processes = _processes(generators)
    if len(processes) == 1 and generators[0].to is None and generators[0].host is None:
        return ()
    parts = []
    for share, (generator, number) in zip(shares_of(generators), processes, strict=True):
        cpus, place = _cpus(generator, number), placement(generator)
        waits = wait(generator, place)
        parts.append(
            GeneratorPart(
                share=share,
                workers=workers(cpus, place, waits),
                wait=waits,
                placement=place,
                cpus=cpus,
                to=() if generator.to is None else send_to(generator.to),
                host=generator.host or "",
            )
        )
    return tuple(parts)


def _processes(generators: Sequence[Generator]) -> list[tuple[Generator, int]]:
    """Return each process: its entry, and its number among those of the entry."""
    return [(each, number) for each in generators for number in range(each.count)]


def shares_of(generators: Sequence[Generator]) -> list[SharePlan]:
    """Return what each process makes of the load, in order."""
    whole, begin, shares = parts_of_whole(generators), 0, []
    for index, (generator, _) in enumerate(_processes(generators)):
        end = begin + int(_share(generator, generators) / generator.count * whole)
        shares.append(SharePlan(index=index, begin=begin, end=end, of=whole))
        begin = end
    return shares


def _share(generator: Generator, generators: Sequence[Generator]) -> Fraction:
    """Return what an entry makes of the load, all its processes together."""
    if generator.share is not None:
        return generator.share
    return Fraction(generator.count, sum(each.count for each in generators))


def parts_of_whole(generators: Sequence[Generator]) -> int:
    """Return into how many equal parts a load is divided, so that each process has some of them."""
    return math.lcm(*((_share(each, generators) / each.count).denominator for each in generators))


def _cpus(generator: Generator, number: int) -> tuple[int, ...]:
    """Return the CPUs of one process of an entry: its own where there are enough for all."""
    cpus = generator.cpus or ()
    if len(cpus) < generator.count:
        return cpus
    first, last = (len(cpus) * each // generator.count for each in (number, number + 1))
    return cpus[first:last]
