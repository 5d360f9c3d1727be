"""The plan of a search: its first step, and the trials that follow from what was measured.

Each combination of the other factors' levels has a search of its own. A step has what all of them
ask for next; its trials are appended to the plan before they run, as rounds are. Where a rate was
asked for, each knee is measured again when all searches have ended, for a server may have become
faster or slower since, and the highest of many figures is too high. The trials at a share of that
throughput come last.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import geometric_mean

from dbdyno.experiment.design.estimate import estimate
from dbdyno.experiment.design.matrix import make_plan, plan_trial
from dbdyno.experiment.design.neighbours import nest_cells
from dbdyno.experiment.design.notes import make_notes
from dbdyno.experiment.design.order import interleaved_order
from dbdyno.experiment.design.resolved_cell import ResolvedCell, resolve_cells
from dbdyno.experiment.design.search import (
    Knee,
    KneeSearch,
    Point,
    find_knee,
    most_trials,
    next_levels,
)
from dbdyno.experiment.design.smoke import shrink
from dbdyno.experiment.model import Experiment, Factor, Level
from dbdyno.experiment.plan import (
    CLIENTS_FACTOR,
    CLOSED_LOOP,
    RATE_FACTOR,
    Cell,
    FactorLevels,
    Plan,
    PlannedSearch,
    PlannedTrial,
    TrialKind,
)

Points = Mapping[Cell, Sequence[Point]]
"""By combination of the other factors' levels: what its search has measured, in order."""

MEASURED_AGAIN: TrialKind = "measured again"
AGAIN_ROUNDS = 3
"""So many trials of the knee tell what it does when the trials at a rate begin."""

Wanted = list[tuple[ResolvedCell, int]]
"""Cells to be measured, each with its round."""


def plan_experiment(experiment: Experiment, *, smoke: bool = False) -> Plan:
    """Return the plan of an experiment; of a search, its first step."""
    if smoke:
        experiment = shrink(experiment)
    if experiment.search is None:
        return make_plan(experiment)
    return grow(experiment, _empty_plan(experiment), {})


def grow(experiment: Experiment, plan: Plan, points: Points) -> Plan:
    """Return the plan with the trials of the next step; the same plan where none is left."""
    search = plan.search
    assert search is not None
    if any(_is_at_rate(trial.cell) for trial in plan.trials):
        return plan
    cells = resolve_cells(experiment)
    searched = {base.cell: searched_points(plan, base.cell, points) for base in cells}
    wanted = [
        (base.cell, clients)
        for base in cells
        for clients in next_levels(knee_search(search), searched[base.cell])
    ]
    is_again = any(trial.kind == MEASURED_AGAIN for trial in plan.trials)
    if wanted and not is_again:
        return _with_trials(experiment, plan, _in_order(experiment, plan, wanted))
    if search.rate is None:
        return plan
    knees = {cell: find_knee(knee_search(search), found) for cell, found in searched.items()}
    if not is_again:
        again = [(cell, knee.clients) for cell, knee in knees.items() if knee is not None]
        return _with_trials(experiment, plan, _again(experiment, plan, again), MEASURED_AGAIN)
    rates = {
        cell: (knee.clients, search.rate * _latest_per_s(points[cell][len(searched[cell]) :], knee))
        for cell, knee in knees.items()
        if knee is not None
    }
    return _with_trials(experiment, plan, _at_rate(experiment, search, rates))


def searched_points(plan: Plan, cell: Cell, points: Points) -> Sequence[Point]:
    """Return the points of the search itself: what was measured again came after them."""
    searched = sum(
        trial.kind != MEASURED_AGAIN and trial.cell.levels[: len(cell.levels)] == cell.levels
        for trial in plan.trials
        if not _is_at_rate(trial.cell)
    )
    return points.get(cell, ())[:searched]


def _latest_per_s(again: Sequence[Point], knee: Knee) -> float:
    """Return what the knee does now; what it did in the search where it did nothing since."""
    done = [point.throughput_per_s for point in again if point.throughput_per_s > 0]
    return geometric_mean(done) if done else knee.throughput_per_s


def knee_search(search: PlannedSearch) -> KneeSearch:
    """Return what a search asks of each combination of the other factors' levels."""
    return KneeSearch(search.low, search.high, search.rounds, search.limit_s)


def _empty_plan(experiment: Experiment) -> Plan:
    asked = experiment.search
    assert asked is not None
    limits = asked.response_limit.chosen() if asked.response_limit else [(None, None)]
    ((quantile, limit_s),) = limits
    search = PlannedSearch(
        asked.low, asked.high, experiment.procedure.rounds, quantile, limit_s, asked.rate
    )
    combinations = len(resolve_cells(experiment))
    each = most_trials(knee_search(search))
    if search.rate is not None:
        each += search.rounds + _again_rounds(search)
    return Plan(
        experiment=experiment.name,
        question=experiment.question,
        factors=(),
        rounds=1,
        order=experiment.procedure.order,
        trials=(),
        estimated_s=0.0,
        pause_s=experiment.procedure.pause_s,
        notes=make_notes(experiment, resolve_cells(experiment)),
        search=replace(search, most_trials=combinations * each),
        is_smoke=experiment.is_smoke,
        is_stand_in=experiment.is_stand_in,
    )


def _in_order(experiment: Experiment, plan: Plan, wanted: list[tuple[Cell, int]]) -> Wanted:
    """Return the wanted cells, those that take a restart to change in blocks, with their rounds."""
    varied = _with_clients(experiment, sorted({clients for _, clients in wanted}))
    names = {(*base.levels, (CLIENTS_FACTOR, str(clients))) for base, clients in wanted}
    cells = [resolved for resolved in resolve_cells(varied) if resolved.cell.levels in names]
    seed = experiment.procedure.seed + len(plan.trials)
    order = [resolved for _, resolved in interleaved_order(nest_cells(varied, cells), 1, seed)]
    if plan.search is not None and plan.search.rate is not None:
        order = [_named(resolved, CLOSED_LOOP) for resolved in order]
    before = Counter(trial.cell for trial in plan.trials)
    return [(resolved, before[resolved.cell] + 1) for resolved in order]


def _again(experiment: Experiment, plan: Plan, knees: list[tuple[Cell, int]]) -> Wanted:
    """Return each knee as often as it is measured again, its rounds going on from the search's."""
    assert plan.search is not None
    once = _in_order(experiment, plan, knees)
    return [
        (resolved, number + more)
        for more in range(_again_rounds(plan.search))
        for resolved, number in once
    ]


def _again_rounds(search: PlannedSearch) -> int:
    return min(AGAIN_ROUNDS, search.rounds)


def _at_rate(
    experiment: Experiment, search: PlannedSearch, rates: Mapping[Cell, tuple[int, float]]
) -> Wanted:
    """Return the cells with their clients at so many transactions/s, round by round."""
    assert search.rate is not None
    cells = []
    for cell, (clients, rate_per_s) in rates.items():
        varied = _with_clients(experiment, [clients])
        resolved = next(
            each for each in resolve_cells(varied) if each.cell.levels[:-1] == cell.levels
        )
        load = resolved.load.with_fields({"rate": round(rate_per_s, 3)})
        cells.append(replace(_named(resolved, share_label(search.rate)), load=load))
    generator = random.Random(experiment.procedure.seed)
    return [
        (resolved, number)
        for number in range(1, search.rounds + 1)
        for resolved in generator.sample(cells, len(cells))
    ]


def share_label(share: float) -> str:
    """Return a share as a level is shown: ``70%``."""
    return f"{100 * share:g}%"


def _named(resolved: ResolvedCell, rate: str) -> ResolvedCell:
    return replace(resolved, cell=Cell((*resolved.cell.levels, (RATE_FACTOR, rate))))


def _is_at_rate(cell: Cell) -> bool:
    return dict(cell.levels).get(RATE_FACTOR, CLOSED_LOOP) != CLOSED_LOOP


def _with_clients(experiment: Experiment, clients: Sequence[int]) -> Experiment:
    """Return the experiment with one factor more."""
    factor = Factor(CLIENTS_FACTOR, "load", "clients", tuple(Level(each) for each in clients))
    return replace(experiment, factors=(*experiment.factors, factor))


def _with_trials(
    experiment: Experiment, plan: Plan, wanted: Wanted, kind: TrialKind = "compared"
) -> Plan:
    """Return the plan with trials appended, and with the levels that they bring."""
    numbers = itertools.count(len(plan.trials) + 1)
    added = tuple(
        plan_trial(experiment, next(numbers), round_number, resolved, kind)
        for resolved, round_number in wanted
    )
    trials = (*plan.trials, *added)
    return replace(
        plan,
        factors=(
            *(each.planned() for each in experiment.factors),
            *_searched_factors(plan, trials),
        ),
        rounds=max((trial.round for trial in trials), default=1),
        trials=trials,
        estimated_s=estimate(experiment, trials).total_s,
    )


def _searched_factors(plan: Plan, trials: Sequence[PlannedTrial]) -> list[FactorLevels]:
    search = plan.search
    assert search is not None
    clients = sorted({int(trial.cell.level(CLIENTS_FACTOR)) for trial in trials})
    factors = [FactorLevels(CLIENTS_FACTOR, tuple(map(str, clients)), "load.clients")]
    if search.rate is not None:
        levels = (CLOSED_LOOP, share_label(search.rate))
        factors.append(FactorLevels(RATE_FACTOR, levels, "load.rate"))
    return factors
