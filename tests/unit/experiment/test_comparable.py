"""Which cells are compared where not all combinations ran, and what varies together."""

from __future__ import annotations

from dbdyno.experiment.comparable import Uncompared, compared_pairs, uncompared
from dbdyno.experiment.plan import Cell, FactorLevels

BALANCER = FactorLevels("balancer", ("lvs", "client"), "target.url")
NODES = FactorLevels("nodes", ("3", "9", "27"), "members.storage.count")
SHARDS = FactorLevels("shards", ("crc", "modulo"), "target.variables.shards")


def cells(*levels: str) -> list[Cell]:
    """Return cells of ``lvs 3 crc``, with as many factors as each has words."""
    names = (BALANCER.name, NODES.name, SHARDS.name)
    return [Cell(tuple(zip(names, each.split(), strict=False))) for each in levels]


def test_all_levels_of_a_full_matrix_are_compared() -> None:
    full = cells("lvs 3", "lvs 9", "lvs 27", "client 3", "client 9", "client 27")
    assert uncompared([BALANCER, NODES], full) == ()


def test_factors_that_vary_as_one_are_both_told() -> None:
    assert uncompared([BALANCER, NODES], cells("lvs 3", "client 9")) == (
        Uncompared("balancer", "lvs", ("client",), ("nodes",), is_whole=True),
        Uncompared("nodes", "3", ("9",), ("balancer",), is_whole=True),
    )


def test_a_factor_that_follows_from_another_is_told_although_the_other_is_compared() -> None:
    known = cells("lvs 3", "lvs 9", "client 27")
    assert [pair[0] for pair in compared_pairs([BALANCER, NODES], known)] == ["nodes"]
    assert uncompared([BALANCER, NODES], known) == (
        Uncompared("balancer", "lvs", ("client",), ("nodes",), is_whole=True),
        Uncompared("nodes", "3", ("27",), ("balancer",), is_whole=False),
    )


def test_one_cell_more_tells_them_apart() -> None:
    known = cells("lvs 3", "lvs 9", "lvs 27", "client 27")
    assert uncompared([BALANCER, NODES], known) == ()


def test_no_single_factor_is_blamed_where_several_take_turns() -> None:
    half = cells("lvs 3 crc", "lvs 9 modulo", "client 3 modulo", "client 9 crc")
    found = uncompared([BALANCER, NODES, SHARDS], half)
    assert [(each.factor, each.together, each.is_whole) for each in found] == [
        ("balancer", (), True),
        ("nodes", (), True),
        ("shards", (), True),
    ]


def test_levels_are_told_apart_by_what_differs_beside_them() -> None:
    known = cells("lvs 3 crc", "client 9 crc", "lvs 27 modulo")
    found = [
        each for each in uncompared([BALANCER, NODES, SHARDS], known) if each.factor == "nodes"
    ]
    assert [(each.levels, each.together) for each in found] == [
        (("9",), ("balancer",)),
        (("27",), ("shards",)),
    ]
