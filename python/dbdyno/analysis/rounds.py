"""Which rounds the means of the cells are taken over, so that their ratios are the effects.

Cells that are compared, directly or through others, share their rounds: those in which each of them
has a valid trial. A cell that would cost the others too many rounds stands apart, with its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dbdyno.experiment.plan import Cell

Rounds = frozenset[int]

SHARE_KEPT = 0.5
"""The shared rounds are at least so many of those that the most complete cell has, and two."""


def rounds_of_means(
    valid: Mapping[Cell, Rounds], compared: Iterable[tuple[Cell, Cell]]
) -> dict[Cell, Rounds]:
    """Return the rounds behind each cell's mean.

    ``valid`` has the rounds in which a cell has a valid trial, ``compared`` the pairs of cells that
    are held against each other.
    """
    means = dict(valid)
    for cells in _connected([cell for cell in valid if valid[cell]], list(compared)):
        sharing, common = _share(cells, valid)
        means |= dict.fromkeys(sharing, common)
    return means


def _share(cells: Sequence[Cell], valid: Mapping[Cell, Rounds]) -> tuple[list[Cell], Rounds]:
    """Return the cells that share their rounds, and these rounds; the poorest cells go first."""
    sharing = sorted(cells, key=lambda cell: -len(valid[cell]))
    most = len(valid[sharing[0]])
    enough = max(min(2, most), SHARE_KEPT * most)
    while len(common := frozenset.intersection(*(valid[cell] for cell in sharing))) < enough:
        sharing.pop()
    return sharing, common


def _connected(cells: Sequence[Cell], pairs: Sequence[tuple[Cell, Cell]]) -> list[list[Cell]]:
    """Return the cells in groups, so that those of a pair are in the same."""
    group_of = {cell: [cell] for cell in cells}
    for one, other in pairs:
        small, large = sorted((group_of.get(one, []), group_of.get(other, [])), key=len)
        if small and small is not large:
            large += small
            group_of |= dict.fromkeys(small, large)
    groups = {id(group): group for group in group_of.values()}
    return list(groups.values())
