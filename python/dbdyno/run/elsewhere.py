"""The other hosts on which an experiment's generators run, while trials do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from dbdyno.experiment.model import Experiment
from dbdyno.facts.host import OtherHost
from dbdyno.generator.pool.generators import Elsewhere


@dataclass(frozen=True)
class Reached:
    """The hosts of generators: what starts one there, where there are any, and their facts."""

    start: Elsewhere | None = None
    facts: Mapping[str, OtherHost] = field(default_factory=dict)


@contextmanager
def generator_hosts(experiment: Experiment) -> Iterator[Reached]:
    """Reach the hosts of an experiment's generators.

    ``RunError`` with its name where one cannot be reached, and ``InputError`` with the names of
    those that have another version of dbdyno.
    """
    if all(generator.host is None for generator in experiment.generators):
        yield Reached()
        return
    # What this needs takes seconds to import.
    from dbdyno.remote.hosts import GeneratorHosts
    from dbdyno.remote.member import start_elsewhere
    from dbdyno.remote.way import SSH, Way

    ways = {
        generator.host: Way(
            host=generator.host,
            command=generator.command or SSH,
            call_back=generator.call_back or "",
            python=generator.python,
        )
        for generator in experiment.generators
        if generator.host is not None
    }
    with GeneratorHosts(list(ways.values())) as hosts:
        yield Reached(partial(start_elsewhere, hosts), hosts.facts())
