"""The other hosts on which an experiment's generators run, while trials do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from dbdyno.experiment.model import Experiment
from dbdyno.generator.pool.generators import Elsewhere


@contextmanager
def generator_hosts(experiment: Experiment) -> Iterator[Elsewhere | None]:
    """Reach the hosts of an experiment, and yield what starts generators there; None without any.

    ``RunError`` with its name where one cannot be reached.
    """
    if all(generator.host is None for generator in experiment.generators):
        yield None
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
        yield partial(start_elsewhere, hosts)
