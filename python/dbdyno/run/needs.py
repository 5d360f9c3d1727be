"""What an experiment needs of machines: disk, memory of servers, connections, generators.

Only what follows from the file is here, and what tables and results are known to take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.experiment.design.sizes import data_bytes, is_compressed
from dbdyno.experiment.design.varied_target import data_name, target_of
from dbdyno.experiment.file.target import ClusterTarget, PrivateTarget, Target, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import Cell, PlannedTrial, ServerSetup
from dbdyno.experiment.workload.registry import dataset_key, describe_data, kinds_of
from dbdyno.run.host_loads import THIS_HOST, most_clients_of_server

TRIAL_BYTES = 60_000
"""What a trial leaves in a result beside its intervals."""
INTERVAL_BYTES = 2_000
"""What each interval leaves there of each kind of transaction: its histograms, nearly all of it."""

BUFFERS = {
    "innodb_buffer_pool_size": 1,
    "key_buffer_size": 1,
    "rocksdb_block_cache_size": 1,
    "shared_buffers": 8192,
}
"""Settings that give a server memory for data, with the bytes of a number that has no unit."""
_UNITS = {"": 0, "b": 0, "k": 1, "kb": 1, "m": 2, "mb": 2, "g": 3, "gb": 3, "t": 4, "tb": 4}


@dataclass(frozen=True)
class DatasetNeed:
    """The tables that a target is loaded with, or found with. Bytes are about so many."""

    target: str
    data: str
    data_bytes: int
    is_here: bool
    """Whether dbdyno keeps them on this machine."""
    is_compressed: bool
    """Whether the server compresses them: then they take less."""


@dataclass(frozen=True)
class Needs:
    """What an experiment needs at the most at any time."""

    datasets: tuple[DatasetNeed, ...]
    tables_bytes: int
    """Of disk here: all tables with their snapshots and the copies that servers work on."""
    result_bytes: int
    disk_bytes: int
    """Both together."""
    memory_bytes: Mapping[str, int]
    """By host, ``""`` for this one: what settings and limits give the servers of the largest cell;
    nothing where the file gives none."""
    memory_cell: str
    """The cell that gives servers here most memory; "" where none does."""
    connections: int
    connections_of_server: int
    """To the server that has the most."""
    generators: int
    workers: int
    """Of all generators together."""
    hosts: tuple[str, ...]
    """Other machines that make load."""
    cpus: tuple[int, ...]
    """The CPUs of this machine that the file gives to generators."""


def needs_of(experiment: Experiment, trials: Sequence[PlannedTrial]) -> Needs:
    """Return what the trials of a plan need."""
    plans = [trial.generator_plan for trial in trials]
    one_of_each = {trial.cell: trial for trial in trials}
    memory = {cell: _memory_of(experiment, trial) for cell, trial in one_of_each.items()}
    tables_bytes, result_bytes = tables_here_bytes(experiment, trials), _result_bytes(trials)
    connections = most = max(plan.clients for plan in plans)
    if experiment.search is not None:
        connections = max(most, experiment.search.high)
    return Needs(
        datasets=_datasets(experiment, trials),
        tables_bytes=tables_bytes,
        result_bytes=result_bytes,
        disk_bytes=tables_bytes + result_bytes,
        memory_bytes=_most_memory(memory.values()),
        memory_cell=_memory_cell(memory),
        connections=connections,
        # What a search will come to is spread like what it begins with.
        connections_of_server=-(-most_clients_of_server(experiment, trials) * connections // most),
        generators=max(len(plan.generators) or 1 for plan in plans),
        workers=max(plan.workers for plan in plans),
        hosts=tuple(sorted({part.host for plan in plans for part in plan.generators if part.host})),
        cpus=tuple(sorted({cpu for cpus in cpus_here(experiment, trials) for cpu in cpus})),
    )


def cpus_here(experiment: Experiment, trials: Sequence[PlannedTrial]) -> Iterator[tuple[int, ...]]:
    """Yield the CPUs of this machine that loads and trials ask for."""
    yield experiment.generator_cpus
    for trial in trials:
        parts = trial.generator_plan.generators
        yield from (part.cpus for part in parts if not part.host)
        if not parts:
            yield trial.generator_cpus or ()


def tables_here_bytes(experiment: Experiment, trials: Sequence[PlannedTrial]) -> int:
    """Return roughly what all tables take that are kept on this machine.

    A snapshot of each dataset is kept, and a server has one of them restored. Before the old files
    of a server go, a new copy of them may be there.
    """
    sizes = [each.data_bytes for each in _datasets(experiment, trials) if each.is_here]
    if experiment.procedure.start != "snapshot":
        return max(sizes, default=0)
    return sum(sizes) + max(sizes, default=0)


def _datasets(experiment: Experiment, trials: Sequence[PlannedTrial]) -> tuple[DatasetNeed, ...]:
    found: dict[tuple[str, str, str], DatasetNeed] = {}
    for trial in trials:
        workload = trial.generator_plan.workload
        key = trial.target, data_name(trial.target_changes), dataset_key(workload)
        if key not in found:
            is_here = _stores_here(experiment.targets[trial.target])
            found[key] = DatasetNeed(
                trial.target,
                describe_data(workload),
                data_bytes(workload),
                is_here,
                is_compressed(workload),
            )
    return tuple(sorted(found.values(), key=lambda each: (each.target, each.data_bytes)))


def _stores_here(target: Target) -> bool:
    """Tell whether a target keeps its tables on this machine, and dbdyno does so."""
    if isinstance(target, ClusterTarget):
        return target.stores_here
    return not isinstance(target, UrlTarget)


def _result_bytes(trials: Sequence[PlannedTrial]) -> int:
    total = 0.0
    for trial in trials:
        plan = trial.generator_plan
        intervals = (plan.warmup_s + plan.duration_s) / plan.interval_s
        total += TRIAL_BYTES + intervals * kinds_of(plan.workload) * INTERVAL_BYTES
    return round(total)


def _memory_cell(memory: Mapping[Cell, Counter[str]]) -> str:
    """Return the first cell that gives servers here most memory; "" where none does."""
    cell = max(memory, key=lambda each: memory[each][THIS_HOST])
    return cell.label() if memory[cell][THIS_HOST] else ""


def _most_memory(amounts: Iterable[Counter[str]]) -> dict[str, int]:
    """Return by host what the servers of the largest cell are given there."""
    most: Counter[str] = Counter()
    for amount in amounts:
        most |= amount
    return dict(most)


def _memory_of(experiment: Experiment, trial: PlannedTrial) -> Counter[str]:
    target = target_of(experiment, trial)
    found: Counter[str] = Counter()
    if isinstance(target, PrivateTarget):
        found[THIS_HOST] = _given_bytes(trial.setup.server)
    elif isinstance(target, ClusterTarget):
        for role, group in target.members.items():
            if group.sql is None:
                continue
            places = [each.host if each.is_elsewhere else THIS_HOST for each in group.places]
            for host in places or [THIS_HOST] * group.count:
                found[host] += _given_bytes(trial.setup.roles[role])
    return +found


def _given_bytes(setup: ServerSetup) -> int:
    """Return what a server is given: its limit, or else the buffers that its settings name."""
    if setup.limits.memory_bytes is not None:
        return setup.limits.memory_bytes
    settings = {**setup.settings, **setup.online}
    return sum(
        _bytes_of(value, BUFFERS[name])
        for written, value in settings.items()
        if (name := written.lower().replace("-", "_")) in BUFFERS
    )


def _bytes_of(value: str, unit_bytes: int) -> int:
    """Return the bytes of ``128G`` or ``256MB``; 0 where nobody can tell."""
    number = value.strip().rstrip("BbKkMmGgTt ")
    unit = value.strip()[len(number) :].strip().lower()
    if not number.isdecimal() or unit not in _UNITS:
        return 0
    return int(number) * (1024 ** _UNITS[unit] if unit else unit_bytes)
