"""The order in which cells run, so that drift of the machine favours no level.

Between the first and the last trial of a campaign, a disk fills and ages, a CPU warms up, a
neighbour comes and goes. In interleaved order every round runs every cell, and rounds come in
pairs, the second being the mirror image of the first: over a pair all cells have the same mean
position, so that a drift that is linear cancels exactly. From pair to pair the order moves on along
the rows of a Williams square, so that within one cycle every cell comes first, last and in between,
and is preceded by different others.

Within a round, cells that share a server (its target, settings and data) run together: a server is
then set up once a round instead of once a trial. The groups, and the cells within each group, are
both ordered in the way just said. Which cell takes which place of the square is drawn from the
seed, so that the baseline is not always first.

Source: E. J. Williams, Experimental designs balanced for the estimation of residual effects of
treatments, Australian Journal of Scientific Research A 2 (1949), 149-168.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def sequential_order(groups: Sequence[Sequence[Item]], rounds: int) -> list[tuple[int, Item]]:
    """Return (round, cell), all rounds of a cell before the next cell. Rounds count from 1."""
    return [
        (round_number, item)
        for group in groups
        for item in group
        for round_number in range(1, rounds + 1)
    ]


def interleaved_order(
    groups: Sequence[Sequence[Item]], rounds: int, seed: int
) -> list[tuple[int, Item]]:
    """Return (round, cell), every round with every cell once. Rounds count from 1."""
    drawn = _shuffle(groups, seed)
    order = []
    for round_index in range(rounds):
        for group in _arrange(drawn, round_index):
            order += [(round_index + 1, item) for item in _arrange(group, round_index)]
    return order


def group_by(items: Sequence[Item], keys: Sequence[Hashable]) -> list[list[Item]]:
    """Return the items with equal keys together, in the order in which keys first occur."""
    groups: dict[Hashable, list[Item]] = {}
    for item, key in zip(items, keys, strict=True):
        groups.setdefault(key, []).append(item)
    return list(groups.values())


def _shuffle(groups: Sequence[Sequence[Item]], seed: int) -> list[list[Item]]:
    generator = random.Random(seed)
    shuffled = [generator.sample(list(group), len(group)) for group in groups]
    generator.shuffle(shuffled)
    return shuffled


def _arrange(items: Sequence[Item], round_index: int) -> list[Item]:
    """Return a row of the Williams square; odd rounds are the mirror image of the one before."""
    pair, is_mirror = divmod(round_index, 2)
    row = [items[(place + pair) % len(items)] for place in _zigzag(len(items))]
    return row[::-1] if is_mirror else row


def _zigzag(count: int) -> list[int]:
    """Return 0, 1, count − 1, 2, count − 2, …: the first row of a Williams square."""
    return [
        (place + 1) // 2 if place % 2 else (count - place // 2) % count for place in range(count)
    ]
