"""A result, or those of its trials that are at given levels, as one side of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from dbdyno.experiment.plan import Cell, FactorLevels, Plan, PlannedTrial
from dbdyno.store.model import StoredResult, StoredTrial


@dataclass(frozen=True)
class Part:
    """One side of a comparison, under the name that it has there.

    ``levels`` name factors that are no factor of the comparison any more: only trials at these
    levels take part.
    """

    name: str
    result: StoredResult
    levels: Mapping[str, str]
    order: tuple[str, ...] = ()
    """The factors in the order that cells have; those that it does not name come last."""

    @cached_property
    def factors(self) -> tuple[FactorLevels, ...]:
        """The factors that are left."""
        return tuple(each for each in self.result.plan.factors if each.name not in self.levels)

    @cached_property
    def planned(self) -> tuple[PlannedTrial, ...]:
        """The planned trials at the levels, in order, with the cells that are left of theirs."""
        return tuple(
            self._without_levels(each)
            for each in self.result.plan.trials
            if self._takes_part(each.cell)
        )

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The compared cells that are left, in the order of the plan."""
        return tuple(dict.fromkeys(each.cell for each in self.planned if each.kind == "compared"))

    @cached_property
    def trials(self) -> tuple[StoredTrial, ...]:
        """The stored trials at the levels."""
        return tuple(
            replace(each, planned=self._without_levels(each.planned))
            for each in self.result.trials
            if self._takes_part(each.planned.cell)
        )

    def is_of_one_result_with(self, other: Part) -> bool:
        """Tell whether both are levels of one result, so that their rounds belong together."""
        return self.result.directory == other.result.directory

    def unknown_levels(self) -> dict[str, tuple[str, ...]]:
        """Return what the result has in place of each level, or factor, that it does not have."""
        plan: Plan = self.result.plan
        known = {factor.name: factor.levels for factor in plan.factors}
        return {
            name: known.get(name, ())
            for name, level in self.levels.items()
            if level not in known.get(name, ())
        }

    def _takes_part(self, cell: Cell) -> bool:
        levels = dict(cell.levels)
        return all(levels.get(name) == level for name, level in self.levels.items())

    def _without_levels(self, planned: PlannedTrial) -> PlannedTrial:
        left = [level for level in planned.cell.levels if level[0] not in self.levels]
        left.sort(key=lambda level: (*self.order, level[0]).index(level[0]))
        return replace(planned, cell=Cell(tuple(left)))
