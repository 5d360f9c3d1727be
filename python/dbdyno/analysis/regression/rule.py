"""What a comparison must not show."""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.analysis.compare.metric import Metric


@dataclass(frozen=True)
class FailRule:
    """A change for the worse that is not accepted, from so many percent on."""

    text: str
    """As somebody wrote it."""
    metric: Metric
    percent: float
    is_by_interval: bool = False
    """Whether the whole 95 % interval must be as bad as that, and not only the estimate."""
