"""What was asked of the trials: load, times, data and order, as the stored plan has them.

Whatever a factor varies has several values. How they are told is not said here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dbdyno.experiment.plan import Cell, Plan
from dbdyno.protocol.trial_plan import RetryPlan, TrialPlan
from dbdyno.store.model import StoredResult
from dbdyno.store.named_files import NamedFile

Value = TypeVar("Value", bound=Hashable)
Retry = RetryPlan
"""What a client does after an error, under the name by which a report knows it."""


@dataclass(frozen=True)
class WorkloadSetup:
    """A kind of workload, and the values that each of its options had."""

    kind: str
    options: Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Checks:
    """How many trials had their tables checked, of those that were stored."""

    checked: int
    trials: int
    conditions: int = 0
    """How many of TPC-C's conditions were among what was checked."""
    is_sample: bool = False
    """Whether a sample of the rows was looked at."""


@dataclass(frozen=True)
class Reference:
    """The cell that is measured again to show drift, and where its trials stand.

    One is at the start and one at the end. ``every`` is the number of other trials between two;
    None where there is but one in the middle, or none.
    """

    cell: Cell
    trials: int
    every: int | None = None


@dataclass(frozen=True)
class RunSetup:
    """What was run. Each tuple has the values that differ from cell to cell, in order."""

    workloads: tuple[WorkloadSetup, ...]
    clients: tuple[int, ...]
    rates_per_s: tuple[float | None, ...]
    """None stands for a closed loop."""
    arrivals: tuple[str, ...]
    warmups_s: tuple[tuple[float | None, float], ...]
    """The least and the most; without a least, the warm-up takes just that long."""
    durations_s: tuple[float, ...]
    intervals_s: tuple[float, ...]
    seed: int | None
    """The smallest; later rounds have the numbers after it."""
    starts: tuple[str, ...]
    caches: tuple[str, ...]
    retries: tuple[Retry, ...]
    error_budgets: tuple[float, ...]
    checks: Checks
    rounds: int
    order: str
    pause_s: float = 0.0
    """The rest between two trials."""
    reference: Reference | None = None
    """None where no cell is measured again."""
    experiment_text: str = ""
    dbdyno_version: str | None = None
    """Of the dbdyno that ran the trials."""
    experiment_sha256: str = field(default="")
    named_files: tuple[NamedFile, ...] = ()
    """The texts that the experiment file names."""


def setup_of(result: StoredResult) -> RunSetup:
    """Return what was asked of all trials of a result that are compared."""
    plan = result.plan
    asked = [trial.generator_plan for trial in plan.compared]
    datasets = [trial.dataset for trial in result.trials]
    return RunSetup(
        workloads=workload_setups(asked),
        clients=tuple(sorted({each.clients for each in asked})),
        rates_per_s=distinct(each.offered_per_s for each in asked),
        arrivals=distinct(kind for each in asked for kind in each.arrivals),
        warmups_s=distinct((each.warmup_least_s, each.warmup_s) for each in asked),
        durations_s=distinct(each.duration_s for each in asked),
        intervals_s=distinct(each.interval_s for each in asked),
        seed=_seed(plan),
        starts=distinct(each.start for each in datasets if each.start is not None),
        caches=distinct(each.caches.condition for each in datasets if each.start is not None),
        retries=distinct(each.retry for each in asked),
        error_budgets=distinct(each.error_budget for each in asked),
        checks=Checks(
            checked=sum(each.check.done for each in datasets),
            trials=len(datasets),
            conditions=max((len(each.check.conditions) for each in datasets), default=0),
            is_sample=any(each.check.is_sample for each in datasets),
        ),
        rounds=plan.rounds,
        order=plan.order,
        pause_s=plan.pause_s,
        reference=_reference(plan),
        experiment_text=result.experiment_text,
        dbdyno_version=result.host.dbdyno_version,
        experiment_sha256=hashlib.sha256(result.experiment_text.encode()).hexdigest(),
        named_files=result.named_files,
    )


def distinct(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return values without those that are there already, in the order in which they came."""
    return tuple(dict.fromkeys(values))


def _seed(plan: Plan) -> int | None:
    """Return the experiment's seed, which the first of its trials had."""
    return min((trial.generator_plan.seed for trial in plan.trials), default=None)


def _reference(plan: Plan) -> Reference | None:
    places = [at for at, trial in enumerate(plan.trials) if trial.kind == "reference"]
    if len(places) < 2:
        return None
    cell = plan.trials[places[0]].cell
    between = places[1] - places[0] - 1
    is_middle = len(places) == 3 and between == len(plan.compared) // 2
    return Reference(cell, len(places), None if is_middle or len(places) < 3 else between)


def workload_setups(asked: Iterable[TrialPlan]) -> tuple[WorkloadSetup, ...]:
    """Return each kind of workload with the values of its options."""
    options: dict[str, dict[str, list[Any]]] = {}
    for each in asked:
        for kind, given in each.workload.items():
            known = options.setdefault(kind, {})
            for name, value in _options(given).items():
                values = known.setdefault(name, [])
                # Options may be lists, which have no hash.
                if value not in values:
                    values.append(value)
    return tuple(
        WorkloadSetup(kind, {name: tuple(values) for name, values in known.items()})
        for kind, known in options.items()
    )


def _options(given: object) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}
