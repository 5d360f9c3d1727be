"""The order of cells: drift must favour no level."""

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.design.order import (
    Nest,
    abba_order,
    interleaved_order,
    nest,
    sequential_order,
)
from dbdyno.experiment.file.read import read_experiment


def nested(groups: list[str]) -> Nest[str]:
    """Return cells named by letters, those of a word in one nest."""
    return Nest(tuple(Nest(tuple(group)) for group in groups))


def positions(order: list[tuple[int, str]]) -> dict[str, list[int]]:
    found = defaultdict(list)
    for position, (_, cell) in enumerate(order):
        found[cell].append(position)
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rounds", [1, 2, 5, 8])
@pytest.mark.parametrize("groups", [["a"], ["ab"], ["a", "b"], ["abc", "def"], ["ab", "c", "defg"]])
def test_every_round_runs_every_cell_once(groups: list[str], rounds: int, seed: int) -> None:
    order = interleaved_order(nested(groups), rounds, seed)
    cells = sorted("".join(groups))
    assert [number for number, _ in order] == sorted(number for number, _ in order)
    for number in range(1, rounds + 1):
        assert sorted(cell for its_round, cell in order if its_round == number) == cells


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("groups", [["a", "b"], ["abc", "def"], ["ab", "c", "defg"], ["abcdefgh"]])
def test_linear_drift_cancels_over_pairs_of_rounds(groups: list[str], seed: int) -> None:
    means = {
        cell: mean(at) for cell, at in positions(interleaved_order(nested(groups), 6, seed)).items()
    }
    assert len(set(means.values())) == 1


def test_cells_of_one_server_stay_together() -> None:
    order = interleaved_order(nested(["abc", "def", "gh"]), 6, seed=1)
    servers = ["abc" if cell in "abc" else "def" if cell in "def" else "gh" for _, cell in order]
    changes = sum(server != after for server, after in pairwise(servers))
    assert changes <= 6 * 3 - 1


@pytest.mark.parametrize("count", range(2, 9))
def test_over_one_cycle_every_place_and_neighbour_is_equally_frequent(count: int) -> None:
    cells = "abcdefgh"[:count]
    rounds = 2 * count
    order = interleaved_order(nested([cells]), rounds, seed=3)
    rows = [[cell for its_round, cell in order if its_round == n + 1] for n in range(rounds)]
    places = Counter((place, cell) for row in rows for place, cell in enumerate(row))
    followers = Counter(pair for row in rows for pair in pairwise(row))
    assert set(places.values()) == {2}
    assert len(followers) == count * (count - 1)
    assert set(followers.values()) == {2}


def test_seed_decides_who_begins() -> None:
    first = {interleaved_order(nested(["a", "b"]), 1, seed)[0][1] for seed in range(20)}
    assert first == {"a", "b"}
    cells = nested(["abc"])
    assert interleaved_order(cells, 4, 7) == interleaved_order(cells, 4, 7)


def test_abba_begins_every_pair_with_the_levels_as_they_are_given() -> None:
    order = abba_order(nested(["ab", "c"]), 4)
    assert "".join(cell for _, cell in order) == "abccba" * 2
    assert [number for number, _ in order] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]


@pytest.mark.parametrize("groups", [["a", "b"], ["abc", "def"], ["ab", "c", "defg"]])
def test_linear_drift_cancels_in_abba_too(groups: list[str]) -> None:
    means = {cell: mean(at) for cell, at in positions(abba_order(nested(groups), 6)).items()}
    assert len(set(means.values())) == 1


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("pairs", [1, 3, 5])
def test_both_of_a_pair_follow_the_same_level(pairs: int, seed: int) -> None:
    """What a trial leaves to the next one is then the same for both, and their ratio is free of it.

    The very first trial follows none.
    """
    cells = nested(["ab", "cd", "ef", "gh", "ij"][:pairs])
    order = interleaved_order(cells, 8, seed)
    is_second = {cell: cell in "bdfhj" for _, cell in order}
    followed = {after: is_second[cell] for (_, cell), after in pairwise(order)}
    for number in range(2, 9):
        for first, second in map(tuple, ("ab", "cd", "ef", "gh", "ij")[:pairs]):
            assert followed[number, first] == followed[number, second]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("pairs", [2, 4, 6])
def test_of_an_even_number_of_pairs_both_levels_begin_rounds(pairs: int, seed: int) -> None:
    """One level follows the other once too often for that in eight rounds, and once too seldom."""
    groups = ["ab", "cd", "ef", "gh", "ij", "kl"][:pairs]
    order = interleaved_order(nested(groups), 8, seed)
    is_second = {cell: cell in "bdfhjl" for _, cell in order}
    firsts = [is_second[order[place][1]] for place in range(0, len(order), 2 * pairs)]
    assert 1 <= sum(firsts[:4]) <= 3
    followed = {after: is_second[cell] for (_, cell), after in pairwise(order)}
    unlike = [
        followed[number, first] - followed[number, second]
        for number in range(2, 9)
        for first, second in map(tuple, groups)
        if (number, first) in followed
    ]
    assert sum(map(abs, unlike)) <= 2
    assert sum(unlike) == 0


@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_each_of_many_levels_follows_each_other_alike(count: int) -> None:
    cells = "abcdef"[:count]
    order = [cell for _, cell in interleaved_order(nested([cells]), 2 * count, seed=3)]
    followers = Counter(pairwise(order))
    others = [followers[one, other] for one in cells for other in cells if one != other]
    assert max(others) - min(others) <= 2


def test_rounds_that_are_added_leave_those_before_as_they_were() -> None:
    cells = nested(["abc", "def", "gh"])
    for rounds in range(1, 8):
        assert interleaved_order(cells, 8, 5)[: 8 * rounds] == interleaved_order(cells, rounds, 5)


def test_blocks_change_once_a_round() -> None:
    for order in (
        abba_order(nested(["a", "b"]), 8),
        interleaved_order(nested(["a", "b"]), 8, seed=1),
    ):
        assert sum(one != other for (_, one), (_, other) in pairwise(order)) == 8


def test_sequential_order_runs_all_rounds_of_a_cell() -> None:
    assert sequential_order(nested(["ab", "c"]), 2) == [
        (1, "a"),
        (2, "a"),
        (1, "b"),
        (2, "b"),
        (1, "c"),
        (2, "c"),
    ]


def test_cells_are_nested_by_each_key_in_turn() -> None:
    cells = nest("abcdef", [[1, 2, 1, 2, 1, 2], "xxxyyy"])
    expected: Nest[str] = Nest((nested(["ac", "e"]), nested(["b", "df"])))
    assert cells == expected
    assert nest("ab", []) == Nest(("a", "b"))


PRIVATE = "target: {mysql: {}}\n"
SQLITE = "target: {sqlite: {}}\n"
FACTORS = """
factors:
  clients: [1, 2, 4, 8]
  journal: {sets: server.journal_mode, levels: [delete, wal]}
"""


def order_of(text: str, path: Path) -> tuple[list[dict[str, str]], str]:
    """Return the levels of the cells of the first round in order, and the order in words."""
    file = path / "experiment.yaml"
    file.write_text(
        "experiment: x\nquestion: why\nworkload: {sysbench: {script: oltp_read_write}}\n" + text
    )
    plan = make_plan(read_experiment(file))
    first = [dict(trial.cell.levels) for trial in plan.trials if trial.round == 1]
    return first, plan.order_in_words


def are_neighbours(cells: list[dict[str, str]], factor: str) -> bool:
    """Tell whether cells that differ in a factor alone run one after the other."""
    pairs = zip(cells[::2], cells[1::2], strict=True)
    return all(
        {name for name in one if one[name] != other[name]} == {factor} for one, other in pairs
    )


@pytest.mark.parametrize(
    "text",
    [
        SQLITE + FACTORS,
        SQLITE + FACTORS + "procedure: {start: continue}",
        SQLITE + FACTORS + "procedure: {start: reload}",
        # Every trial from a snapshot starts its server anew, whichever cell came before.
        PRIVATE + FACTORS,
    ],
)
def test_compared_cells_are_neighbours_where_that_takes_no_restart(
    text: str, tmp_path: Path
) -> None:
    cells, words = order_of(text, tmp_path)
    assert are_neighbours(cells, "journal")
    assert words == (
        "the levels of journal run next to each other: that takes no additional restart; rounds "
        "come in mirrored pairs, so that a linear drift cancels"
    )


def test_abba_says_with_what_it_begins(tmp_path: Path) -> None:
    text = f"{SQLITE}{FACTORS}procedure: {{order: abba}}"
    cells, words = order_of(text, tmp_path)
    assert cells[0] == {"clients": "1", "journal": "delete"}
    assert words.endswith(
        "so that a linear drift cancels; every pair begins with the levels as the file has them, "
        "and ends with them"
    )


@pytest.mark.parametrize("start", ["continue", "reload"])
def test_a_setting_that_takes_a_restart_makes_blocks(start: str, tmp_path: Path) -> None:
    text = f"{PRIVATE}{FACTORS}procedure: {{start: {start}, rounds: 3}}"
    cells, words = order_of(text, tmp_path)
    assert len({cell["journal"] for cell in cells[:4]}) == 1
    assert words.startswith("every round has 2 blocks, which a restart or other data part")
    assert words.endswith("an even number of rounds is better")


def test_servers_that_are_up_alternate_and_their_data_do_not(tmp_path: Path) -> None:
    text = """
targets: {one: {url: "mysql://h1/d"}, two: {url: "mysql://h2/d"}}
factors:
  rows: {sets: workload.table_size, levels: [100, 200]}
  target: [one, two]
  isolation: [read_committed, serializable]
"""
    cells, words = order_of(text, tmp_path)
    assert [cell["rows"] for cell in cells] in (
        ["100"] * 4 + ["200"] * 4,
        ["200"] * 4 + ["100"] * 4,
    )
    assert len({cell["target"] for cell in cells[:4]}) == 2
    assert words.startswith("every round has 2 blocks")


COMMANDED = """\
experiment: e
question: Which?
workload: {sysbench: {}}
targets:
  old: &it
    url: mysql://root@db/bench
    variables: {version: old}
    commands: {restart: 'deploy {version}', stop: destroy}
  new: {<<: *it, variables: {version: new}}
factors:
  target: [old, new]
  script: {sets: workload.script, levels: [oltp_point_select, oltp_update_index]}
  clients: [1, 2]
procedure: {rounds: 4}
"""


def test_trials_of_a_target_that_commands_restart_stay_together(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(COMMANDED)
    plan = make_plan(read_experiment(path))
    targets = [trial.target for trial in plan.trials]
    changes = sum(target != after for target, after in pairwise(targets))
    # One change within each round, and at the most one between two pairs of rounds.
    assert changes <= 4 + 3
    assert plan.order_in_words.startswith(
        "every round has 2 blocks, which a restart or other data part; within a block the levels "
        "of script run next to each other, and blocks are compared with less precision"
    )
    path.write_text(
        COMMANDED.replace("    commands: {restart: 'deploy {version}', stop: destroy}\n", "")
        .replace("    variables: {version: old}\n", "")
        .replace(", variables: {version: new}", "")
    )
    beside = [trial.target for trial in make_plan(read_experiment(path)).trials]
    assert sum(target != after for target, after in pairwise(beside)) > 2 * changes
