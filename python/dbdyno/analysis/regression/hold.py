"""Rules held against what was measured: a regression, none, or nothing that could be judged.

Each rule is tested at its share of the level of significance, with Holm's correction for the cells.
So where nothing has changed, all rules together fail by chance in at most 2.5 % of comparisons
(5 % to either side, and only one side is worse). A regression is a difference that is shown, and
whose estimate is as large as the rule says; or the whole interval, where the rule asks for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from dbdyno.analysis.compare.cells import compare_by
from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.compare.model import (
    Comparison,
    Effect,
    FactorEffect,
    Reason,
    VerdictKind,
)
from dbdyno.analysis.compare.power import SIGNIFICANCE
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.regression.rule import FailRule
from dbdyno.experiment.plan import Cell, FactorLevels

NOTHING_PERCENT = 0.1
"""A change that nobody could see."""


class Outcome(StrEnum):
    """What a rule came to in a cell."""

    PASSED = "passed"
    """A change for the worse that is as large as the rule says is excluded."""
    NOT_SHOWN = "no regression shown"
    """No such change is shown, and none is excluded: the rounds scatter too much to tell."""
    REGRESSION = "regression"
    NOT_JUDGED = "not judged"
    """Too few valid rounds, or no ratio."""


@dataclass(frozen=True)
class Held:
    """A rule in one cell, or, where ``cell`` is None, over all cells."""

    rule: FailRule
    cell: Cell | None
    outcome: Outcome
    effect: Effect | None
    rounds: int
    """Those of the two that has fewer."""
    reason: Reason | None = None
    has_more_rounds: bool = False
    """Whether some cell has more rounds than these, all of which count."""

    @property
    def worse_percent(self) -> float | None:
        """By how much it is worse; negative where it is better."""
        if self.effect is None:
            return None
        return worse_percent(self.effect.percent, self.rule.metric)

    @property
    def not_excluded_percent(self) -> float | None:
        """The largest change for the worse that the 95 % interval still has in it."""
        if self.effect is None:
            return None
        return not_excluded_percent(self.effect, self.rule.metric)


def hold(rules: Sequence[FailRule], findings: Findings, factor: FactorLevels) -> tuple[Held, ...]:
    """Hold rules against the comparisons of a factor; in the order of rules, then of cells."""
    level = SIGNIFICANCE / max(len(rules), 1)
    judged = Rules(factor.name, level, None, unpaired=() if factor.is_paired else (factor.name,))
    most = max((len(each.rounds) for each in findings.cells), default=0)
    found: list[Held] = []
    for rule in rules:
        by_metric = compare_by(rule.metric, [factor], findings.cells, judged)
        whole = [each for each in by_metric.effects if each.combinations > 1]
        found += [_held(rule, None, each) for each in whole]
        found += [
            _held(rule, each.cell.without(factor.name), each) for each in by_metric.comparisons
        ]
    if factor.is_paired:
        return tuple(found)
    return tuple(replace(each, has_more_rounds=each.rounds < most) for each in found)


def _held(rule: FailRule, cell: Cell | None, found: Comparison | FactorEffect) -> Held:
    effect = found.effect
    reason = found.reason if isinstance(found, Comparison) else None
    return Held(rule, cell, _outcome(rule, found.kind, effect), effect, found.rounds, reason)


def _outcome(rule: FailRule, kind: VerdictKind, effect: Effect | None) -> Outcome:
    if effect is None:
        return Outcome.NOT_JUDGED
    decides = best_case_percent(effect, rule.metric)
    if not rule.is_by_interval:
        decides = worse_percent(effect.percent, rule.metric)
    if kind is VerdictKind.WORSE and decides >= rule.percent:
        return Outcome.REGRESSION
    is_excluded = not_excluded_percent(effect, rule.metric) < max(rule.percent, NOTHING_PERCENT)
    return Outcome.PASSED if is_excluded else Outcome.NOT_SHOWN


def not_excluded_percent(effect: Effect, metric: Metric) -> float:
    """Return the largest change for the worse that an effect's interval has in it."""
    end = effect.low_percent if metric.more_is_better else effect.high_percent
    return worse_percent(end, metric)


def best_case_percent(effect: Effect, metric: Metric) -> float:
    """Return the smallest change for the worse that an effect's interval has in it."""
    end = effect.high_percent if metric.more_is_better else effect.low_percent
    return worse_percent(end, metric)


def worse_percent(percent: float, metric: Metric) -> float:
    """Return a change as one for the worse; negative where it is for the better."""
    return -percent if metric.more_is_better else percent
