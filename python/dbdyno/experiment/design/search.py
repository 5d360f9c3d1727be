"""The search for the knee: which number of clients gives the highest throughput.

And how many clients still meet a limit of response time, where one is given.

Pure functions of what was measured so far: the next levels, or none when the answer stands. So a
run that was killed goes on with the very same question.

Throughput over clients rises and then stays or falls, as queues and contention have it (N. J.
Gunther's universal scalability law is one such curve). Levels four times apart find the part of it
in which the highest lies; halving the gaps beside the best, in powers, narrows it. Response time
rises with clients, so that the limit is found by bisection. A decision that the noise could turn is
measured again, up to so many rounds; none is taken from a level that stands out below both its
neighbours until it has been measured again.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

COARSE_RATIO = 4.0
THROUGHPUT_RATIO = 1.25
"""Levels closer than that differ in throughput by less than anybody can use."""
LIMIT_RATIO = 1.1

CONTESTED = 3
"""So many of the best are measured again to choose among them."""
SUSPECT_ROUNDS = 3

NOISE_PRIOR = 0.03
"""The standard deviation of a trial's logarithm before any was measured again, …"""
NOISE_PRIOR_FREEDOM = 4
"""… and how many degrees of freedom it weighs as much as."""
INDIFFERENT = 0.02
"""So much more throughput is not worth another trial."""
DEVIATIONS = 2.0
"""A difference below so many of its standard errors may be noise."""


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
    """The answer, as far as it is known; None is not known, or not met by any level."""

    clients: int
    throughput_per_s: float
    rounds: int
    within_limit: int | None = None
    first_beyond_limit: int | None = None


def most_trials(search: KneeSearch) -> int:
    """Return how many trials a search takes at the most."""
    coarse = len(_coarse_levels(search))
    narrowing = 2 * math.ceil(math.log2(math.log(COARSE_RATIO) / math.log(THROUGHPUT_RATIO)))
    bisecting = math.ceil(math.log2(math.log(COARSE_RATIO) / math.log(LIMIT_RATIO)))
    levels = coarse + narrowing + (bisecting if search.limit_s is not None else 0)
    distinct = min(levels, search.high - search.low + 1)
    contested = CONTESTED + (2 if search.limit_s is not None else 0)
    return distinct + (contested + 1) * (search.rounds - 1)


def next_levels(search: KneeSearch, points: Sequence[Point]) -> tuple[int, ...]:
    """Return the levels to be measured next, each once; none when the answer stands."""
    if not points:
        return _coarse_levels(search)
    left = most_trials(search) - len(points)
    measured = _Measured(search, points)
    wanted = {*_suspects(measured), *_beside_the_best(measured), *_beside_the_limit(measured)}
    if not wanted:
        wanted = {*_contest(measured)}
    return tuple(sorted(wanted))[: max(left, 0)]


def find_knee(search: KneeSearch, points: Sequence[Point]) -> Knee | None:
    """Return the answer as it stands; None where nothing was measured that did any work."""
    measured = _Measured(search, points)
    best = measured.best()
    if math.isinf(measured.throughput[best].mean):
        return None
    within, beyond = measured.limit_bracket() if search.limit_s is not None else (None, None)
    return Knee(
        clients=best,
        throughput_per_s=math.exp(measured.throughput[best].mean),
        rounds=measured.throughput[best].count,
        within_limit=within,
        first_beyond_limit=beyond,
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
        self._throughput_noise = _noise(throughput.values())
        self._response_noise = _noise(response.values())

    def best(self) -> int:
        """Return the level with the highest throughput; the fewest clients where several have."""
        return max(self.levels, key=lambda level: (self.throughput[level].mean, -level))

    def is_clearly_below(self, level: int, other: int, but_for: float = 0.0) -> bool:
        """Tell whether a level's throughput is below another's, or above it by ``but_for`` only."""
        low, high = self.throughput[level], self.throughput[other]
        error = self._throughput_noise * math.sqrt(1 / low.count + 1 / high.count)
        return high.mean - low.mean + but_for > DEVIATIONS * error

    def is_at_limit(self, level: int) -> bool:
        """Tell whether noise could put a level on the other side of the limit."""
        found = self.response[level]
        error = self._response_noise / math.sqrt(found.count)
        return abs(found.mean - self._limit()) < DEVIATIONS * error

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


def _beside_the_best(measured: _Measured) -> Iterator[int]:
    """Yield the middle of each gap beside the best level that is too wide."""
    place = measured.levels.index(measured.best())
    for one, other in zip(measured.levels, measured.levels[1:], strict=False):
        if measured.levels[place] in (one, other):
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
    """Yield the best levels that noise cannot tell apart, the best itself in any case.

    A rival that can be better by no more than anybody can use is none.
    """
    best = measured.best()
    by_throughput = sorted(measured.levels, key=lambda level: -measured.throughput[level].mean)
    rivals = [
        level
        for level in by_throughput
        if level == best or not measured.is_clearly_below(level, best, INDIFFERENT)
    ][:CONTESTED]
    fewest = min(measured.throughput[level].count for level in rivals)
    enough = _rounds(measured, SUSPECT_ROUNDS) if rivals == [best] else measured.search.rounds
    for level in rivals:
        # Those that were measured less come first, so that rivals are judged alike.
        if measured.throughput[level].count == fewest < enough:
            yield level


def _rounds(measured: _Measured, wanted: int) -> int:
    return min(wanted, measured.search.rounds)


def _middle(one: int, other: int, ratio: float) -> Iterator[int]:
    """Yield the geometric middle of a gap, unless it is narrow enough or holds no whole number."""
    middle = round(math.sqrt(one * other))
    if other / one > ratio and one < middle < other:
        yield middle


def _noise(values: Iterable[Sequence[float]]) -> float:
    """Return the standard deviation of a trial, within levels, with the prior's weight."""
    squares, freedom = NOISE_PRIOR**2 * NOISE_PRIOR_FREEDOM, float(NOISE_PRIOR_FREEDOM)
    for level in values:
        if len(level) > 1 and all(map(math.isfinite, level)):
            mean = fmean(level)
            squares += sum((value - mean) ** 2 for value in level)
            freedom += len(level) - 1
    return math.sqrt(squares / freedom)


def _sum_up(values: Sequence[float]) -> _Level:
    # One infinite value makes the mean infinite, which is what a failed trial is to do.
    return _Level(sum(values) / len(values), len(values))


def _logarithm(value: float) -> float:
    if value <= 0:
        return -math.inf
    return math.log(value) if math.isfinite(value) else math.inf
