"""What the generators of each host have at the most in any trial: their clients, their servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dbdyno.database.hosts import take_apart
from dbdyno.database.url import tcp_servers
from dbdyno.experiment.design.varied_target import target_of
from dbdyno.experiment.file.target import ClusterTarget, PrivateTarget, Target, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.protocol.generators import GeneratorPart
from dbdyno.remote.way import SSH, Way
from dbdyno.watch.client_limits import ClientNeeds

THIS_HOST = ""
"""As a generator's part has it that runs on the runner's machine."""


def client_needs(experiment: Experiment, trials: Iterable[PlannedTrial]) -> dict[str, ClientNeeds]:
    """Return by host what its generators have at the most in any trial."""
    of_process: Counter[str] = Counter()
    to_server: Counter[str] = Counter()
    for trial in trials:
        by_server: Counter[tuple[str, str]] = Counter()
        for host, clients, servers in _processes(experiment, trial):
            of_process[host] = max(of_process[host], clients)
            for server in servers:
                by_server[host, server] += -(-clients // len(servers))
        for (host, _), clients in by_server.items():
            to_server[host] = max(to_server[host], clients)
    return {host: ClientNeeds(clients, to_server[host]) for host, clients in of_process.items()}


def most_clients_of_server(experiment: Experiment, trials: Iterable[PlannedTrial]) -> int:
    """Return how many clients the server has at the most in any trial that has the most.

    All those of a trial, where nobody can tell to which servers they go.
    """
    most = 0
    for trial in trials:
        of_server: Counter[str] = Counter()
        for _, clients, servers in _processes(experiment, trial):
            for server in servers or ("",):
                of_server[server] += -(-clients // max(len(servers), 1))
        most = max(most, *of_server.values())
    return most


def servers_of_hosts(
    experiment: Experiment, trials: Iterable[PlannedTrial]
) -> Mapping[str, tuple[str, ...]]:
    """Return by host the servers that are up already and that its generators load: host:port."""
    found: dict[str, dict[str, None]] = {}
    for trial in trials:
        if isinstance(experiment.targets[trial.target], UrlTarget):
            for host, _, servers in _processes(experiment, trial):
                found.setdefault(host, {}).update(dict.fromkeys(servers))
    return {host: tuple(servers) for host, servers in found.items()}


def _processes(
    experiment: Experiment, trial: PlannedTrial
) -> Iterator[tuple[str, int, Sequence[str]]]:
    """Yield of each process its host, its clients and the servers that these are spread over."""
    plan = trial.generator_plan
    target = target_of(experiment, trial)
    for part in plan.generators:
        yield part.host, part.share.clients(plan.clients), _servers(target, part)
    if not plan.generators:
        yield THIS_HOST, plan.clients, _servers(target)


def _servers(target: Target, part: GeneratorPart | None = None) -> tuple[str, ...]:
    """Return the servers that clients reach over TCP, as far as they are told apart before."""
    to = () if part is None else part.to
    if isinstance(target, UrlTarget):
        return tcp_servers(take_apart(target.url).with_hosts(to) if to else target.url)
    if isinstance(target, ClusterTarget):
        return to or tuple(name for names in target.entrances().values() for name in names)
    if isinstance(target, PrivateTarget) and target.transport != "socket":
        return ("server",)
    return ()


def ways_to_generators(experiment: Experiment) -> list[Way]:
    """Return the way to each host that generators of any trial run on."""
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
    return list(ways.values())
