"""From evidence to findings: what logs and tables allow to be said, and no more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from dbdyno.analysis.compare.asked import FEWEST_ROUNDS
from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.power import SIGNIFICANCE
from dbdyno.analysis.compare.resolution import Resolutions
from dbdyno.analysis.compare.rules import Rules, question_factor
from dbdyno.analysis.differences import Difference
from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import (
    CellSummary,
    Finding,
    Findings,
    Standing,
    TrialLine,
    TrialReason,
)
from dbdyno.analysis.imported.cells import is_used, resolutions_of, summarise
from dbdyno.analysis.imported.factors import factors_of
from dbdyno.analysis.imported.figures import told_figures
from dbdyno.analysis.imported.measure import measure_of
from dbdyno.analysis.imported.model import Imported
from dbdyno.analysis.scaling.cells import scaling_of
from dbdyno.analysis.tpcc.requirements import MINIMUM_SHARES, NEW_ORDER
from dbdyno.analysis.validity import confounded, experiment
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.ranking import rank
from dbdyno.analysis.validity.warn import warn_of_trials
from dbdyno.experiment.comparable import compared_pairs, uncompared
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.trial_evidence import Counted, ResultEvidence, TrialEvidence

_ALL_KINDS = (NEW_ORDER, *MINIMUM_SHARES)
"""Of TPC-C's transactions that clients wait for."""
Numbered = Sequence[tuple[int, TrialEvidence]]
"""Trials with their numbers, from 1 on."""


def analyse_evidence(
    result: ResultEvidence, factors: Sequence[FactorLevels] | None = None
) -> Findings:
    """Return what a report shows of somebody else's trials.

    ``factors`` are those of ``factors_of``, perhaps with other baselines. Nobody knows in which
    order trials ran, so that no two rounds are taken to belong together.
    """
    numbered = list(enumerate(result.trials, start=1))
    factors = factors_of(result.trials) if factors is None else factors
    by_cell = _by_cell(numbered, factors)
    excluded = {number: _reason(trial) for number, trial in numbered if not is_used(trial)}
    told = resolutions_of(each for _, each in numbered if is_used(each))
    cells = tuple(_summary(cell, members, excluded, told) for cell, members in by_cell.items())
    question = question_factor(factors, list(by_cell))
    rules = Rules(question, SIGNIFICANCE, unpaired=[factor.name for factor in factors])
    # Of single runs nothing can be told from chance: there is no comparison to show.
    is_repeated = any(len(cell.rounds) >= FEWEST_ROUNDS for cell in cells)
    compared = compare_cells(factors, cells, rules) if is_repeated else ()
    comparisons = compared[0].comparisons if compared else ()
    apart = uncompared(factors, by_cell)
    warnings = [
        *_failures(excluded),
        *_present(
            experiment.few_rounds(cells, comparisons),
            confounded.factors_confounded(apart),
            confounded.levels_not_compared(apart),
        ),
    ]
    return Findings(
        experiment=result.name,
        question=result.question,
        factors=tuple(factors),
        rounds=max((each.round for each in result.trials), default=0),
        cells=cells,
        compared=compared,
        warnings=rank(warnings, comparisons, {n: _cell(trial) for n, trial in numbered}),
        differences=tuple(_differences(factors, by_cell)),
        trials_planned=len(numbered),
        trials_used=len(numbered) - len(excluded),
        measure=measure_of(result),
        trials=tuple(_line(number, trial, excluded, result.counted) for number, trial in numbered),
        scaling=scaling_of(factors, cells, ()),
        imported=Imported(
            result.trials,
            told_figures(
                {
                    cell: [trial for _, trial in members if is_used(trial)]
                    for cell, members in by_cell.items()
                }
            ),
            result.notes,
        ),
    )


def _by_cell(numbered: Numbered, factors: Sequence[FactorLevels]) -> dict[Cell, Numbered]:
    """Return the trials of each cell, in the order of the factors' levels."""
    place = {factor.name: factor.levels.index for factor in factors}
    found: dict[Cell, list[tuple[int, TrialEvidence]]] = defaultdict(list)
    for number, trial in numbered:
        found[_cell(trial)].append((number, trial))
    in_order = sorted(found, key=lambda cell: [place[name](level) for name, level in cell.levels])
    return {cell: found[cell] for cell in in_order}


def _cell(trial: TrialEvidence) -> Cell:
    return Cell(trial.levels)


def _reason(trial: TrialEvidence) -> TrialReason:
    """Return why a trial is not used: its log says that it failed, or tells no throughput."""
    if trial.failure is not None:
        evidence = Evidence(EvidenceKind.TRIAL_FAILED, reason=trial.failure)
        return TrialReason(Code.LOG_FAILED, (evidence,))
    return TrialReason(Code.LOG_EMPTY)


def _summary(
    cell: Cell,
    members: Numbered,
    excluded: Mapping[int, TrialReason],
    resolutions: Mapping[str, Resolutions],
) -> CellSummary:
    return summarise(
        cell,
        [trial for _, trial in members if is_used(trial)],
        [(number, excluded[number]) for number, _ in members if number in excluded],
        resolutions,
    )


def _failures(excluded: Mapping[int, TrialReason]) -> Iterator[Finding]:
    codes = dict.fromkeys(reason.code for reason in excluded.values() if reason.code)
    for code in codes:
        yield warn_of_trials(
            code,
            [(number, each.evidence) for number, each in excluded.items() if each.code is code],
        )


def _line(
    number: int, trial: TrialEvidence, excluded: Mapping[int, TrialReason], counted: Counted
) -> TrialLine:
    reason = excluded.get(number)
    standing = Standing.VALID
    if reason is not None:
        standing = Standing.INVALID if trial.failure is None else Standing.FAILED
    return TrialLine(
        number=number,
        round=trial.round,
        cell=_cell(trial),
        standing=standing,
        reasons=() if reason is None else (reason,),
        throughput_per_s=trial.throughput_per_s,
        transactions_per_s=_transactions_per_s(trial, counted),
        p95_ms=trial.times.quantiles_ms.get(0.95) if trial.times else None,
    )


def _transactions_per_s(trial: TrialEvidence, counted: Counted) -> float | None:
    """Return the rate of all kinds; of TPC-C, where each of its kinds tells its own."""
    if counted is Counted.TRANSACTIONS:
        return trial.throughput_per_s
    rates = [trial.kinds[kind].rate_per_s if kind in trial.kinds else None for kind in _ALL_KINDS]
    known = [rate for rate in rates if rate is not None]
    return sum(known) if len(known) == len(rates) else None


def _differences(
    factors: Sequence[FactorLevels], by_cell: Mapping[Cell, Numbered]
) -> Iterator[Difference]:
    """Yield the options in which compared cells differ besides their factors.

    An option that one log tells and the other does not is no difference that anybody knows of.
    """
    names = {factor.name for factor in factors}
    for _, cell, baseline in compared_pairs(factors, list(by_cell)):
        own, other = (by_cell[each][0][1].options for each in (cell, baseline))
        for option in sorted(own.keys() & other.keys() - names):
            if own[option] != other[option] and not _is_level(own[option], cell):
                yield option, cell.label(), own[option], other[option]


def _is_level(value: str, cell: Cell) -> bool:
    """Tell whether an option is what a factor of another name stands for."""
    return any(value == level for _, level in cell.levels)


def _present(*warnings: Finding | None) -> list[Finding]:
    return [warning for warning in warnings if warning is not None]
