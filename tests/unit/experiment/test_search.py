"""The search for the knee against servers with a known truth, and noise in what they show."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from dbdyno.experiment.design.search import (
    Knee,
    KneeSearch,
    Point,
    find_knee,
    most_trials,
    next_levels,
)

POWERS_OF_TWO = 10
"""The levels of a usual grid from 1 to 512; ours is four times as fine where it matters."""


@dataclass(frozen=True)
class Server:
    """Throughput by the universal scalability law, and response time by Little's."""

    contention: float
    coherence: float

    def throughput_per_s(self, clients: int) -> float:
        slowed = 1 + self.contention * (clients - 1) + self.coherence * clients * (clients - 1)
        return 1000 * clients / slowed

    def response_s(self, clients: int) -> float:
        return 2 * clients / self.throughput_per_s(clients)

    def highest_per_s(self, high: int) -> float:
        return max(self.throughput_per_s(clients) for clients in range(1, high + 1))

    def within(self, limit_s: float, high: int) -> int:
        keeping = [n for n in range(1, high + 1) if self.response_s(n) <= limit_s]
        return max(keeping, default=0)


SERVERS = [
    Server(0.02, 1e-4),
    Server(0.05, 1e-3),
    Server(0.1, 0.0),
    Server(0.2, 1e-5),
    Server(0.0, 1e-5),
    Server(0.9, 0.01),
]


def carry_out(
    search: KneeSearch, measure: Callable[[int], Point]
) -> tuple[Knee, list[Point], list[tuple[int, ...]]]:
    """Return the answer, and what was measured for it."""
    points: list[Point] = []
    steps = []
    while levels := next_levels(search, points):
        steps.append(levels)
        points += [measure(level) for level in levels]
    knee = find_knee(search, points)
    assert knee is not None
    return knee, points, steps


def noisy(server: Server, noise: float, seed: int, slow: float = 0.0) -> Callable[[int], Point]:
    """Return what measures a server whose trials scatter, and of which some are slow by a third."""
    random = np.random.default_rng(seed)

    def measure(clients: int) -> Point:
        factor = math.exp(random.normal(0, noise)) * (0.7 if random.random() < slow else 1)
        response_s = server.response_s(clients) / factor * math.exp(random.normal(0, noise))
        return Point(clients, server.throughput_per_s(clients) * factor, response_s)

    return measure


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05])
@pytest.mark.parametrize("server", SERVERS, ids=str)
def test_the_knee_is_found_in_fewer_trials_than_a_grid_has(server: Server, noise: float) -> None:
    search = KneeSearch(1, 512, rounds=6, limit_s=0.05)
    shares, ratios, counts = [], [], []
    for seed in range(40):
        knee, points, _ = carry_out(search, noisy(server, noise, seed))
        shares.append(server.throughput_per_s(knee.clients) / server.highest_per_s(512))
        truth = server.within(0.05, 512)
        ratios.append((knee.within_limit or 1) / max(truth, 1))
        counts.append(len(points))
    # What noise cannot tell from the highest is lower by some of the noise.
    assert np.quantile(shares, 0.1) >= 0.98 - 1.6 * noise
    assert np.quantile(ratios, 0.1) >= 0.85
    assert np.quantile(ratios, 0.9) <= 1.15
    assert np.mean(counts) <= 0.95 * POWERS_OF_TWO * search.rounds
    assert max(counts) <= most_trials(search) < POWERS_OF_TWO * search.rounds


def test_a_trial_that_was_slow_by_chance_does_not_lead_it_away() -> None:
    server = Server(0.05, 1e-3)
    search = KneeSearch(1, 512, rounds=6)
    shares = []
    for seed in range(60):
        knee, _, _ = carry_out(search, noisy(server, 0.02, seed, slow=0.1))
        shares.append(server.throughput_per_s(knee.clients) / server.highest_per_s(512))
    assert np.quantile(shares, 0.1) >= 0.9


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05])
@pytest.mark.parametrize("enough", [8, 30, 100])
def test_of_a_plateau_the_knee_is_where_it_begins(enough: int, noise: float) -> None:
    found = []
    for seed in range(40):
        random = np.random.default_rng(seed)

        def measure(clients: int, random: np.random.Generator = random) -> Point:
            return Point(clients, min(clients, enough) * math.exp(random.normal(0, noise)))

        knee, _, _ = carry_out(KneeSearch(1, 512, rounds=6), measure)
        found.append(knee.clients)
    inside = [0.85 * enough <= clients <= 2 * enough for clients in found]
    assert np.mean(inside) >= 0.95


def test_more_clients_that_noise_made_the_best_are_named_beside_the_knee() -> None:
    search = KneeSearch(1, 64, rounds=2)
    points = [Point(n, rate) for n, rate in ((1, 100), (4, 400), (16, 401), (64, 405))] * 2
    knee = find_knee(search, points)
    assert knee is not None
    assert (knee.clients, knee.rounds) == (4, 2)
    assert knee.best is not None
    assert (knee.best.clients, round(knee.best.throughput_per_s)) == (64, 405)


def test_a_level_below_both_its_neighbours_is_measured_again_before_it_is_believed() -> None:
    search = KneeSearch(1, 256, rounds=6)
    levels = (1, 4, 16, 64, 256)
    curve = dict(zip(levels, (100, 350, 900, 600, 850), strict=True))
    points = [Point(level, throughput) for level, throughput in curve.items()]
    assert 64 in next_levels(search, points)
    believed = points + [Point(64, 600)] * 2
    assert 64 not in next_levels(search, believed)


def test_what_noise_could_turn_is_measured_again_and_what_it_could_not_is_not() -> None:
    search = KneeSearch(1, 64, rounds=5)
    _, flat, _ = carry_out(search, noisy(Server(1.0, 0.0), 0.05, seed=1))
    knee, steep, _ = carry_out(search, noisy(Server(0.0, 0.0), 0.001, seed=1))
    assert knee.clients == 64
    assert len(steep) < len(flat)
    again = [point.clients for point in steep].count(64)
    assert again == knee.rounds == 3


def test_the_first_step_spans_the_bounds() -> None:
    assert next_levels(KneeSearch(1, 512, rounds=6), []) == (1, 3, 12, 42, 147, 512)
    assert next_levels(KneeSearch(8, 9, rounds=6), []) == (8, 9)


def test_levels_are_whole_numbers_within_the_bounds_and_each_once_in_a_step() -> None:
    search = KneeSearch(3, 40, rounds=4, limit_s=0.02)
    _, points, steps = carry_out(search, noisy(Server(0.1, 0.01), 0.1, seed=2))
    assert {point.clients for point in points} <= set(range(3, 41))
    assert all(len(set(step)) == len(step) for step in steps)


def test_clients_that_a_server_cannot_bear_are_no_knee() -> None:
    def measure(clients: int) -> Point:
        return Point(clients, 0.0 if clients > 100 else 10.0 * clients, clients / 1000)

    knee, _, _ = carry_out(KneeSearch(1, 512, rounds=3, limit_s=10.0), measure)
    assert 70 <= knee.clients <= 100
    assert knee.first_beyond_limit is None or knee.first_beyond_limit > 100


@pytest.mark.parametrize(("limit_s", "within", "beyond"), [(1e-6, None, 1), (1e6, 512, None)])
def test_a_limit_may_be_met_by_none_or_by_all(
    limit_s: float, within: int | None, beyond: int | None
) -> None:
    search = KneeSearch(1, 512, rounds=2, limit_s=limit_s)
    knee, _, _ = carry_out(search, noisy(Server(0.05, 1e-3), 0.0, seed=1))
    assert (knee.within_limit, knee.first_beyond_limit) == (within, beyond)


def test_where_nothing_works_there_is_no_knee() -> None:
    search = KneeSearch(1, 16, rounds=2)
    points: list[Point] = []
    while levels := next_levels(search, points):
        points += [Point(level, 0.0) for level in levels]
    assert find_knee(search, points) is None
    assert len(points) <= most_trials(search)
