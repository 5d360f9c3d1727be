"""What one trial says of one thing that may be a limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dbdyno.analysis.bottleneck.model import FigureName, LimitCode

Figures = Mapping[FigureName, float | None]
"""Figures by name; None is not known."""


@dataclass(frozen=True)
class Subject:
    """What may be the limit, and where."""

    code: LimitCode
    member: str = ""
    host: str = ""
    device: str = ""


@dataclass(frozen=True)
class Reading:
    """``use`` says whether it is at its limit, ``waits`` whether work waited for it.

    All figures of both must reach their thresholds. ``context`` are figures that say more.
    """

    subject: Subject
    use: Figures
    waits: Figures
    context: Figures = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Tell whether all is known that judges it."""
        return None not in (*self.use.values(), *self.waits.values())
