"""Tables as published reports have them: throughput by round, and the slowest response times."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.rules import Rules, question_factor
from dbdyno.analysis.findings import Findings
from dbdyno.experiment.plan import Case
from dbdyno.report.by_case import by_case
from dbdyno.report.document.case_table import case_table
from dbdyno.report.document.model import Table
from dbdyno.report.document.peak_table import peak_table
from dbdyno.report.document.round_table import MOST_ROUNDS, round_table
from dbdyno.report.matrix import response_of
from dbdyno.report.sections import response_time, throughput
from tests.unit.report.report_examples import one_at_a_time, two_factors


def values(table: Table) -> list[list[float | None]]:
    return [[cell.value for cell in row if not cell.is_header] for row in table.bodies[0].rows]


def test_each_round_has_its_figure_beside_the_mean_and_the_effect() -> None:
    findings = two_factors()
    factor = question_factor(findings.factors, list(findings.by_cell))
    compared = next(each for each in findings.compared if each.metric is THROUGHPUT)
    effects = {
        each.cell: each.effect.percent
        for each in compared.comparisons
        if each.factor == factor and each.effect
    }
    (table,) = round_table(findings)
    assert values(table) == [
        [
            *(findings.measure.of(rate) for _, rate in cell.throughput_by_round),
            findings.measure.of(cell.throughput_per_s.mean),
            effects.get(cell.cell),
        ]
        for cell in findings.cells
    ]
    assert table.columns[-1].heading == f"effect of {factor}"
    assert any(value[-1] is None for value in values(table)), "the baseline has no effect"


def test_effects_against_unlike_baselines_say_which() -> None:
    """All was varied from nodes=9, and the baseline of the nodes is 3, or 9."""

    def against(findings: Findings) -> dict[str, str]:
        (table,) = round_table(by_case(findings))
        assert table.columns[-1].heading == "effect of variant"
        return {
            row[0].text: row[-1].text.partition("against ")[2]
            for row in table.bodies[0].rows
            if row[-1].value is not None
        }

    findings = one_at_a_time()
    assert against(findings) == {
        "balancing=lvs, nodes=9": "nodes=9",
        "nodes=9": "baseline",
        "nodes=18": "baseline",
        "nodes=9, collector=G1": "nodes=9",
    }
    balancing, nodes, *others = findings.factors
    factors = (balancing, replace(nodes, baseline=1), *others)
    compared = compare_cells(factors, findings.cells, Rules())
    usual = against(replace(findings, factors=factors, compared=compared))
    assert usual == dict.fromkeys(("balancing=lvs", "nodes=3", "nodes=18", "collector=G1"), "")


def test_each_case_has_its_levels_and_its_highest_mean() -> None:
    findings = two_factors()
    wal = Case("T1", (("journal_mode", ("wal",)), ("clients", ("2", "4", "8"))))
    one = Case("T2", (("journal_mode", ("delete", "wal")), ("clients", ("1",))))
    unrun = Case("T3", (("journal_mode", ("delete",)), ("clients", ("64",))))
    (table,) = case_table(replace(findings, cases=(wal, one, unrun)))
    texts = [[cell.text for cell in row] for row in table.bodies[0].rows]
    means = {cell.cell.label(): cell.throughput_per_s.mean for cell in findings.cells}
    highest = max(means[f"journal_mode=wal, clients={count}"] for count in (2, 4, 8))
    assert [row[3].value for row in table.bodies[0].rows] == [
        highest,
        max(means[f"journal_mode={mode}, clients=1"] for mode in ("delete", "wal")),
        None,
    ]
    assert texts[0][:3] == ["T1", "wal", "2, 4, 8"]
    assert texts[0][4] == f"clients={2}"
    assert texts[1][4] == "journal_mode=wal"
    assert texts[2][4] == ""
    assert case_table(findings) == []


def test_what_the_highest_load_leaves_of_the_highest_mean_is_told() -> None:
    findings = two_factors()
    (table,) = peak_table(findings)
    means = {cell.cell.label(): cell.throughput_per_s.mean for cell in findings.cells}
    for row, mode, best in zip(table.bodies[0].rows, ("delete", "wal"), ("1", "2"), strict=True):
        highest, last = (means[f"journal_mode={mode}, clients={count}"] for count in (best, "8"))
        assert [cell.value for cell in row[1:4]] == [highest, None, last]
        assert (row[0].text, row[2].text) == (f"journal_mode={mode}", best)
        change = row[4].text.replace("−", "-").partition("\N{NO-BREAK SPACE}")[0]
        assert float(change) == pytest.approx(100 * (last / highest - 1), abs=0.51)
    journal, clients = findings.factors
    few = replace(clients, levels=("1", "2"))
    cells = tuple(each for each in findings.cells if each.cell.level("clients") in few.levels)
    assert peak_table(replace(findings, factors=(journal, few), cells=cells)) == []


def test_a_round_that_a_cell_lacks_is_an_en_dash() -> None:
    findings = two_factors()
    first, *others = findings.cells
    lacking = replace(first, throughput_by_round=first.throughput_by_round[1:])
    (table,) = round_table(replace(findings, cells=(lacking, *others)))
    shown = [cell.text for cell in table.bodies[0].rows[0] if not cell.is_header]
    assert shown[0] == "–"
    assert "–" not in shown[1 : len(first.throughput_by_round)]


@pytest.mark.parametrize("rounds", [1, MOST_ROUNDS + 1])
def test_one_round_and_very_many_have_no_such_table(rounds: int) -> None:
    findings = two_factors()
    by_round = tuple((number, 100.0) for number in range(1, rounds + 1))
    cells = tuple(replace(each, throughput_by_round=by_round) for each in findings.cells)
    assert round_table(replace(findings, cells=cells)) == []


def tails(findings: Findings) -> list[Table]:
    found = response_time.section(findings)
    assert found is not None
    label = "Matrix of the slowest response times"
    return [each for each in found.blocks if isinstance(each, Table) and each.label == label]


def with_count(findings: Findings, count: int) -> Findings:
    """Return findings whose response times are of so many transactions in each cell."""
    cells = tuple(
        replace(
            cell,
            response={kind: replace(times, count=count) for kind, times in cell.response.items()},
        )
        for cell in findings.cells
    )
    return replace(findings, cells=cells)


def test_the_slowest_response_times_have_a_matrix_where_enough_are_known() -> None:
    findings = with_count(two_factors(), 10_000)
    (table,) = tails(findings)
    shown = {value for row in values(table) for value in row}
    times = [response_of(cell, findings) for cell in findings.cells]
    assert shown == {each.p999_ms for each in times if each is not None}
    assert {cell.below for row in table.bodies[0].rows for cell in row} == {""}
    assert tails(with_count(findings, 9_999)) == []


@pytest.mark.parametrize(
    ("committed", "failed", "dropped", "shown"),
    [
        (1_000_000, 0, 0, "100.0 %"),
        (1_000_000, 1, 0, "over 99.9 %"),
        (1_000, 0, 3, "99.7 %"),
        (0, 5, 0, "0.0 %"),
        (0, 0, 0, "–"),
    ],
)
def test_a_single_failure_is_never_rounded_to_full_success(
    committed: int, failed: int, dropped: int, shown: str
) -> None:
    findings = two_factors()
    cells = tuple(
        replace(cell, committed=committed, rolled_back=0, failed=failed, dropped=dropped)
        for cell in findings.cells
    )
    found = throughput.section(replace(findings, cells=cells))
    assert found is not None
    table = next(each for each in found.blocks if isinstance(each, Table) and each.id == "outcomes")
    place = [column.heading for column in table.columns].index("success")
    assert table.bodies[0].rows[0][place].text.replace("\N{NO-BREAK SPACE}", " ") == shown
