"""The other hosts on which an experiment's generators run, while trials do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.facts.host import OtherHost
from dbdyno.generator.pool.generators import Elsewhere
from dbdyno.run.host_loads import client_needs, servers_of_hosts, ways_to_generators
from dbdyno.run.preflight import require_none
from dbdyno.target.problem import Problem
from dbdyno.watch.client_limits import client_limits, shortages


@dataclass(frozen=True)
class Reached:
    """The hosts of generators, where there are any: what starts one there, and their facts.

    ``find`` sees that a host can be reached, and raises ``RunError`` where it cannot be now.
    """

    start: Elsewhere | None = None
    find: Callable[[str], None] | None = None
    facts: Mapping[str, OtherHost] = field(default_factory=dict)


@contextmanager
def generator_hosts(
    experiment: Experiment, trials: Sequence[PlannedTrial], check: Callable[[], None]
) -> Iterator[Reached]:
    """Reach the hosts of an experiment's generators, and see that they can have the clients.

    ``check`` is called while they are waited for, and raises to end that.

    ``RunError`` with its name where one cannot be reached, and ``InputError`` with the names of
    those that have another version of dbdyno.
    """
    if all(generator.host is None for generator in experiment.generators):
        yield Reached()
        return
    # What this needs takes seconds to import.
    from dbdyno.remote.hosts import GeneratorHosts
    from dbdyno.remote.member import start_elsewhere

    with GeneratorHosts(ways_to_generators(experiment), check) as hosts:
        facts = hosts.facts(servers_of_hosts(experiment, trials))
        _check_clients(experiment, trials, facts)
        yield Reached(partial(start_elsewhere, hosts), hosts.find, facts)


def _check_clients(
    experiment: Experiment, trials: Sequence[PlannedTrial], facts: Mapping[str, OtherHost]
) -> None:
    """Refuse clients for which a host has too few files or ports, all hosts in one message."""
    problems = [
        Problem(f"host {host}: {words}", is_input=True)
        for host, needs in client_needs(experiment, trials).items()
        if host in facts and (known := facts[host].facts) is not None
        for words in shortages(client_limits(known), needs)
    ]
    require_none(problems)
