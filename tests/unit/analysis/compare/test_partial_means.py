"""Means over loads and at each load, as published tables have them, with known truth."""

from __future__ import annotations

import itertools

import numpy as np

from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.model import PartialMean
from dbdyno.analysis.compare.partial_means import partial_means
from dbdyno.analysis.compare.ratios import Pair
from dbdyno.experiment.plan import Cell, FactorLevels

VERSION = FactorLevels("version", ("old", "new"), "target")
SCRIPT = FactorLevels("script", ("select", "write", "scan"), "workload.script")
CLIENTS = FactorLevels("clients", ("8", "64", "128"), "load.clients")
ROUNDS = 4
TRUTH = {"select": 0.05, "write": -0.1}
"""Logarithms of what the new version does to each script, whatever the clients."""


def pairs(random: np.random.Generator, deviation: float = 0.03) -> list[Pair]:
    """Return the versions at each script and number of clients; ``scan`` was run with one alone."""
    places = [*itertools.product(TRUTH, CLIENTS.levels), ("scan", "64")]
    made = []
    for script, clients in places:
        rest = (("script", script), ("clients", clients))
        noise = np.exp(random.normal(0, deviation, (2, ROUNDS)))
        other = dict(enumerate(100.0 * noise[0]))
        own = dict(enumerate(100.0 * np.exp(TRUTH.get(script, 0.0)) * noise[1]))
        new, old = (Cell((("version", level), *rest)) for level in ("new", "old"))
        made.append(Pair("version", new, old, own, other))
    return made


def found_in(made: list[Pair], *factors: FactorLevels) -> list[PartialMean]:
    return list(partial_means(THROUGHPUT, made, factors or (VERSION, SCRIPT, CLIENTS)))


def test_each_script_has_its_own_mean_over_clients() -> None:
    found = found_in(pairs(np.random.default_rng(1), 1e-6))
    assert [(dict(each.at.levels), each.combinations) for each in found] == [
        ({"script": "select"}, 3),
        ({"script": "write"}, 3),
        ({"script": "scan"}, 1),
    ]
    for each in found:
        truth = TRUTH.get(each.at.level("script"), 0.0)
        assert abs(each.effect.percent - 100 * np.expm1(truth)) < 0.01
        assert (each.level, each.baseline, each.effect.rounds) == ("new", "old", ROUNDS)


def test_their_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(2)
    held = [
        each.effect.low_percent
        <= 100 * np.expm1(TRUTH.get(each.at.level("script"), 0.0))
        <= each.effect.high_percent
        for _ in range(1000)
        for each in found_in(pairs(random))
    ]
    assert len(held) == 3000
    assert abs(np.mean(held) - 0.95) < 0.012  # Three standard errors.


def test_where_load_alone_varies_beside_it_the_whole_says_it() -> None:
    made = [
        pair for pair in pairs(np.random.default_rng(3)) if pair.cell.level("script") == "write"
    ]
    assert found_in(made) == []


def test_single_comparisons_need_no_mean() -> None:
    """Where no script was run at several numbers of clients, each has its verdict."""
    made = [pair for pair in pairs(np.random.default_rng(5)) if pair.cell.level("clients") == "64"]
    assert len(made) == 3
    assert found_in(made) == []


def test_scripts_are_no_load() -> None:
    """A mean over scripts is what this is there to avoid."""
    made = pairs(np.random.default_rng(4))
    size = FactorLevels("clients", CLIENTS.levels, "workload.table_size")
    assert found_in(made, VERSION, SCRIPT, size) == []


POOL = FactorLevels("pool", ("16M", "1G"), "set.innodb_buffer_pool_size")
AT_LOAD = {"8": 0.02, "64": 0.2}
"""Logarithms of what the new version does at each load: the same on the mean of all pools."""
AT_POOL = {"16M": -0.05, "1G": 0.05}


def test_each_load_has_its_own_mean_over_what_sets_no_transactions() -> None:
    random = np.random.default_rng(4)
    made = []
    for clients, pool in itertools.product(AT_LOAD, AT_POOL):
        rest = (("clients", clients), ("pool", pool))
        effect = np.exp(AT_LOAD[clients] + AT_POOL[pool])
        new, old = (Cell((("version", level), *rest)) for level in ("new", "old"))
        noise = np.exp(random.normal(0, 1e-6, (2, ROUNDS)))
        rates = (dict(enumerate(100.0 * times)) for times in (effect * noise[0], noise[1]))
        made.append(Pair("version", new, old, *rates))
    of_load = [each for each in found_in(made, VERSION, CLIENTS, POOL) if each.over == ("pool",)]
    assert [(each.at.label(), each.combinations) for each in of_load] == [
        ("clients=8", 2),
        ("clients=64", 2),
    ]
    for each in of_load:
        truth = AT_LOAD[each.at.level("clients")]
        assert abs(each.effect.percent - 100 * np.expm1(truth)) < 0.01


def test_a_mean_names_the_factors_that_vary_in_it() -> None:
    """Where factors are varied one at a time, not each varies at each load."""
    cells = [("8", "16M", "off"), ("8", "1G", "off"), ("64", "16M", "off"), ("64", "16M", "on")]
    made = []
    for clients, pool, is_sharded in cells:
        rest = (("clients", clients), ("pool", pool), ("sharding", is_sharded))
        new, old = (Cell((("version", level), *rest)) for level in ("new", "old"))
        same = dict.fromkeys(range(ROUNDS), 100.0)
        made.append(Pair("version", new, old, same, same))
    sharding = FactorLevels("sharding", ("off", "on"), "set.sharding")
    found = found_in(made, VERSION, CLIENTS, POOL, sharding)
    at_load = [each for each in found if not each.is_over_load]
    assert [(each.at.label(), each.over) for each in at_load] == [
        ("clients=8", ("pool",)),
        ("clients=64", ("sharding",)),
    ]
    over_load = [each for each in found if each.is_over_load]
    assert [(each.at.label(), each.over, each.combinations) for each in over_load] == [
        ("pool=16M, sharding=off", ("clients",), 2),
        ("pool=1G, sharding=off", ("clients",), 1),
        ("pool=16M, sharding=on", ("clients",), 1),
    ]


def test_no_load_has_a_mean_over_scripts() -> None:
    found = found_in(pairs(np.random.default_rng(5)))
    assert {each.over for each in found} == {("clients",)}
