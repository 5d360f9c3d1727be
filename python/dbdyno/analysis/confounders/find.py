"""What differs between compared cells besides the factor, and may be the true cause of an effect.

Single settings are in ``analysis/differences.py``. Here is everything else that is known of a
trial: which server answered, how durable its commits were, how it was reached, what it held.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qs, urlsplit

from dbdyno.analysis.confounders.model import Aspect, Confounder
from dbdyno.analysis.differences import RoundsOfCells, pairs_of_trials
from dbdyno.analysis.session_summary import isolation_of
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.store.model import StoredTrial


def find_confounders(
    factors: Sequence[FactorLevels], rounds_of: RoundsOfCells
) -> tuple[Confounder, ...]:
    """Return what differs within compared rounds, by factor; only what is known of both."""
    examples: dict[tuple[str, Aspect], tuple[str, str]] = {}
    pairs: dict[tuple[str, Aspect], set[tuple[Cell, Cell]]] = defaultdict(set)
    compared: dict[str, set[tuple[Cell, Cell]]] = defaultdict(set)
    for factor, cell, baseline, own, other in pairs_of_trials(factors, rounds_of):
        compared[factor].add((cell, baseline))
        for aspect, find in _FACTS.items():
            value, baseline_value = find(own), find(other)
            if value is not None and baseline_value is not None and value != baseline_value:
                examples.setdefault((factor, aspect), (value, baseline_value))
                pairs[factor, aspect].add((cell, baseline))
    sets = {factor.name: factor.sets for factor in factors}
    return tuple(
        Confounder(
            factor,
            aspect,
            *values,
            comparisons=len(pairs[factor, aspect]),
            compared=len(compared[factor]),
            is_expected=sets[factor].startswith(_SET_BY.get(aspect, ())),
        )
        for (factor, aspect), values in examples.items()
    )


def _transport(trial: StoredTrial) -> str | None:
    """Return how a server was reached; None of one in the generator's own process."""
    url = urlsplit(trial.url)
    if url.scheme == "sqlite":
        return None
    options = parse_qs(url.query)
    if options.get("socket"):
        return "socket"
    tls = options.get("ssl_mode", options.get("sslmode", [""]))[0].lower()
    return f"TLS/{tls}" if tls not in ("", "disable", "disabled") else "TCP"


def _cpus(trial: StoredTrial) -> str | None:
    limit = trial.server.control_group.control_group_cpu_limit_cores
    cpus = ", ".join(map(str, trial.server.cpus))
    return "; ".join(each for each in (cpus, "" if limit is None else f"{limit} CPUs") if each)


def _memory_limit(trial: StoredTrial) -> str | None:
    limit_bytes = trial.server.control_group.control_group_memory_limit_bytes
    return None if limit_bytes is None else str(limit_bytes)


def _file_system(trial: StoredTrial) -> str | None:
    place = trial.server.data_file_system
    return None if place is None else " ".join(filter(None, (place.type, place.mount_options)))


def _generators(trial: StoredTrial) -> str:
    share = trial.generator_plan.share
    return "1" if share is None else str(share.of)


_FACTS: Mapping[Aspect, Callable[[StoredTrial], str | None]] = {
    Aspect.PRODUCT: lambda trial: trial.server.product,
    Aspect.VERSION: lambda trial: trial.server.version,
    Aspect.BUILD: lambda trial: trial.server.build,
    Aspect.DURABILITY: lambda trial: trial.server.durability,
    Aspect.ISOLATION: isolation_of,
    Aspect.COLLATION: lambda trial: trial.server.collation,
    Aspect.TRANSPORT: _transport,
    Aspect.PROTOCOL: lambda trial: trial.generator_plan.protocol,
    Aspect.DATASET: lambda trial: trial.dataset.fingerprint,
    Aspect.START: lambda trial: trial.dataset.start,
    Aspect.CACHES: lambda trial: trial.dataset.caches.condition,
    Aspect.CPUS: _cpus,
    Aspect.MEMORY_LIMIT: _memory_limit,
    Aspect.FILE_SYSTEM: _file_system,
    Aspect.GENERATORS: _generators,
}

_SET_BY: Mapping[Aspect, tuple[str, ...]] = {
    Aspect.PRODUCT: ("target",),
    Aspect.VERSION: ("target",),
    Aspect.BUILD: ("target",),
    # A setting of the server may be what a commit promises. It is told all the same.
    Aspect.DURABILITY: ("server.",),
    Aspect.ISOLATION: ("session.isolation",),
    Aspect.TRANSPORT: ("target.url",),
    Aspect.PROTOCOL: ("session.protocol", "protocol"),
    Aspect.DATASET: ("workload", "data"),
    Aspect.START: ("procedure.start", "start"),
    Aspect.CACHES: ("procedure.caches", "caches"),
    Aspect.CPUS: ("limits.", "target.limits", "target.cpus", "cpus"),
    Aspect.MEMORY_LIMIT: ("limits.", "target.limits"),
    Aspect.FILE_SYSTEM: ("target.data",),
    Aspect.GENERATORS: ("generators",),
}
"""How the path of a factor begins that sets an aspect itself."""
