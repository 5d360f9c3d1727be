"""The order in which cells run, so that drift of the machine favours no level.

Between the first and the last trial of a campaign, a disk fills and ages, a CPU warms up, a
neighbour comes and goes. In interleaved order every round runs every cell, and rounds come in
pairs, the second being the mirror image of the first: over a pair all cells have the same mean
position, so that a drift that is linear cancels exactly. That takes an even number of rounds.

What the machine does for a while and not for the next is worth more than drift: cells that are
compared stand next to each other within a round. Cells are nested for that (``nest``): outermost by
what takes a restart or another load of the data to change, if anything does, and innermost by the
factor that the question is about. From pair to pair the order on each level moves on along the
rows of a Williams square, so that within one cycle each comes first, last and in between, and is
preceded by different others. Which takes which place of the square is drawn from the seed, so that
the baseline is not always first.

ABBA is the plainest of such orders, and the one that many papers name: the first round of each
pair runs the levels as the file has them, the second runs them backwards. A linear drift cancels as
well, and blocks change less often, for a pair ends with the block with which the next begins. In
exchange the baseline always begins, and each level follows the same others.

Source: E. J. Williams, Experimental designs balanced for the estimation of residual effects of
treatments, Australian Journal of Scientific Research A 2 (1949), 149-168.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Nest(Generic[Item]):
    """Items that stay together, in nests of their own or one by one."""

    members: tuple[Nest[Item] | Item, ...]


def nest(items: Sequence[Item], levels: Sequence[Sequence[Hashable]]) -> Nest[Item]:
    """Return the items nested; ``levels`` has a key for each of them by level, outermost first.

    Items with equal keys on a level stay together, in the order in which keys first occur.
    """
    if not levels:
        return Nest(tuple(items))
    groups: dict[Hashable, list[int]] = {}
    for at, key in enumerate(levels[0]):
        groups.setdefault(key, []).append(at)
    return Nest(
        tuple(
            nest([items[at] for at in group], [[keys[at] for at in group] for keys in levels[1:]])
            for group in groups.values()
        )
    )


def sequential_order(cells: Nest[Item], rounds: int) -> list[tuple[int, Item]]:
    """Return (round, cell), all rounds of a cell before the next cell. Rounds count from 1."""
    return [(number, item) for item in _flat(cells) for number in range(1, rounds + 1)]


def interleaved_order(cells: Nest[Item], rounds: int, seed: int) -> list[tuple[int, Item]]:
    """Return (round, cell), every round with every cell once. Rounds count from 1."""
    drawn = _shuffle(cells, random.Random(seed))
    return [(index + 1, item) for index in range(rounds) for item in _flat(_arrange(drawn, index))]


def abba_order(cells: Nest[Item], rounds: int) -> list[tuple[int, Item]]:
    """Return (round, cell), odd rounds as the cells are given, even ones backwards."""
    forwards = list(_flat(cells))
    return [
        (number, item)
        for number in range(1, rounds + 1)
        for item in (forwards if number % 2 else forwards[::-1])
    ]


def _flat(cells: Nest[Item]) -> Iterator[Item]:
    for member in cells.members:
        if isinstance(member, Nest):
            yield from _flat(member)
        else:
            yield member


def _shuffle(cells: Nest[Item], generator: random.Random) -> Nest[Item]:
    drawn = generator.sample(cells.members, len(cells.members))
    return Nest(tuple(_shuffle(m, generator) if isinstance(m, Nest) else m for m in drawn))


def _arrange(cells: Nest[Item], round_index: int) -> Nest[Item]:
    """Return a row of the Williams square, and so on within each member.

    Odd rounds are the mirror image of the one before.
    """
    pair, is_mirror = divmod(round_index, 2)
    members = cells.members
    row = [members[(place + pair) % len(members)] for place in _zigzag(len(members))]
    ordered = row[::-1] if is_mirror else row
    return Nest(tuple(_arrange(m, round_index) if isinstance(m, Nest) else m for m in ordered))


def _zigzag(count: int) -> list[int]:
    """Return 0, 1, count − 1, 2, count − 2, …: the first row of a Williams square."""
    return [
        (place + 1) // 2 if place % 2 else (count - place // 2) % count for place in range(count)
    ]
