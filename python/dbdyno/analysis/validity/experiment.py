"""Checks over trials: that they are enough, in a fair order, and differ in the factor only."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dbdyno.analysis.compare.model import Comparison
from dbdyno.analysis.compare.significance import t_test_p_value
from dbdyno.analysis.confounders.model import Confounder
from dbdyno.analysis.differences import Difference, RoundsOfCells, pairs_of_trials
from dbdyno.analysis.evidence import Evidence, said
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import CellSummary, Finding
from dbdyno.analysis.session_summary import isolation_of
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.ranking import count_touched
from dbdyno.analysis.validity.warn import warn
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.plan import APART, Cell, FactorLevels, Plan, PlannedTrial
from dbdyno.store.model import StoredTrial

ROUNDS_MIN = 3
MIRRORED = ("interleaved", "abba")
DRIFT_CHANGE_MIN = 0.03
DRIFT_P_VALUE_MAX = 0.005


def result_damaged(damages: Sequence[str]) -> Finding | None:
    """Say which files cannot be read."""
    if not damages:
        return None
    more = [Evidence(EvidenceKind.MORE, count=len(damages) - 1)] if len(damages) > 1 else []
    return warn(Code.RESULT_DAMAGED, *said(damages[0]), *more)


def missing_trials(missing: Sequence[PlannedTrial], plan: Plan) -> Finding | None:
    """Name planned trials that have no outcome."""
    if not missing:
        return None
    evidence = Evidence(EvidenceKind.NOT_RUN, missing=len(missing), planned=len(plan.trials))
    return warn(Code.MISSING_TRIALS, evidence, trials=[trial.number for trial in missing])


def few_rounds(
    summaries: Sequence[CellSummary], comparisons: Sequence[Comparison]
) -> Finding | None:
    """Name cells with fewer valid trials than any statement about scatter needs."""
    few = [summary for summary in summaries if len(summary.throughput_by_round) < ROUNDS_MIN]
    if not few:
        return None
    evidence = Evidence(
        EvidenceKind.FEW_TRIALS,
        trials=tuple(len(summary.throughput_by_round) for summary in few),
        cells=tuple(summary.cell.label() for summary in few),
    )
    touched = count_touched(comparisons, {summary.cell for summary in few})
    return warn(Code.FEW_ROUNDS, evidence, comparisons=touched)


def not_interleaved(plan: Plan) -> Finding | None:
    """Find an order in which drift and difference cannot be told apart."""
    cells = {trial.cell for trial in plan.trials}
    if plan.order in MIRRORED or plan.rounds < 2 or len(cells) < 2:
        return None
    return warn(
        Code.MEASURED_APART if plan.order == APART else Code.NOT_INTERLEAVED,
        Evidence(EvidenceKind.ORDER, order=plan.order, rounds=plan.rounds, cells=len(cells)),
    )


def drift(summaries: Sequence[CellSummary]) -> Finding | None:
    """Test the rounds' throughput, each cell relative to its own mean, for a linear trend."""
    relative: dict[int, list[float]] = defaultdict(list)
    for summary in summaries:
        for number, throughput_per_s in summary.throughput_by_round:
            if summary.throughput_per_s.mean > 0:
                relative[number].append(throughput_per_s / summary.throughput_per_s.mean)
    by_round = np.array([np.mean(relative[number]) for number in sorted(relative)])
    if len(by_round) < ROUNDS_MIN or np.all(by_round == by_round[0]):
        return None
    change, p_value = _linear_trend(by_round)
    if p_value >= DRIFT_P_VALUE_MAX or abs(change) < DRIFT_CHANGE_MIN:
        return None
    return warn(
        Code.DRIFT,
        Evidence(EvidenceKind.DRIFT, change_share=change, rounds=len(by_round), p_value=p_value),
    )


def _linear_trend(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the change from first to last along the line of least squares, and its p-value."""
    places = np.arange(len(values)) - (len(values) - 1) / 2
    spread = float(places @ places)
    slope = float(places @ values) / spread
    left = values - np.mean(values) - slope * places
    freedom = len(values) - 2
    error = math.sqrt(float(left @ left) / freedom / spread)
    return slope * (len(values) - 1), t_test_p_value(slope, error, freedom)


def plans_differ(trials: Iterable[WindowTotals], factors: Sequence[FactorLevels]) -> Finding | None:
    """Find trials of one round that should have been asked the same and were not.

    Cells that differ only in what the *server* is get the same plan, but for the URL that leads
    there, and for fields of the workload that the file names for a target.
    """
    asking = {factor.name for factor in factors if not _sets_server(factor)}
    asked: dict[tuple[object, ...], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for measured in trials:
        planned = measured.trial.planned
        levels = tuple(level for level in planned.cell.levels if level[0] in asking)
        workload = json.dumps(planned.generator_plan.workload, sort_keys=True)
        asked[planned.round, levels, workload][_asked(measured)].append(measured.number)
    unlike = [plans for plans in asked.values() if len(plans) > 1]
    if not unlike:
        return None
    numbers = [number for plans in unlike for group in plans.values() for number in group]
    first_of_each = tuple(group[0] for group in unlike[0].values())
    evidence = Evidence(EvidenceKind.UNLIKE_PLANS, trial_number=first_of_each)
    return warn(Code.PLANS_DIFFER, evidence, trials=sorted(numbers))


def settings_differ(
    differences: Sequence[Difference], confounders: Sequence[Confounder]
) -> Finding | None:
    """Count and quote the settings that differ besides the factor; of unlike products, meanings."""
    evidence: list[Evidence] = []
    comparisons = len({label for _, label, *_ in differences})
    if differences:
        names = tuple(dict.fromkeys(setting for setting, *_ in differences))
        evidence.append(Evidence(EvidenceKind.SETTINGS_DIFFER, settings=names))
    meant = [each for each in confounders if each.is_by_meaning and not each.is_expected]
    if meant:
        aspects = tuple(dict.fromkeys(each.aspect.value for each in meant))
        evidence.append(Evidence(EvidenceKind.MEANINGS_DIFFER, aspects=aspects))
        comparisons = max(comparisons, *(each.comparisons for each in meant))
    return warn(Code.SETTINGS_DIFFER, *evidence, comparisons=comparisons) if evidence else None


def durability_differs(factors: Sequence[FactorLevels], rounds_of: RoundsOfCells) -> Finding | None:
    """Find compared cells whose servers promise different durability, in any round."""

    def durability(trial: StoredTrial) -> str | None:
        return trial.server.durability

    pairs = {(cell, other) for _, cell, other, *_ in pairs_of_trials(factors, rounds_of)}
    unlike = _unlike(factors, rounds_of, durability)
    if not unlike:
        return None
    (cell, _), (own, other) = next(iter(unlike.items()))
    evidence = Evidence(
        EvidenceKind.DURABILITY,
        compared=cell.label(),
        durability=own,
        baseline_durability=other,
        unlike=len(unlike),
        comparisons=len(pairs),
    )
    return warn(Code.DURABILITY_DIFFERS, evidence, comparisons=len(unlike))


def isolation_differs(factors: Sequence[FactorLevels], rounds_of: RoundsOfCells) -> Finding | None:
    """Find compared cells that were isolated differently, where no factor asked for it."""
    unlike = _unlike(
        [factor for factor in factors if factor.sets != "session.isolation"],
        rounds_of,
        isolation_of,
    )
    if not unlike:
        return None
    (cell, _), (own, other) = next(iter(unlike.items()))
    evidence = Evidence(
        EvidenceKind.ISOLATION, compared=cell.label(), isolation=own, baseline_isolation=other
    )
    return warn(Code.ISOLATION_DIFFERS, evidence, comparisons=len(unlike))


def _unlike(
    factors: Sequence[FactorLevels],
    rounds_of: RoundsOfCells,
    fact_of: Callable[[StoredTrial], str | None],
) -> dict[tuple[Cell, Cell], tuple[str | None, str | None]]:
    """Return the compared cells that differ in a fact in some round, and the first such facts."""
    unlike: dict[tuple[Cell, Cell], tuple[str | None, str | None]] = {}
    for _, cell, baseline, own, other in pairs_of_trials(factors, rounds_of):
        facts = fact_of(own), fact_of(other)
        if facts[0] != facts[1]:
            unlike.setdefault((cell, baseline), facts)
    return unlike


def _sets_server(factor: FactorLevels) -> bool:
    return factor.sets == "target" or factor.sets.startswith("server.")


def _asked(measured: WindowTotals) -> str:
    plan, dataset = measured.trial.generator_plan, measured.trial.dataset
    # A file that says how to send says it for all cells, or in a factor; the rest we choose.
    parts = tuple(replace(part, workers=0, placement="unknown") for part in plan.generators)
    plan = replace(plan, workers=0, placement="unknown", generators=parts)
    if dataset.start == "continue":
        # Trials that take over each other's data have a seed each.
        plan = replace(plan, seed=0)
    return json.dumps([plan.to_document(), dataset.fingerprint], sort_keys=True)
