"""How strongly a cell of a matrix is coloured: by its effect, as a ratio to the baseline.

The scale is one of ratios, so that twice and half as much are equally strong. Steps are the same in
every report, so that a colour means the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.compare.model import SHOWN, VerdictKind
from dbdyno.report.document.model import KeyGroup, Shade
from dbdyno.report.language import say
from dbdyno.report.matrix import Matrix, MatrixCell

STEPS = (1.1, 1.3, 2.0)
"""Ratios up to which a shade goes; in logarithms, each is about 2.7 times the last."""

_BETTER = (Shade.BETTER_1, Shade.BETTER_2, Shade.BETTER_3, Shade.BETTER_4)
_WORSE = (Shade.WORSE_1, Shade.WORSE_2, Shade.WORSE_3, Shade.WORSE_4)


def shade_of(cell: MatrixCell) -> Shade:
    """Return the shade of a cell; none of a baseline, and of what cannot be compared."""
    comparison = cell.comparison
    if comparison is None or comparison.effect is None:
        return Shade.NONE
    if comparison.kind is VerdictKind.NOT_COMPARABLE:
        return Shade.NONE
    if comparison.kind not in SHOWN:
        return Shade.NOT_SHOWN
    shades = _BETTER if comparison.kind is VerdictKind.BETTER else _WORSE
    return shades[_step(comparison.effect.percent)]


def _step(percent: float) -> int:
    """Return how many of the steps an effect in percent exceeds, to either side."""
    ratio = 1 + percent / 100
    if ratio <= 0:
        return len(STEPS)
    return sum(max(ratio, 1 / ratio) > step for step in STEPS)


def key_of(matrix: Matrix) -> Sequence[KeyGroup]:
    """Return what the shades mean, from worst to best; nothing where no cell has one."""
    cells = [cell for _, members in matrix.rows for cell in members if cell is not None]
    if all(shade_of(cell) is Shade.NONE for cell in cells):
        return ()
    highest = f"{STEPS[-1]:g}"
    names = [*(f"≤ {step:g}" for step in STEPS), f"> {highest}"]
    better = list(zip(_BETTER, names, strict=True))
    worse = list(zip(_WORSE, names, strict=True))
    return (
        KeyGroup(say("worse by a factor of"), worse[::-1]),
        KeyGroup("", [(Shade.NOT_SHOWN, say("undecided, or no difference shown"))]),
        KeyGroup(say("better by a factor of"), better),
    )
