"""The order in which cells run, so that neither drift nor the trial before favours a level.

Between the first and the last trial of a campaign, a disk fills and ages, a CPU warms up, a
neighbour comes and goes. In interleaved order every round runs every cell, and rounds come in
pairs, the second being the mirror image of the first: over a pair all cells have the same mean
position, so that a drift that is linear cancels exactly. That takes an even number of rounds.

What the machine does for a while and not for the next is worth more than drift: cells that are
compared stand next to each other within a round. Cells are nested for that (``nest``): outermost by
what takes a restart or another load of the data to change, if anything does, and innermost by the
factor that the question is about.

A trial leaves something to the next one: dirty pages, a full cache, work in the background. Two
levels alternate, A B B A A B B A, from nest to nest and from round to round. So both trials of a
pair follow the same level, and what it leaves falls out of their ratio. More levels take the rows
of a Williams square in turn, so that within one cycle each comes first, last and in between, and is
preceded by each other one equally often. A row begins with the level that ran last where it can: a
level then follows itself, too. Where one of two levels would begin every round, the other one is
put first in the third round, and again four rounds later in another way, so that what follows what
is equally frequent over eight rounds. Which level takes which place is drawn from the seed, so that
the baseline is not always first.

ABBA is the plainest of such orders, and the one that many papers name: the first round of each
pair runs the levels as the file has them, the second runs them backwards. A linear drift cancels as
well. The baseline always begins, and of several factors each level always follows the same others.

Source: E. J. Williams, Experimental designs balanced for the estimation of residual effects of
treatments, Australian Journal of Scientific Research A 2 (1949), 149-168.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Nest(Generic[Item]):
    """Items that stay together, in nests of their own or one by one."""

    members: tuple[Nest[Item] | Item, ...]
    keys: tuple[Hashable, ...] = field(default=(), compare=False)
    """What members differ in, alike in all nests of one depth; their places where it is empty."""

    def keyed(self) -> list[tuple[Hashable, Nest[Item] | Item]]:
        """Return the members, each with its key."""
        return list(zip(self.keys or range(len(self.members)), self.members, strict=True))


def nest(items: Sequence[Item], levels: Sequence[Sequence[Hashable]]) -> Nest[Item]:
    """Return the items nested; ``levels`` has a key for each of them by level, outermost first.

    Items with equal keys on a level stay together, in the order in which keys first occur.
    """
    if not levels:
        return Nest(tuple(items))
    groups: dict[Hashable, list[int]] = {}
    for at, key in enumerate(levels[0]):
        groups.setdefault(key, []).append(at)
    if len(levels) == 1 and len(groups) == len(items):
        return Nest(tuple(items), tuple(groups))
    return Nest(
        tuple(
            nest([items[at] for at in group], [[keys[at] for at in group] for keys in levels[1:]])
            for group in groups.values()
        ),
        tuple(groups),
    )


def sequential_order(cells: Nest[Item], rounds: int) -> list[tuple[int, Item]]:
    """Return (round, cell), all rounds of a cell before the next cell. Rounds count from 1."""
    return [(number, item) for item in _flat(cells) for number in range(1, rounds + 1)]


def interleaved_order(cells: Nest[Item], rounds: int, seed: int) -> list[tuple[int, Item]]:
    """Return (round, cell), every round with every cell once. Rounds count from 1."""
    walk = _Walk(random.Random(seed))
    order: list[tuple[int, Item]] = []
    row: list[Item] = []
    for index in range(rounds):
        pair, is_mirror = divmod(index, 2)
        row = row[::-1] if is_mirror else walk.pair(cells, pair)
        order += [(index + 1, item) for item in row]
    return order


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


PAIR_OF_BREAK, PAIR_OF_EXCHANGE = 1, 3
"""Of four pairs of rounds those in which the other of two levels may begin. In one, one level
follows the other once too often, and in one once too seldom."""


class _Walk:
    """The way through nested cells in the first round of each pair; the second goes back on it.

    All is kept by depth: in which order keys were drawn, which one ran last, which ones began
    rounds, and how many nests a round has there.
    """

    def __init__(self, generator: random.Random) -> None:
        self._generator = generator
        self._ranks: dict[int, dict[Hashable, float]] = {}
        self._last: dict[int, Hashable] = {}
        self._began: dict[int, Counter[Hashable]] = {}
        self._nests: Counter[int] = Counter()
        self._visits: Counter[int] = Counter()
        self._first: dict[int, Hashable] = {}

    def pair(self, cells: Nest[Item], pair: int) -> list[Item]:
        """Return the cells of the first round of a pair; pairs count from 0, and come in turn."""
        # The round before has gone back, and so has ended where it had begun.
        self._last, self._nests = dict(self._first), self._visits
        self._visits = Counter()
        row = list(self._members(cells, pair, ()))
        if pair % 4 == PAIR_OF_EXCHANGE:
            row = _another_first(row, self._began)
        for places in (row[0][0], row[-1][0]):
            # The second round begins with what is last in the first.
            for depth, key in enumerate(places):
                self._began.setdefault(depth, Counter())[key] += 1
        self._first = dict(enumerate(row[0][0]))
        return [item for _, item in row]

    def _members(
        self, cells: Nest[Item], pair: int, place: tuple[Hashable, ...]
    ) -> Iterator[tuple[tuple[Hashable, ...], Item]]:
        """Yield each cell with its keys, outermost first."""
        depth = len(place)
        for key, member in self._row(cells, pair, depth):
            if isinstance(member, Nest):
                yield from self._members(member, pair, (*place, key))
            else:
                yield (*place, key), member
            self._last[depth] = key

    def _row(
        self, cells: Nest[Item], pair: int, depth: int
    ) -> list[tuple[Hashable, Nest[Item] | Item]]:
        """Return the members of a nest in the order in which they run."""
        ranks = self._ranks.setdefault(depth, {})
        keyed = cells.keyed()
        for key, _ in keyed:
            ranks.setdefault(key, self._generator.random())
        drawn = sorted(keyed, key=lambda each: ranks[each[0]])
        visit = self._visits[depth]
        self._visits[depth] += 1
        # Two levels have one row and its mirror image, and alternate by the end that they begin at.
        shift = pair + visit // 2 if len(drawn) > 2 else 0
        row = [drawn[(place + shift) % len(drawn)] for place in _zigzag(len(drawn))]
        is_pair = len(row) == 2 and not isinstance(row[0][1], Nest)
        ends = row[0][0], row[-1][0]
        is_backwards = self._last.get(depth) == ends[1]
        if self._begins_round(depth) and (not is_pair or pair % 4 == PAIR_OF_BREAK):
            began = [self._began.get(depth, Counter())[end] for end in ends]
            is_backwards = began[1] < began[0] or (is_backwards and began[1] == began[0])
        return row[::-1] if is_backwards else row

    def _begins_round(self, depth: int) -> bool:
        """Tell whether a row may decide what the round begins with.

        Where a round has one nest of a depth, it begins with both ends of the row in turn.
        """
        return self._visits[depth] == 1 and self._nests[depth] > 1


def _another_first(
    row: list[tuple[tuple[Hashable, ...], Item]], began: Mapping[int, Counter[Hashable]]
) -> list[tuple[tuple[Hashable, ...], Item]]:
    """Return a round with its first cell behind the second pair, where its level began too often.

    A B B A then is B B A A.
    """
    levels = [places[-1] for places, _ in row[:4]]
    blocks = {places[:-2] for places, _ in row[:4]}
    if len(set(levels)) != 2 or levels[:2] != levels[:1:-1] or len(blocks) > 1:
        return row
    count = began.get(len(row[0][0]) - 1, Counter())
    return row if count[levels[0]] <= count[levels[1]] else [*row[1:4], row[0], *row[4:]]


def _zigzag(count: int) -> list[int]:
    """Return 0, 1, count − 1, 2, count − 2, …: the first row of a Williams square."""
    return [
        (place + 1) // 2 if place % 2 else (count - place // 2) % count for place in range(count)
    ]
