"""Factors × levels × rounds: every trial of an experiment, in order, with all that it needs."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.experiment.design.destinations import chosen
from dbdyno.experiment.design.estimate import estimate
from dbdyno.experiment.design.generators import generator_parts
from dbdyno.experiment.design.neighbours import describe_order, nest_cells
from dbdyno.experiment.design.notes import make_notes
from dbdyno.experiment.design.order import Nest, abba_order, interleaved_order, sequential_order
from dbdyno.experiment.design.placement import placement_of_cpus, placement_of_url
from dbdyno.experiment.design.reference import (
    OUTSIDE_ROUNDS,
    describe_reference,
    insert_reference,
)
from dbdyno.experiment.design.resolved_cell import ResolvedCell, resolve_cells
from dbdyno.experiment.design.smoke import shrink
from dbdyno.experiment.design.varied_target import target_of
from dbdyno.experiment.design.workers import chosen_wait, usual_workers
from dbdyno.experiment.file.generator import Generator
from dbdyno.experiment.file.procedure import Load, Procedure
from dbdyno.experiment.file.target import ClusterTarget, SqliteTarget, UrlTarget, database_of
from dbdyno.experiment.model import Experiment, Factor
from dbdyno.experiment.plan import Case, Plan, PlannedReport, PlannedTrial, TrialKind
from dbdyno.experiment.workload.registry import plan_of, retried_errors
from dbdyno.experiment.workload.tpcc import Tpcc
from dbdyno.protocol.generators import GeneratorPart, Placement
from dbdyno.protocol.trial_plan import CLOSED, Arrivals, TrialPlan, open_loop


def make_plan(experiment: Experiment, *, smoke: bool = False) -> Plan:
    """Return the plan of an experiment, at its smoke size where asked for."""
    if smoke:
        experiment = shrink(experiment)
    assert experiment.search is None, "a search has no matrix"
    procedure = experiment.procedure
    cells = resolve_cells(experiment)
    nested = nest_cells(experiment, cells)
    order = _in_order(nested, procedure)
    reference = _reference(experiment, cells)
    trials = tuple(
        plan_trial(experiment, number, round_number, resolved, kind)
        for number, (round_number, resolved, kind) in enumerate(
            _with_reference(order, reference, procedure), start=1
        )
    )
    return Plan(
        experiment=experiment.name,
        question=experiment.question,
        factors=tuple(factor.planned() for factor in experiment.factors),
        rounds=procedure.rounds,
        order=procedure.order,
        order_in_words=describe_order(experiment, cells),
        reference_in_words=_describe_reference(procedure, reference, trials),
        trials=trials,
        estimated_s=estimate(experiment, trials).total_s,
        notes=make_notes(experiment, cells),
        margin=experiment.report.margin,
        pause_s=procedure.pause_s,
        cases=tuple(_case(experiment.factors, *each) for each in experiment.cases),
        report=PlannedReport(experiment.report.languages, experiment.report.formats),
        is_smoke=experiment.is_smoke,
        is_stand_in=experiment.is_stand_in,
    )


def _case(factors: Sequence[Factor], name: str, places: Sequence[Sequence[int]]) -> Case:
    """Return cells with the name that a report has for them, by the levels that run."""
    return Case(
        name,
        tuple(
            (factor.name, tuple(factor.levels[place].label for place in own))
            for factor, own in zip(factors, places, strict=True)
        ),
    )


def _in_order(cells: Nest[ResolvedCell], procedure: Procedure) -> list[tuple[int, ResolvedCell]]:
    """Return (round, cell) in the order that the procedure asks for."""
    if procedure.order == "interleaved":
        return interleaved_order(cells, procedure.rounds, procedure.seed)
    if procedure.order == "abba":
        return abba_order(cells, procedure.rounds)
    return sequential_order(cells, procedure.rounds)


def _reference(experiment: Experiment, cells: list[ResolvedCell]) -> ResolvedCell | None:
    """Return the cell that is measured again; None where none is."""
    if experiment.reference is None:
        return None
    levels = tuple(
        (factor.name, factor.levels[place].label)
        for factor, place in zip(experiment.factors, experiment.reference, strict=True)
    )
    return next(resolved for resolved in cells if resolved.cell.levels == levels)


def _with_reference(
    order: list[tuple[int, ResolvedCell]], reference: ResolvedCell | None, procedure: Procedure
) -> list[tuple[int, ResolvedCell, TrialKind]]:
    """Return (round, cell, kind) of all trials in order."""
    if reference is None:
        return [(number, resolved, "compared") for number, resolved in order]
    outside = (OUTSIDE_ROUNDS, reference)
    return [
        (number, resolved, "reference" if is_reference else "compared")
        for (number, resolved), is_reference in insert_reference(
            order, outside, procedure.reference_every
        )
    ]


def _describe_reference(
    procedure: Procedure, reference: ResolvedCell | None, trials: Sequence[PlannedTrial]
) -> str:
    if reference is None:
        return ""
    count = sum(trial.kind == "reference" for trial in trials)
    return describe_reference(reference.cell.label(), count, procedure.reference_every)


def plan_trial(
    experiment: Experiment,
    number: int,
    round_number: int,
    resolved: ResolvedCell,
    kind: TrialKind,
) -> PlannedTrial:
    """Return one cell in one round, with all that it needs."""
    return PlannedTrial(
        kind=kind,
        number=number,
        round=round_number,
        cell=resolved.cell,
        target=resolved.target,
        server_settings=resolved.server_settings,
        server_limits=resolved.server_limits,
        role_settings={role: dict(setup.settings) for role, setup in resolved.role_setups.items()},
        role_limits={
            role: setup.limits for role, setup in resolved.role_setups.items() if setup.limits
        },
        online=resolved.online,
        target_changes=dict(resolved.target_changes),
        generator_cpus=resolved.generator_cpus,
        generator_plan=_generator_plan(
            experiment, _seed(experiment, number, round_number), resolved
        ),
    )


def _seed(experiment: Experiment, number: int, round_number: int) -> int:
    """Return the seed of a trial's inputs.

    All cells of a round get the same one, and so the same inputs: what is compared within a round
    was asked the same. Rounds differ, so that no figure hangs on one lucky sequence. Where a trial
    takes over what the last one left, every trial has its own: the same inputs once more would
    write values that are there already, which costs a server next to nothing. All trials of the
    reference have the first round's, for nothing is to differ between them.
    """
    procedure = experiment.procedure
    if procedure.start == "continue":
        return procedure.seed + number - 1
    return procedure.seed + max(round_number, 1) - 1


def _generator_plan(experiment: Experiment, seed: int, resolved: ResolvedCell) -> TrialPlan:
    procedure = experiment.procedure
    is_sqlite = database_of(experiment.targets[resolved.target]) == "sqlite"
    usual_autocommit = is_sqlite or not isinstance(resolved.workload, Tpcc)
    only, parts = resolved.generators[0], _parts(experiment, resolved)
    placement = _placement(experiment, resolved, only)
    wait = _wait(experiment, resolved, only, placement)
    workers = _workers(experiment, resolved, only.cpus, placement, wait)
    return TrialPlan(
        workload=plan_of(resolved.workload),
        clients=resolved.load.clients,
        workers=sum(part.workers for part in parts) or workers,
        protocol=resolved.load.protocol,
        pipelining=resolved.load.pipelining,
        kernel_timestamps=resolved.load.kernel_timestamps,
        session=resolved.session.plan(usual_autocommit=usual_autocommit),
        wait=wait,
        placement=placement,
        arrivals=_arrivals(resolved.load),
        warmup_s=procedure.warmup_s,
        warmup_least_s=None if procedure.steady_warmup is None else procedure.steady_warmup.least_s,
        duration_s=procedure.duration_s,
        interval_s=procedure.interval_s,
        seed=seed,
        retry=procedure.retry.plan(retried_errors(resolved.workload)),
        error_budget=procedure.error_budget,
        limits=procedure.limits.plan(),
        generators=parts,
        on_generator_loss=procedure.on_generator_loss if parts else "fail",
    )


def _parts(experiment: Experiment, resolved: ResolvedCell) -> tuple[GeneratorPart, ...]:
    """Return what each of several generators makes of the load; none where there is one."""
    count = sum(generator.count for generator in resolved.generators)

    def workers(cpus: Sequence[int], placement: Placement, wait: str) -> int:
        # Without CPUs of their own, they have those of one among them.
        all_workers = _workers(experiment, resolved, cpus, placement, wait)
        return all_workers if cpus else max(1, all_workers // count)

    return generator_parts(
        resolved.generators,
        placement=lambda generator: _placement(experiment, resolved, generator),
        wait=lambda generator, place: _wait(experiment, resolved, generator, place),
        workers=workers,
        send_to=lambda names: chosen(names, target_of(experiment, resolved)),
    )


def _workers(
    experiment: Experiment,
    resolved: ResolvedCell,
    cpus: Sequence[int] | None,
    placement: Placement,
    wait: str,
) -> int:
    load = resolved.load
    if load.workers or cpus:
        return min(load.workers or len(cpus or ()), load.clients)
    database = database_of(experiment.targets[resolved.target])
    if database == "sqlite":
        return 1
    return usual_workers(load.clients, placement, database, wait)


def _wait(
    experiment: Experiment, resolved: ResolvedCell, generator: Generator, placement: Placement
) -> str:
    database = database_of(experiment.targets[resolved.target])
    return chosen_wait(generator.wait, placement, database)


def _placement(experiment: Experiment, resolved: ResolvedCell, generator: Generator) -> Placement:
    """Return where the server runs, seen from a generator's CPUs."""
    target = target_of(experiment, resolved)
    if generator.host is not None:
        return "elsewhere"
    if isinstance(target, UrlTarget):
        return placement_of_url(target.url, generator.cpus)
    if isinstance(target, ClusterTarget):
        return "same_cpus" if target.runs_here else "elsewhere"
    server = None if isinstance(target, SqliteTarget) else target.cpus
    return placement_of_cpus(server, generator.cpus)


def _arrivals(load: Load) -> Arrivals:
    if load.rate_per_s is None:
        return CLOSED
    return open_loop(load.arrivals or "poisson", load.rate_per_s)
