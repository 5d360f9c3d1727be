"""Two parts as one result, in which a factor tells the one from the other.

All of analysis and report then works as it does for a result of one experiment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from dbdyno.analysis.joined.part import Part
from dbdyno.experiment.plan import APART, RESULT_PATH, Cell, FactorLevels, Plan, PlannedTrial
from dbdyno.store.journal import JournalEvent
from dbdyno.store.model import StoredResult, StoredTrial


def join(baseline: Part, other: Part, question: str) -> StoredResult:
    """Return both parts' common cells as one result, the baseline's trials first.

    Parts of one result keep the factor in which they differ, and their rounds belong together. The
    caller has seen to it that they differ in one factor there.
    """
    is_one = baseline.is_of_one_result_with(other)
    factor = _varied(baseline, other) if is_one else _between_results(baseline, other)
    common = frozenset(baseline.cells) & frozenset(other.cells)
    shift = 0 if is_one else _shift(baseline, other)
    sides = (
        _Side(baseline, factor, factor.levels[0], 0, common),
        _Side(other, factor, factor.levels[1], shift, common),
    )
    first = baseline.result
    trials = sorted((trial for side in sides for trial in side.trials()), key=_number)
    return replace(
        first,
        plan=_plan(sides, question, is_one=is_one),
        experiment_text=_text(first, other.result),
        trials=tuple(trials),
        missing=tuple(planned for side in sides for planned in side.missing()),
        journal=first.journal if is_one else (*first.journal, *_shifted(other.result, shift)),
        damages=tuple(dict.fromkeys((*first.damages, *other.result.damages))),
        other_hosts={**other.result.other_hosts, **first.other_hosts},
    )


class _Side:
    """A part with the level that its cells get."""

    def __init__(
        self, part: Part, factor: FactorLevels, level: str, shift: int, cells: Collection[Cell]
    ) -> None:
        self.part = part
        self.factor = factor
        self._level = (factor.name, level)
        self._shift = shift
        self._cells = cells

    def planned(self) -> tuple[PlannedTrial, ...]:
        return tuple(self._moved(each) for each in self.part.planned if self._is_common(each))

    def trials(self) -> tuple[StoredTrial, ...]:
        return tuple(
            replace(each, planned=self._moved(each.planned))
            for each in self.part.trials
            if self._is_common(each.planned)
        )

    def missing(self) -> tuple[PlannedTrial, ...]:
        stored = {each.planned.number for each in self.part.trials}
        return tuple(
            self._moved(each)
            for each in self.part.planned
            if each.number not in stored and self._is_common(each)
        )

    def _is_common(self, planned: PlannedTrial) -> bool:
        # Reference trials show drift within their own result.
        return planned.kind == "compared" and planned.cell in self._cells

    def _moved(self, planned: PlannedTrial) -> PlannedTrial:
        cell = Cell((self._level, *planned.cell.levels))
        return replace(planned, number=planned.number + self._shift, cell=cell)


def _plan(sides: tuple[_Side, _Side], question: str, *, is_one: bool) -> Plan:
    own, other = (side.part.result.plan for side in sides)
    first = sides[0]
    trials = sorted(
        (planned for side in sides for planned in side.planned()), key=lambda each: each.number
    )
    cells = {planned.cell for planned in trials}
    left = [_narrowed(factor, cells) for factor in first.part.factors]
    return replace(
        own,
        experiment=" / ".join(dict.fromkeys((own.experiment, other.experiment))),
        question=question,
        factors=(first.factor, *(factor for factor in left if factor.name != first.factor.name)),
        rounds=max(own.rounds, other.rounds),
        order=own.order if is_one else APART,
        trials=tuple(trials),
        order_in_words="",
        reference_in_words="",
        is_smoke=own.is_smoke or other.is_smoke,
        is_stand_in=own.is_stand_in or other.is_stand_in,
        search=None,
    )


def _narrowed(factor: FactorLevels, cells: Iterable[Cell]) -> FactorLevels:
    """Return a factor with those levels that the common cells have."""
    there = {cell.level(factor.name) for cell in cells}
    levels = tuple(level for level in factor.levels if level in there)
    baseline = factor.baseline_level
    return replace(
        factor, levels=levels, baseline=levels.index(baseline) if baseline in levels else 0
    )


def _between_results(baseline: Part, other: Part) -> FactorLevels:
    taken = {factor.name for part in (baseline, other) for factor in part.factors}
    name = RESULT_PATH
    while name in taken:
        name += "_"
    return FactorLevels(name, (baseline.name, other.name), RESULT_PATH)


def _varied(baseline: Part, other: Part) -> FactorLevels:
    (factor,) = (
        each
        for each in baseline.result.plan.factors
        if baseline.levels.get(each.name) != other.levels.get(each.name)
    )
    levels = baseline.levels[factor.name], other.levels[factor.name]
    return replace(factor, levels=levels, baseline=0)


def _shifted(result: StoredResult, shift: int) -> Iterable[JournalEvent]:
    """Yield a journal with the numbers that its trials have now."""
    for event in result.journal:
        number = getattr(event, "trial", None)
        # Not every event is of a trial.
        yield event if number is None else replace(event, trial=number + shift)


def _shift(baseline: Part, other: Part) -> int:
    """Return what the other's numbers grow by: its trial 5 is 1005, and can be found again."""
    highest = max(each.number for part in (baseline, other) for each in part.result.plan.trials)
    return int(10 ** max(len(str(highest)), 3))


def _text(first: StoredResult, second: StoredResult) -> str:
    """Return the experiment's file; those of both, one after the other, where they differ."""
    return "\n".join(dict.fromkeys((first.experiment_text, second.experiment_text)))


def _number(trial: StoredTrial) -> int:
    return trial.planned.number
