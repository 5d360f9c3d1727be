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


Keyed = tuple[Hashable, Nest[Item] | Item]
Place = tuple[Hashable, ...]


class _Walk:
    """The way through nested cells in the first round of each pair; the second goes back on it.

    By depth it is known in which order keys were drawn, which one ran last, which ones began
    rounds, and how many nests a round has; and by nest which rows it had.
    """

    def __init__(self, generator: random.Random) -> None:
        self._generator = generator
        self._ranks: dict[int, dict[Hashable, float]] = {}
        self._last: dict[int, Hashable] = {}
        self._began: dict[int, Counter[Hashable]] = {}
        self._nests: Counter[int] = Counter()
        self._visits: Counter[int] = Counter()
        self._had: Counter[tuple[Place, int]] = Counter()
        self._had_in_round: Counter[tuple[int, int]] = Counter()

    def pair(self, cells: Nest[Item], pair: int) -> list[Item]:
        """Return the cells of the first round of a pair; pairs count from 0, and come in turn."""
        self._nests, self._visits = self._visits, Counter()
        self._had_in_round.clear()
        row = list(self._members(cells, pair, ()))
        if pair % 4 == PAIR_OF_EXCHANGE:
            row = _another_first(row, self._began)
        for place in (row[0][0], row[-1][0]):
            # The second round begins with what is last in the first.
            for depth, key in enumerate(place):
                self._began.setdefault(depth, Counter())[key] += 1
        # It ends where the first has begun.
        self._last = dict(enumerate(row[0][0]))
        return [item for _, item in row]

    def _members(self, cells: Nest[Item], pair: int, place: Place) -> Iterator[tuple[Place, Item]]:
        """Yield each cell with its keys, outermost first."""
        for key, member in self._row(cells, pair, place):
            if isinstance(member, Nest):
                yield from self._members(member, pair, (*place, key))
            else:
                yield (*place, key), member
            self._last[len(place)] = key

    def _row(self, cells: Nest[Item], pair: int, place: Place) -> list[Keyed[Item]]:
        """Return the members of a nest in the order in which they run.

        That is a row that the nest had least often; of several one that begins with what ran last.
        """
        depth = len(place)
        self._visits[depth] += 1
        drawn = self._drawn(cells, depth)
        is_pair = len(drawn) == 2 and not isinstance(drawn[0][1], Nest)
        # Where a round has one nest of a depth, it begins with both ends of its row in turn.
        may_begin = self._visits[depth] == 1 and self._nests[depth] > 1
        began = self._began.get(depth, Counter())
        weighs_began = may_begin and (not is_pair or pair % 4 == PAIR_OF_BREAK)

        def least(candidate: tuple[int, list[Keyed[Item]]]) -> tuple[int, int, bool, int]:
            number, row = candidate
            return (
                self._had[place, number],
                began[row[0][0]] if weighs_began else 0,
                row[0][0] != self._last.get(depth),
                self._had_in_round[depth, number],
            )

        number, row = min(_rows(drawn), key=least)
        self._had[place, number] += 1
        self._had_in_round[depth, number] += 1
        return row

    def _drawn(self, cells: Nest[Item], depth: int) -> list[Keyed[Item]]:
        ranks = self._ranks.setdefault(depth, {})
        keyed = cells.keyed()
        for key, _ in keyed:
            ranks.setdefault(key, self._generator.random())
        return sorted(keyed, key=lambda each: ranks[each[0]])


def _another_first(
    row: list[tuple[Place, Item]], began: Mapping[int, Counter[Hashable]]
) -> list[tuple[Place, Item]]:
    """Return a round with its first cell behind the second pair, where its level began too often.

    A B B A then is B B A A.
    """
    levels = [place[-1] for place, _ in row[:4]]
    blocks = {place[:-2] for place, _ in row[:4]}
    if len(set(levels)) != 2 or levels[:2] != levels[:1:-1] or len(blocks) > 1:
        return row
    count = began.get(len(row[0][0]) - 1, Counter())
    return row if count[levels[0]] <= count[levels[1]] else [*row[1:4], row[0], *row[4:]]


def _rows(drawn: Sequence[Keyed[Item]]) -> Iterator[tuple[int, list[Keyed[Item]]]]:
    """Yield the rows of a Williams square, each with its number and in both directions.

    Where there is an even number of members, half of the rows are the other half backwards.
    """
    count = len(drawn)
    for shift in range(count if count % 2 else count // 2):
        row = [drawn[(place + shift) % count] for place in _zigzag(count)]
        yield shift, row
        yield shift, row[::-1]


def _zigzag(count: int) -> list[int]:
    """Return 0, 1, count − 1, 2, count − 2, …: the first row of a Williams square."""
    return [
        (place + 1) // 2 if place % 2 else (count - place // 2) % count for place in range(count)
    ]
