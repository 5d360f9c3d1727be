"""Which factor goes where, and how a level is drawn."""

from __future__ import annotations

import pytest

from dbdyno.experiment.plan import FactorLevels
from dbdyno.report.grammar import choose, grouped_cells, mark_of_index
from dbdyno.report.levels import numeric_levels

from .report_examples import three_factors, two_factors


def factor(name: str, *levels: str, sets: str = "server.x") -> FactorLevels:
    return FactorLevels(name, levels, sets)


@pytest.mark.parametrize(
    ("sets", "levels", "values"),
    [
        ("load.clients", ["64", "8"], [64, 8]),
        ("load.rate", ["0.5", "1e3"], [0.5, 1000]),
        ("server.x", ["16M", "16777217", "1g"], [2**24, 2**24 + 1, 2**30]),
        ("server.x", ["1000M", "1G"], [1000 * 2**20, 2**30]),
        ("server.x", ["512kB", "128MB", "1GB"], [2**19, 2**27, 2**30]),
        ("server.x", ["30s", "5min", "1h"], [30, 300, 3600]),
        ("server.x", ["128GiB", "1 TB"], [2**37, 2**40]),
        ("workload.x", ["30s", "5m"], [30, 300]),
        ("server.x", ["0", "16MB"], [0, 2**24]),
    ],
)
def test_levels_are_read_as_the_field_means_them(
    sets: str, levels: list[str], values: list[float]
) -> None:
    found = numeric_levels(factor("f", *levels, sets=sets))
    assert found == dict(zip(levels, values, strict=True))


@pytest.mark.parametrize(
    "levels",
    [
        *(["1", level] for level in ("wal", "8.4.1", "16X", "", "1,000", "nan")),
        # PostgreSQL counts the first in a unit of the setting's own, as in blocks of 8 kB.
        ["16384", "128MB"],
        ["1000", "2s"],
        ["1M", "1s"],
    ],
)
def test_anything_else_is_a_name(levels: list[str]) -> None:
    assert numeric_levels(factor("f", *levels)) is None


def test_clients_go_across_before_any_other_number() -> None:
    pool = factor("pool", "1G", "2G")
    clients = factor("terminals", "1", "2", sets="load.clients")
    target = factor("target", "mysql", "mariadb", sets="target")
    grammar = choose((pool, clients, target))
    assert (grammar.across, grammar.colour, grammar.panels) == (clients, pool, (target,))


def test_scripts_have_panels_and_no_colours() -> None:
    script = factor("script", "oltp_read_only", "oltp_read_write", sets="workload.script")
    clients = factor("clients", "1", "2", sets="load.clients")
    target = factor("target", "mysql", "mariadb", sets="target")
    grammar = choose((script, target, clients))
    assert (grammar.across, grammar.colour, grammar.panels) == (clients, target, (script,))
    assert grammar.work == (script,)
    assert choose((target, clients, factor("pool", "1G", "2G"))).work == ()
    alone = choose((script, clients))
    assert (alone.across, alone.colour, alone.panels) == (clients, None, (script,))


def test_a_factor_with_one_level_has_no_place() -> None:
    grammar = choose((factor("clients", "8"), factor("mode", "wal")))
    assert (grammar.across, grammar.colour, grammar.panels) == (None, None, ())


def test_levels_that_mean_the_same_number_are_names() -> None:
    assert choose((factor("size", "1024", "1k"),)).across is None


def test_many_levels_all_look_different() -> None:
    assert len({mark_of_index(index) for index in range(64)}) == 64


def test_cells_are_grouped_in_the_order_of_the_levels() -> None:
    findings = two_factors()
    clients = findings.factors[1]
    groups = grouped_cells(tuple(reversed(findings.cells)), (clients,))
    assert [heading for heading, _ in groups] == [f"clients={n}" for n in (1, 2, 4, 8)]
    assert all(len(members) == 2 for _, members in groups)


def test_three_factors_make_a_panel_of_each_level_of_the_third() -> None:
    grammar = choose(three_factors().factors)
    assert grammar.across is not None
    assert grammar.across.name == "clients"
    assert [panel.name for panel in grammar.panels] == ["buffer_pool"]
