"""Which factor goes where, and how a level is drawn."""

from __future__ import annotations

import pytest

from dbdyno.experiment.plan import FactorLevels
from dbdyno.report.grammar import choose, grouped_cells, mark_of_index, numeric_level

from .report_examples import three_factors, two_factors


def factor(name: str, *levels: str, sets: str = "server.x") -> FactorLevels:
    return FactorLevels(name, levels, sets)


@pytest.mark.parametrize(
    ("level", "value"),
    [("64", 64), ("0.5", 0.5), ("16M", 16e6), ("128GiB", 128 * 2**30), ("10 s", 10), ("1e3", 1000)],
)
def test_a_number_with_or_without_a_unit_is_numeric(level: str, value: float) -> None:
    assert numeric_level(level) == value


@pytest.mark.parametrize("level", ["wal", "8.4.1", "16X", "", "1,000", "nan"])
def test_anything_else_is_a_name(level: str) -> None:
    assert numeric_level(level) is None


def test_clients_go_across_before_any_other_number() -> None:
    pool = factor("pool", "1G", "2G")
    clients = factor("terminals", "1", "2", sets="load.clients")
    target = factor("target", "mysql", "mariadb", sets="target")
    grammar = choose((pool, clients, target))
    assert (grammar.across, grammar.colour, grammar.panels) == (clients, pool, (target,))
    assert grammar.primary == pool


def test_a_factor_with_one_level_has_no_place() -> None:
    grammar = choose((factor("clients", "8"), factor("mode", "wal")))
    assert (grammar.across, grammar.colour, grammar.panels) == (None, None, ())


def test_levels_that_mean_the_same_number_are_names() -> None:
    assert choose((factor("size", "1000", "1k"),)).across is None


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
