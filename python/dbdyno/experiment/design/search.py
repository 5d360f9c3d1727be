"""The search for the knee: the fewest clients that give the highest throughput.

The fewest, for noise alone makes some level of a plateau the highest: the knee is the lowest level
that noise cannot tell from the best. And how many clients still meet a limit of response time,
where one is given.

Pure functions of what was measured so far: the next levels, or none when the answer stands. So a
run that was killed goes on with the very same question.

Throughput over clients rises and then stays or falls, as queues and contention have it (N. J.
Gunther's universal scalability law is one such curve). Levels four times apart find the part of it
in which the highest lies; halving the gaps beside the best and beside the knee, in powers, narrows
it. Response time
rises with clients, so that the limit is found by bisection. A decision that the noise could turn is
measured again, up to so many rounds; none is taken from a level that stands out below both its
neighbours until it has been measured again.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

COARSE_RATIO = 4.0
THROUGHPUT_RATIO = 1.25
"""Levels closer than that differ in throughput by less than anybody can use."""
LIMIT_RATIO = 1.1

CONTESTED = 2
"""So many of the best, and of the lowest levels that may be as good, are measured again."""
SUSPECT_ROUNDS = 3

NOISE_PRIOR = 0.03
"""The standard deviation of a trial's logarithm before any was measured again, …"""
NOISE_PRIOR_FREEDOM = 4
"""… and how many degrees of freedom it weighs as much as."""
INDIFFERENT = 0.02
"""So much more throughput is not worth another trial."""
CHANCE = 0.01
"""A difference that noise exceeds as seldom as that is none of noise; the best is one of many."""


CLIPPED = 2.0
"""Deviations of more standard deviations count as so many, …"""
CLIPPED_VARIANCE = 0.92
"""… which leaves this of the variance of a normal distribution; …"""
CLIPPING_STEPS = 10
"""… so many steps are enough for the deviation to settle."""


@dataclass(frozen=True)
class KneeSearch:
    """What is asked: among so many clients, with so many rounds where the noise could decide."""

    low: int
    high: int
    rounds: int
    limit_s: float | None = None
    """The response time that is to be met, as some percentile; None where nothing is asked."""


@dataclass(frozen=True)
class Point:
    """What one trial measured; a failed one has no throughput and an infinite response time."""

    clients: int
    throughput_per_s: float
    response_s: float = math.inf


@dataclass(frozen=True)
class Knee:
    """The answer, as far as it is known; None is not known, or not met by any level.

    ``clients`` are the fewest whose throughput noise cannot tell from the highest mean of all,
    which more clients may have had: ``best``, None where it is their own.
    """

    clients: int
    throughput_per_s: float
    rounds: int
    within_limit: int | None = None
    first_beyond_limit: int | None = None
    best: Point | None = None


def most_trials(search: KneeSearch) -> int:
    """Return how many trials a search takes at the most."""
    coarse = len(_coarse_levels(search))
    narrowing = 3 * math.ceil(math.log2(math.log(COARSE_RATIO) / math.log(THROUGHPUT_RATIO)))
    bisecting = math.ceil(math.log2(math.log(COARSE_RATIO) / math.log(LIMIT_RATIO)))
    levels = coarse + narrowing + (bisecting if search.limit_s is not None else 0)
    distinct = min(levels, search.high - search.low + 1)
    contested = 2 * CONTESTED + 1 + (2 if search.limit_s is not None else 0)
    return distinct + (contested + 1) * (search.rounds - 1)


def next_levels(search: KneeSearch, points: Sequence[Point]) -> tuple[int, ...]:
    """Return the levels to be measured next, each once; none when the answer stands."""
    if not points:
        return _coarse_levels(search)
    left = most_trials(search) - len(points)
    measured = _Measured(search, points)
    wanted = {*_suspects(measured), *_beside_the_knee(measured), *_beside_the_limit(measured)}
    if not wanted:
        wanted = {*_contest(measured)}
    return tuple(sorted(wanted))[: max(left, 0)]


def find_knee(search: KneeSearch, points: Sequence[Point]) -> Knee | None:
    """Return the answer as it stands; None where nothing was measured that did any work."""
    measured = _Measured(search, points)
    best = measured.best()
    if math.isinf(measured.throughput[best].mean):
        return None
    knee = measured.as_good_as_the_best()[0]
    within, beyond = measured.limit_bracket() if search.limit_s is not None else (None, None)
    return Knee(
        clients=knee,
        throughput_per_s=math.exp(measured.throughput[knee].mean),
        rounds=measured.throughput[knee].count,
        within_limit=within,
        first_beyond_limit=beyond,
        best=None if best == knee else Point(best, math.exp(measured.throughput[best].mean)),
    )


@dataclass(frozen=True)
class _Level:
    """The logarithms of a level's trials, summed up."""

    mean: float
    count: int


class _Measured:
    """What was measured, by level, and how much of a difference may be noise."""

    def __init__(self, search: KneeSearch, points: Sequence[Point]) -> None:
        self.search = search
        throughput: dict[int, list[float]] = defaultdict(list)
        response: dict[int, list[float]] = defaultdict(list)
        for point in points:
            throughput[point.clients].append(_logarithm(point.throughput_per_s))
            response[point.clients].append(_logarithm(point.response_s))
        self.levels = sorted(throughput)
        self.throughput = {level: _sum_up(throughput[level]) for level in self.levels}
        self.response = {level: _sum_up(response[level]) for level in self.levels}
        self._throughput_noise = _largest_noise(throughput.values())
        self._response_noise = _largest_noise(response.values())

    def best(self) -> int:
        """Return the level with the highest throughput; the fewest clients where several have."""
        return max(self.levels, key=lambda level: (self.throughput[level].mean, -level))

    def as_good_as_the_best(self) -> list[int]:
        """Return the levels up to the best that noise cannot tell from it, the fewest first."""
        best = self.best()
        return [
            level
            for level in self.levels
            if level <= best and not self.is_clearly_below(level, best)
        ]

    def is_clearly_below(self, level: int, other: int) -> bool:
        """Tell whether a level's throughput is below another's by more than noise."""
        low, high = self.throughput[level], self.throughput[other]
        return high.mean - low.mean > self._error(level, other)

    def is_no_rival(self, level: int, other: int) -> bool:
        """Tell whether a level cannot be above another by as much as anybody can use."""
        low, high = self.throughput[level], self.throughput[other]
        return low.mean - high.mean + self._error(level, other) < INDIFFERENT

    def _error(self, level: int, other: int) -> float:
        """Return how far apart noise may put two levels that are alike."""
        counts = self.throughput[level].count, self.throughput[other].count
        return self._throughput_noise * math.sqrt(sum(1 / each for each in counts))

    def is_at_limit(self, level: int) -> bool:
        """Tell whether noise could put a level on the other side of the limit."""
        found = self.response[level]
        error = self._response_noise / math.sqrt(found.count)
        return abs(found.mean - self._limit()) < error

    def limit_bracket(self) -> tuple[int | None, int | None]:
        """Return the last level that meets the limit before the first that does not."""
        beyond = [level for level in self.levels if self.response[level].mean > self._limit()]
        first = min(beyond, default=None)
        within = [level for level in self.levels if first is None or level < first]
        return max(within, default=None), first

    def _limit(self) -> float:
        assert self.search.limit_s is not None
        return math.log(self.search.limit_s)


def _coarse_levels(search: KneeSearch) -> tuple[int, ...]:
    """Return levels about four times apart, the bounds among them."""
    steps = max(1, math.ceil(math.log(search.high / search.low) / math.log(COARSE_RATIO) - 1e-9))
    ratio = (search.high / search.low) ** (1 / steps)
    return tuple(sorted({round(search.low * ratio**step) for step in range(steps + 1)}))


def _suspects(measured: _Measured) -> Iterator[int]:
    """Yield levels that stand below both neighbours, which no such curve does."""
    levels = measured.levels
    for before, level, after in zip(levels, levels[1:], levels[2:], strict=False):
        is_dip = all(measured.is_clearly_below(level, other) for other in (before, after))
        if is_dip and measured.throughput[level].count < _rounds(measured, SUSPECT_ROUNDS):
            yield level


def _beside_the_knee(measured: _Measured) -> Iterator[int]:
    """Yield the middle of each gap beside the best level and beside the knee that is too wide."""
    chosen = {measured.best(), measured.as_good_as_the_best()[0]}
    for one, other in zip(measured.levels, measured.levels[1:], strict=False):
        if chosen & {one, other}:
            yield from _middle(one, other, THROUGHPUT_RATIO)


def _beside_the_limit(measured: _Measured) -> Iterator[int]:
    """Yield what tells which side of the limit a level is on, or halves the gap around it."""
    if measured.search.limit_s is None:
        return
    within, beyond = measured.limit_bracket()
    unsure = [
        level
        for level in (within, beyond)
        if level is not None
        and measured.is_at_limit(level)
        and measured.response[level].count < measured.search.rounds
    ]
    if unsure:
        yield from unsure
    elif within is not None and beyond is not None:
        yield from _middle(within, beyond, LIMIT_RATIO)


def _contest(measured: _Measured) -> Iterator[int]:
    """Yield levels that noise cannot tell from the best: the highest and the lowest of them.

    A rival that can be better by no more than anybody can use is none.
    """
    best = measured.best()
    by_throughput = sorted(measured.levels, key=lambda level: -measured.throughput[level].mean)
    highest = [
        level for level in by_throughput if level == best or not measured.is_no_rival(level, best)
    ]
    rivals = dict.fromkeys([*highest[:CONTESTED], measured.as_good_as_the_best()[0]])
    wanted = [
        level
        for level in rivals
        if measured.throughput[level].count < _enough(measured, level, is_alone=len(rivals) == 1)
    ]
    fewest = min((measured.throughput[level].count for level in wanted), default=0)
    # Those that were measured less come first, so that rivals are judged alike.
    yield from (level for level in wanted if measured.throughput[level].count == fewest)


def _enough(measured: _Measured, level: int, *, is_alone: bool) -> int:
    """Return how many trials of a level that may be the best will do."""
    best = measured.best()
    shortfall = measured.throughput[best].mean - measured.throughput[level].mean
    if is_alone or (level != best and shortfall < INDIFFERENT):
        return _rounds(measured, SUSPECT_ROUNDS)
    return measured.search.rounds


def _rounds(measured: _Measured, wanted: int) -> int:
    return min(wanted, measured.search.rounds)


def _middle(one: int, other: int, ratio: float) -> Iterator[int]:
    """Yield the geometric middle of a gap, unless it is narrow enough or holds no whole number."""
    middle = round(math.sqrt(one * other))
    if other / one > ratio and one < middle < other:
        yield middle


def _largest_noise(values: Iterable[Sequence[float]]) -> float:
    """Return how far noise may put one trial off, by what trials of one level differ.

    Student's t with the deviation that is pooled over all levels, the prior among them. Deviations
    beyond ``CLIPPED`` standard deviations count as those (Huber's proposal 2, Robust Statistics,
    1981, section 6.4), so that a few slow trials do not hide what the others show.
    """
    from scipy import special

    several = [level for level in values if len(level) > 1 and all(map(math.isfinite, level))]
    freedom = NOISE_PRIOR_FREEDOM + sum(len(level) - 1 for level in several)
    prior = NOISE_PRIOR**2 * NOISE_PRIOR_FREEDOM
    shares = [(len(level) - 1) / len(level) for level in several for _ in level]
    squares = [
        (value - middle) ** 2 for level in several for middle in [median(level)] for value in level
    ]
    variance = (prior + math.fsum(squares)) / freedom
    for _ in range(CLIPPING_STEPS):
        clipped = map(min, squares, (CLIPPED**2 * variance * share for share in shares))
        variance = (prior + math.fsum(clipped) / CLIPPED_VARIANCE) / freedom
    return math.sqrt(variance) * float(special.stdtrit(freedom, 1 - CHANCE))


def _sum_up(values: Sequence[float]) -> _Level:
    # One infinite value makes the mean infinite, which is what a failed trial is to do.
    return _Level(sum(values) / len(values), len(values))


def _logarithm(value: float) -> float:
    if value <= 0:
        return -math.inf
    return math.log(value) if math.isfinite(value) else math.inf
