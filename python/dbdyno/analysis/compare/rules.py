"""How strictly a result is judged: by how often it was looked at, and in which order it ran."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dbdyno.analysis.compare.power import SIGNIFICANCE
from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.plan import Cell, FactorLevels, Plan

if TYPE_CHECKING:
    from dbdyno.store.journal import JournalEvent

SHARE_BESIDE = 0.75
"""From so many on, the compared cells of a factor count as neighbours."""


@dataclass(frozen=True)
class Rules:
    """At which level differences are called, and which ones are too small to matter."""

    question: str | None = None
    """The factor that the question is about; None: the first one."""
    significance: float = 0.05
    margin: float | None = None
    """As a share: 0.05 are five percent to either side."""
    moderated: Collection[str] = ()
    """Factors whose compared cells ran next to each other, so that their variances are alike."""
    unpaired: Collection[str] = ()
    """Factors whose levels were measured at different times, so that no two rounds belong
    together."""


def rules_of(plan: Plan, journal: Iterable[JournalEvent], margin: float | None) -> Rules:
    """Return the rules for a result; looks share the level of significance (Bonferroni)."""
    return Rules(
        question_factor(plan.compared_factors, plan.compared_cells),
        SIGNIFICANCE / count_looks(journal),
        margin,
        neighbouring_factors(plan),
        frozenset(factor.name for factor in plan.factors if not factor.is_paired),
    )


def question_factor(factors: Sequence[FactorLevels], cells: Sequence[Cell]) -> str | None:
    """Return what the question is most likely about: the first factor that is no load.

    Load is varied to see the others at each of its levels, and so is what a transaction is. A
    factor that no two cells differ in alone answers nothing.
    """
    pairs = [name for name, *_ in compared_pairs(factors, cells)]
    varied = [factor for factor in factors if factor.name in pairs]
    ranked = sorted(
        varied, key=lambda each: (each.sets_transactions, each.sets.startswith("load."))
    )
    return next((factor.name for factor in ranked), None)


def count_looks(journal: Iterable[JournalEvent]) -> int:
    """Count how often a complete result could be looked at: before rounds were added, and now."""
    # A plan has no journal, and is to be shown at once.
    from dbdyno.store.journal import ExperimentChanged, RunCompleted

    looks, was_completed = 1, False
    for event in journal:
        if isinstance(event, RunCompleted):
            was_completed = True
        elif isinstance(event, ExperimentChanged) and was_completed:
            # The question alone may have changed; then no trial follows.
            looks += any(change.get("field") == "procedure.rounds" for change in event.changes)
            was_completed = False
    return looks


def neighbouring_factors(plan: Plan) -> frozenset[str]:
    """Return the factors whose compared cells ran next to each other in each round.

    Nothing but chance then tells their differences apart, and their variances are alike. A few may
    have others between them (``experiment.design.order``).
    """
    found = []
    for factor in plan.compared_factors:
        places: defaultdict[tuple[int, Cell], list[int]] = defaultdict(list)
        for place, trial in enumerate(plan.compared):
            places[trial.round, trial.cell.without(factor.name)].append(place)
        beside = [max(each) - min(each) == len(each) - 1 for each in places.values()]
        if sum(beside) >= SHARE_BESIDE * len(beside):
            found.append(factor.name)
    return frozenset(found)
