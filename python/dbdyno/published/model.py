"""The published tables of one source, with what they have in common with an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dbdyno.experiment.translated import Translated
from dbdyno.results_table.model import ResultsTable


@dataclass(frozen=True)
class MatchedFactor:
    """The factor that a column stands for; ``levels`` has those that are written otherwise."""

    factor: str
    levels: Mapping[str, str] = field(default_factory=dict)
    """Level of the column → level of the factor."""
    at: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Level of the column → levels of further factors, where it stands for them, too."""

    def own_levels(self, told: str) -> Mapping[str, str]:
        """Return the levels that a level of the column stands for, by factor."""
        return {self.factor: self.levels.get(told, told), **self.further(told)}

    def further(self, told: str) -> Mapping[str, str]:
        """Return those of the factors besides its own."""
        return self.at.get(told, {})


@dataclass(frozen=True)
class PublishedTables:
    """All tables of one source.

    ``match`` has the columns that stand for factors, ``at`` the factors that no column stands for,
    each with the level at which all was measured of which a column does not say another one.
    """

    source: Translated
    tables: tuple[ResultsTable, ...]
    match: Mapping[str, MatchedFactor] = field(default_factory=dict)
    at: Mapping[str, str] = field(default_factory=dict)
