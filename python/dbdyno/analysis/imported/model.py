"""What a report shows of somebody else's trials beside cells and comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dbdyno.experiment.plan import Cell
from dbdyno.trial_evidence import SourceNote, TrialEvidence

if TYPE_CHECKING:
    from dbdyno.analysis.findings import Estimate


class FigureKind(StrEnum):
    """What a figure beside throughput is."""

    QUANTILE = "quantile"
    """A percentile of response time, in milliseconds, which its name has as a share: ``0.95``."""
    MEAN = "mean"
    """The mean of response times, in milliseconds."""
    OTHER = "other"
    """Whatever a table has under a name of its own."""


@dataclass(frozen=True)
class ToldFigure:
    """A figure beside throughput, of those cells that have it.

    Percentiles are the rounds' own: they cannot be merged. So a cell's is their geometric mean
    over rounds with an interval, as that of throughput is.
    """

    kind: FigureKind
    name: str
    estimates: Mapping[Cell, Estimate]
    by_round: Mapping[Cell, tuple[tuple[int, float], ...]]


@dataclass(frozen=True)
class Imported:
    """What was imported: the trials in order, and what is to be known of all of them."""

    trials: tuple[TrialEvidence, ...]
    figures: tuple[ToldFigure, ...] = ()
    notes: tuple[SourceNote, ...] = ()
