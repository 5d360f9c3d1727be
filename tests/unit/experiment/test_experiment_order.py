"""The order of cells: drift must favour no level."""

from collections import Counter, defaultdict
from itertools import pairwise
from statistics import mean

import pytest

from dbdyno.experiment.order import group_by, interleaved_order, sequential_order


def positions(order: list[tuple[int, str]]) -> dict[str, list[int]]:
    found = defaultdict(list)
    for position, (_, cell) in enumerate(order):
        found[cell].append(position)
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rounds", [1, 2, 5, 8])
@pytest.mark.parametrize("groups", [["a"], ["ab"], ["a", "b"], ["abc", "def"], ["ab", "c", "defg"]])
def test_every_round_runs_every_cell_once(groups: list[str], rounds: int, seed: int) -> None:
    order = interleaved_order(groups, rounds, seed)
    cells = sorted("".join(groups))
    assert [number for number, _ in order] == sorted(number for number, _ in order)
    for number in range(1, rounds + 1):
        assert sorted(cell for its_round, cell in order if its_round == number) == cells


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("groups", [["a", "b"], ["abc", "def"], ["ab", "c", "defg"], ["abcdefgh"]])
def test_linear_drift_cancels_over_pairs_of_rounds(groups: list[str], seed: int) -> None:
    means = {cell: mean(at) for cell, at in positions(interleaved_order(groups, 6, seed)).items()}
    assert len(set(means.values())) == 1


def test_cells_of_one_server_stay_together() -> None:
    order = interleaved_order(["abc", "def", "gh"], 6, seed=1)
    servers = ["abc" if cell in "abc" else "def" if cell in "def" else "gh" for _, cell in order]
    changes = sum(server != after for server, after in pairwise(servers))
    assert changes <= 6 * 3 - 1


@pytest.mark.parametrize("count", range(2, 9))
def test_over_one_cycle_every_place_and_neighbour_is_equally_frequent(count: int) -> None:
    cells = "abcdefgh"[:count]
    rounds = 2 * count
    order = interleaved_order([cells], rounds, seed=3)
    rows = [[cell for its_round, cell in order if its_round == n + 1] for n in range(rounds)]
    places = Counter((place, cell) for row in rows for place, cell in enumerate(row))
    followers = Counter(pair for row in rows for pair in pairwise(row))
    assert set(places.values()) == {2}
    assert len(followers) == count * (count - 1)
    assert set(followers.values()) == {2}


def test_seed_decides_who_begins() -> None:
    first = {interleaved_order(["a", "b"], 1, seed)[0][1] for seed in range(20)}
    assert first == {"a", "b"}
    assert interleaved_order(["abc"], 4, 7) == interleaved_order(["abc"], 4, 7)


def test_sequential_order_runs_all_rounds_of_a_cell() -> None:
    assert sequential_order(["ab", "c"], 2) == [
        (1, "a"),
        (2, "a"),
        (1, "b"),
        (2, "b"),
        (1, "c"),
        (2, "c"),
    ]


def test_group_by_keeps_the_order_of_first_occurrence() -> None:
    assert group_by("abcd", [2, 1, 2, 1]) == [["a", "c"], ["b", "d"]]
