"""Which generators make the load of a cell: who makes which part of it, on which CPUs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from dbdyno.database.hosts import take_apart
from dbdyno.experiment.design.resolved_cell import resolve_cells
from dbdyno.experiment.file.error import FieldError
from dbdyno.experiment.file.generator import SMALLEST_PART, Generator
from dbdyno.experiment.file.target import SqliteTarget, Target, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.protocol.generators import GeneratorPart, SharePlan


def check_generators(experiment: Experiment) -> None:
    """FieldError where generators contradict each other, the load or a target."""
    generators, targets = experiment.generators, experiment.targets
    _check_shares(generators)
    for index, generator in enumerate(generators):
        if generator.to is not None:
            _check_hosts(index, generator.to, targets)
    varied = [factor.sets for factor in experiment.factors if factor.subject == "generators"]
    if varied and len(generators) > 1:
        raise FieldError(
            ("generators", 1), f"is there although a factor varies {varied[0]}; keep one entry"
        )
    for cell in resolve_cells(experiment):
        _check_cell(cell.generators, cell.load.clients, targets[cell.target])


def _check_cell(generators: Sequence[Generator], clients: int, target: Target) -> None:
    count = sum(generator.count for generator in generators)
    if count > 1 and isinstance(target, SqliteTarget):
        raise FieldError(
            ("generators",), "are several; SQLite runs inside the generator, so keep one"
        )
    for share in _shares(generators):
        if share.clients(clients) == 0:
            raise FieldError(
                ("generators",),
                f"are {count}, and {clients} clients are too few for a share of "
                f"{Fraction(share.end - share.begin, share.of)}; use fewer generators or more "
                "clients",
            )


def _check_shares(generators: Sequence[Generator]) -> None:
    given = [generator.share for generator in generators if generator.share is not None]
    if not given:
        return
    for index, generator in enumerate(generators):
        if generator.share is None:
            raise FieldError(
                ("generators", index, "share"),
                "is missing; give each generator its share, as in 1/2, or none of them",
            )
    if sum(given) != 1:
        shares = " + ".join(map(str, given))
        raise FieldError(
            ("generators",), f"have the shares {shares} = {sum(given)}; they must be 1 together"
        )
    if _whole(generators) > SMALLEST_PART:
        raise FieldError(
            ("generators",),
            f"have shares of more than {SMALLEST_PART:,} parts; write simpler fractions",
        )


def _check_hosts(index: int, hosts: Sequence[str], targets: Mapping[str, Target]) -> None:
    for name, target in targets.items():
        if not isinstance(target, UrlTarget):
            raise FieldError(
                ("generators", index, "to"),
                f"chooses hosts of a target by url, and {name!r} is none; remove it",
            )
        known = take_apart(target.url).hosts
        for host in hosts:
            if host not in known:
                raise FieldError(
                    ("generators", index, "to"),
                    f"{host!r} is no host of the target {name!r}; known: {', '.join(known)}",
                )


def generator_parts(
    generators: Sequence[Generator],
    *,
    workers: Callable[[Sequence[int]], int],
    coalesce_us: Callable[[Generator], int | None],
) -> tuple[GeneratorPart, ...]:
    """Return what each process makes of the load; none where one process makes all of it.

    ``workers`` and ``coalesce_us`` say how a process sends that may use some CPUs.
    """
    processes = _processes(generators)
    if len(processes) == 1 and generators[0].to is None and generators[0].host is None:
        return ()
    parts = []
    for share, (generator, number) in zip(_shares(generators), processes, strict=True):
        cpus = _cpus(generator, number)
        parts.append(
            GeneratorPart(
                share=share,
                workers=workers(cpus),
                coalesce_us=coalesce_us(generator),
                busy_poll=generator.busy_poll,
                cpus=cpus,
                to=generator.to or (),
                host=generator.host or "",
            )
        )
    return tuple(parts)


def _processes(generators: Sequence[Generator]) -> list[tuple[Generator, int]]:
    """Return each process: its entry, and its number among those of the entry."""
    return [(each, number) for each in generators for number in range(each.count)]


def _shares(generators: Sequence[Generator]) -> list[SharePlan]:
    """Return what each process makes of the load, in order."""
    whole, begin, shares = _whole(generators), 0, []
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


def _whole(generators: Sequence[Generator]) -> int:
    """Return into how many equal parts a load is divided, so that each process has some of them."""
    return math.lcm(*((_share(each, generators) / each.count).denominator for each in generators))


def _cpus(generator: Generator, number: int) -> tuple[int, ...]:
    """Return the CPUs of one process of an entry: its own where there are enough for all."""
    cpus = generator.cpus or ()
    if len(cpus) < generator.count:
        return cpus
    first, last = (len(cpus) * each // generator.count for each in (number, number + 1))
    return cpus[first:last]
