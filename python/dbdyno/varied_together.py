"""Whether two things that were varied can be told apart: of factors, and of tables' columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Setup = Mapping[str, str]
"""The level of each thing that was varied, by its name."""


def determines(setups: Iterable[Setup], one: str, other: str) -> bool:
    """Tell whether each level of one thing comes with a single level of the other.

    Then no two set-ups differ in the other alone: whatever it does, the one may have done.
    """
    known: dict[str, str] = {}
    return all(
        known.setdefault(setup.get(one, ""), setup.get(other, "")) == setup.get(other, "")
        for setup in setups
    )
