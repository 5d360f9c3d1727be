"""From a stored result to findings: pure functions, so that any result can be analysed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbdyno.analysis.bottleneck.find import find_limits
from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.rules import count_looks, rules_of
from dbdyno.analysis.compare.trial_figures import TrialFigures
from dbdyno.analysis.confounders.find import find_confounders, find_meanings
from dbdyno.analysis.cost.cells import cell_costs
from dbdyno.analysis.cost.model import TrialCosts
from dbdyno.analysis.deployment import find_deployments
from dbdyno.analysis.differences import part_by_choice, setting_differences
from dbdyno.analysis.findings import CellSummary, Finding, Findings, TrialReason
from dbdyno.analysis.joined.outside import outside_differs
from dbdyno.analysis.knee import find_knees
from dbdyno.analysis.looks import Looks
from dbdyno.analysis.scaling.cells import scaling_of
from dbdyno.analysis.settings import settings_by_target
from dbdyno.analysis.setup import setup_of
from dbdyno.analysis.steadiness.cells import cell_steadiness
from dbdyno.analysis.steadiness.model import TrialSteadiness
from dbdyno.analysis.summary import summarise
from dbdyno.analysis.targets import summarise_targets
from dbdyno.analysis.throughput import ThroughputMeasure, throughput_measure
from dbdyno.analysis.trials import trial_lines
from dbdyno.analysis.validity import (
    carry_over,
    check,
    confounded,
    experiment,
    host,
    noise,
    sameness,
    settling,
    tpcc,
)
from dbdyno.analysis.validity import reference as reference_cell
from dbdyno.analysis.validity.ranking import rank
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.comparable import uncompared
from dbdyno.experiment.plan import Cell, Plan
from dbdyno.facts.host import HostFacts
from dbdyno.store.model import StoredResult, StoredTrial


def analyse(result: StoredResult, looks: Looks | None = None) -> Findings:
    """Return everything that a report shows of a result; nothing is read from disk.

    ``looks`` are those at the result's trials, if somebody has looked at them while they were read.
    """
    plan = result.plan
    looks = _looked_at(result) if looks is None else looks
    judged = [each.judged for each in looks.trials]
    measured = [each.measured for each in judged]
    excluded = check.exclusions(judged, plan.factors)
    valid = [trial for trial in measured if trial.number not in excluded]
    measure_used = throughput_measure(trial.generator_plan for trial in result.trials)
    compared = [each for each in valid if each.trial.planned.kind == "compared"]
    reference = [each for each in valid if each.trial.planned.kind == "reference"]
    figures = {
        each.number: look.figures_by(measure_used)
        for each, look in zip(measured, looks.trials, strict=True)
    }
    cells = _summaries(plan, compared, excluded, measure_used, figures)
    by_metric = compare_cells(
        plan.compared_factors, cells, rules_of(plan, result.journal, plan.margin)
    )
    comparisons = by_metric[0].comparisons
    rounds_of = _rounds_of_each_cell(compared)
    # A search chooses its cells itself.
    apart = () if plan.search else uncompared(plan.factors, plan.compared_cells)
    hosts = sameness.hosts_by_trial(result.journal)
    outside = _outside(looks, excluded)
    all_differences, target_differences = setting_differences(plan.factors, rounds_of)
    differences, default_differences = part_by_choice(
        all_differences, (each.trial for each in valid)
    )
    confounders = find_confounders(plan.factors, rounds_of, hosts)
    warnings = [
        *check.exclusion_warnings(excluded),
        *_present(
            host.neighbours(result.host),
            host.frequency_scaling(result.host),
            experiment.result_damaged(result.damages),
            experiment.missing_trials(result.missing, plan),
            None if plan.search else experiment.few_rounds(cells, comparisons),
            experiment.not_interleaved(plan),
            confounded.factors_confounded(apart),
            confounded.levels_not_compared(apart),
            experiment.drift(cells),
            carry_over.carry_over(compared, plan, measure_used),
            reference_cell.reference_moved(reference, compared, measure_used),
            experiment.plans_differ(compared, plan.factors),
            experiment.settings_differ(differences, confounders),
            experiment.durability_differs(plan.factors, rounds_of),
            experiment.isolation_differs(plan.factors, rounds_of),
            sameness.server_changed(valid, hosts),
            settling.not_settled(valid),
            noise.noise_explained(outside),
            outside_differs(outside, plan.factors, _fewest_cpus(result.host, hosts)),
        ),
        *check.trial_warnings([each for each in judged if each.measured.number not in excluded]),
        *tpcc.conformance_warnings(cells),
    ]
    return Findings(
        experiment=plan.experiment,
        question=plan.question,
        factors=plan.factors,
        rounds=plan.rounds,
        cells=cells,
        # A smoke run shows that all of it works. Whoever reads a verdict into it is misled.
        compared=() if plan.is_smoke else by_metric,
        warnings=rank(warnings, comparisons, {each.number: each.cell for each in plan.trials}),
        host=result.host,
        other_hosts=result.other_hosts,
        targets=summarise_targets(valid),
        deployments=find_deployments(valid, plan.factors),
        differences=differences,
        default_differences=default_differences,
        target_differences=target_differences,
        confounders=confounders,
        meanings=find_meanings(plan.factors, rounds_of),
        trials_planned=len(plan.trials),
        trials_used=len(valid),
        measure=measure_used,
        knees=() if plan.is_smoke else find_knees(result),
        trials=trial_lines(plan.trials, measured, figures, excluded, warnings, measure_used),
        looks=count_looks(result.journal),
        costs=cell_costs(plan.compared_factors, cells, _costs_by_round(compared, figures)),
        steadiness=cell_steadiness(cells, _steadiness_by_cell(compared, figures)),
        scaling=scaling_of(plan.factors, cells, plan.compared),
        limits=find_limits(plan.factors, cells, looks.collected),
        setup=setup_of(result),
        is_smoke=plan.is_smoke,
        is_stand_in=plan.is_stand_in,
        usage=looks.usage.found(),
        errors=looks.errors.found([each.cell for each in cells]),
        settings=settings_by_target(each.trial for each in valid),
        cases=plan.cases,
        combinations_without_cell=plan.combinations_without_cell,
    )


def _looked_at(result: StoredResult) -> Looks:
    looks = Looks(result.host, result.other_hosts)
    for trial in result.trials:
        looks.add(trial)
    return looks


def _fewest_cpus(host: HostFacts, hosts: Mapping[int, Mapping[str, Any]]) -> int | None:
    """Return the CPUs of the smallest host that a trial ran on; two results may have two."""
    counts = [each["cpu_count"] for each in hosts.values() if each.get("cpu_count")]
    return min(counts, default=host.cpu_count)


def _outside(
    looks: Looks, excluded: Mapping[int, check.Exclusion]
) -> list[tuple[WindowTotals, noise.OutsideLoad]]:
    return [
        (look.judged.measured, look.outside)
        for look in looks.trials
        if look.judged.measured.number not in excluded
    ]


def _summaries(
    plan: Plan,
    valid: Sequence[WindowTotals],
    excluded: Mapping[int, check.Exclusion],
    measure_used: ThroughputMeasure,
    figures: Mapping[int, TrialFigures],
) -> tuple[CellSummary, ...]:
    """Return one summary for each planned cell, in the order of the factors' levels."""
    place = {factor.name: factor.levels.index for factor in plan.factors}
    cells = sorted(
        {trial.cell for trial in plan.compared},
        key=lambda cell: [place[name](level) for name, level in cell.levels],
    )
    trials: dict[Cell, list[WindowTotals]] = {cell: [] for cell in cells}
    for each in valid:
        trials[each.trial.planned.cell].append(each)
    left_out: dict[Cell, list[tuple[int, TrialReason]]] = {cell: [] for cell in cells}
    for trial in plan.compared:
        if trial.number in excluded:
            left_out[trial.cell].append((trial.number, excluded[trial.number].reason()))
    return tuple(
        summarise(
            cell,
            trials[cell],
            left_out[cell],
            measure_used,
            figures,
        )
        for cell in cells
    )


def _rounds_of_each_cell(valid: Iterable[WindowTotals]) -> dict[Cell, dict[int, StoredTrial]]:
    rounds: dict[Cell, dict[int, StoredTrial]] = defaultdict(dict)
    for measured in valid:
        planned = measured.trial.planned
        rounds[planned.cell][planned.round] = measured.trial
    return rounds


def _costs_by_round(
    valid: Iterable[WindowTotals], figures: Mapping[int, TrialFigures]
) -> dict[Cell, dict[int, TrialCosts]]:
    costs: dict[Cell, dict[int, TrialCosts]] = defaultdict(dict)
    for measured in valid:
        planned = measured.trial.planned
        costs[planned.cell][planned.round] = figures[measured.number].costs
    return costs


def _steadiness_by_cell(
    valid: Iterable[WindowTotals], figures: Mapping[int, TrialFigures]
) -> dict[Cell, list[TrialSteadiness]]:
    by_cell: dict[Cell, list[TrialSteadiness]] = defaultdict(list)
    for measured in valid:
        steadiness = figures[measured.number].steadiness
        if steadiness is not None:
            by_cell[measured.trial.planned.cell].append(steadiness)
    return by_cell


def _present(*warnings: Finding | None) -> list[Finding]:
    return [warning for warning in warnings if warning is not None]
