"""A comparison names enough levels to tell it from the other comparisons of its factor."""

from __future__ import annotations

from dbdyno.analysis.compare.model import Comparison, VerdictKind
from dbdyno.experiment.plan import Cell
from dbdyno.report.words.places import common_place, common_places, named_factors, place


def compared(**levels: str) -> Comparison:
    """Return a comparison of pool 512M with 32M at these levels."""
    cell, baseline = (Cell((("pool", pool), *levels.items())) for pool in ("512M", "32M"))
    return Comparison("pool", cell, baseline, VerdictKind.BETTER, 4)


def test_few_factors_are_all_named() -> None:
    members = [compared(clients="4", mode="wal"), compared(clients="8", mode="wal")]
    named = named_factors(members)
    assert [place(each, named) for each in members] == [
        "clients=4, mode=wal",
        "clients=8, mode=wal",
    ]
    assert common_place(members) == ""


def test_of_many_only_those_are_named_that_differ_and_the_rest_is_common() -> None:
    rest = {"mode": "wal", "nodes": "2", "collector": "G1"}
    members = [compared(clients="4", **rest), compared(clients="8", **rest)]
    named = named_factors(members)
    assert [place(each, named) for each in members] == ["clients=4", "clients=8"]
    assert common_place(members) == "mode=wal, nodes=2, collector=G1"


def test_one_comparison_alone_has_all_of_many_in_common() -> None:
    alone = [compared(clients="4", mode="wal", nodes="2")]
    assert place(alone[0], named_factors(alone)) == ""
    assert common_place(alone) == "clients=4, mode=wal, nodes=2"


def test_nothing_but_the_factor_itself_has_no_place() -> None:
    alone = [compared()]
    assert (place(alone[0], named_factors(alone)), common_place(alone)) == ("", "")


def test_levels_that_hold_for_all_factors_are_said_once_in_the_order_of_the_experiment() -> None:
    def mode(collector: str) -> Comparison:
        levels = (("nodes", "2"), ("collector", collector), ("heap", "8G"))
        cell, baseline = (
            Cell((("pool", "32M"), ("mode", mode), *levels)) for mode in ("wal", "delete")
        )
        return Comparison("mode", cell, baseline, VerdictKind.BETTER, 4)

    pool = compared(mode="delete", nodes="3", collector="G1", heap="8G")
    everywhere, own = common_places([[pool], [mode("G1")]])
    assert everywhere == "pool=32M, mode=delete, collector=G1, heap=8G"
    assert own == ["nodes=3", "nodes=2"]
    # What one of them varies holds for that of the other alone.
    everywhere, own = common_places([[pool], [mode("G1"), mode("Z")]])
    assert everywhere == "pool=32M, mode=delete, heap=8G"
    assert own == ["nodes=3, collector=G1", "nodes=2"]
