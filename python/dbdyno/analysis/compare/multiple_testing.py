"""One level of significance for many tests: the share of each, and the p-values that keep it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dbdyno.analysis.compare.power import POWER

TRUNCATION = 0.5
"""How much of Holm's procedure a truncated one is; the rest is Bonferroni's, and is handed on."""

REST = 0.2
"""The level of the other questions by the same metric, as a share of the full one."""
CELLS = 0.7
"""What the cells of the factor in question get of what it hands on, until all of them are shown.
The other factors get half of the rest, and the other metrics the other half."""


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values for which the chance of any false one is held, in the same order.

    Holm's step-down procedure (Holm 1979, Scandinavian Journal of Statistics 6).
    """
    return _step_down(p_values, lambda waiting: 1 / waiting)


def truncated_holm(p_values: Sequence[float]) -> list[float]:
    """Return the same where a share of the level is kept for other families.

    With n p-values, of which k are not shown yet, the smallest of these is compared with the level
    times ``TRUNCATION`` / k + (1 - ``TRUNCATION``) / n (Dmitrienko, Tamhane and Wiens 2008,
    Biometrical Journal 50).
    """
    kept = (1 - TRUNCATION) / max(len(p_values), 1)
    return _step_down(p_values, lambda waiting: TRUNCATION / waiting + kept)


def _step_down(p_values: Sequence[float], share: Callable[[int], float]) -> list[float]:
    """Return p-values over the share of the level for the smallest of so many that wait."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, p_values[index] / share(len(p_values) - place)))
        adjusted[index] = highest
    return adjusted


def usual_level_of_levels(level: float, count: int) -> float:
    """Return at which level one of so many levels is tested, where the others have usual power."""
    return level * (TRUNCATION / _waiting(count) + (1 - TRUNCATION) / max(count, 1))


def usual_level_of_cells(level: float, count: int) -> float:
    """Return the same of a cell."""
    return level / _waiting(count)


def _waiting(count: int) -> float:
    """Return how many of a family are not shown yet when one of them is tested, on the mean.

    Holm's procedure tests one at its level over the number of those that are not shown yet.
    """
    return 1 + (1 - POWER) * max(count - 1, 0)
