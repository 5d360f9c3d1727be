"""Evidence of a check: its kind and its figures, and no words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dbdyno.analysis.evidence_kinds import EvidenceKind

Value: TypeAlias = int | float | str | None
"""None is not known."""
Figure: TypeAlias = Value | tuple[Value, ...]


@dataclass(frozen=True, init=False)
class Evidence:
    """One thing that was found.

    A figure is a number, or a text from outside: the name of a setting, a server's message. Its
    unit is in its name. ``place`` is the label of the only cell for which it holds, or "".
    """

    kind: EvidenceKind
    figures: tuple[tuple[str, Figure], ...]
    place: str

    def __init__(self, kind: EvidenceKind, /, *, place: str = "", **figures: Figure) -> None:
        """TypeError where these are not the figures of the kind."""
        if figures.keys() != set(kind.figures):
            raise TypeError(f"{kind} has the figures {kind.figures}, and not {tuple(figures)}")
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "figures", tuple(figures.items()))
        object.__setattr__(self, "place", place)

    def __getitem__(self, name: str) -> Figure:
        """Return a figure by its name."""
        return dict(self.figures)[name]


Clauses: TypeAlias = tuple[Evidence, ...]
"""All that a check found, one thing after the other."""


def said(*texts: str | None) -> Clauses:
    """Return texts from outside as evidence; those that are empty say nothing."""
    return tuple(Evidence(EvidenceKind.SAID, text=text) for text in texts if text)
