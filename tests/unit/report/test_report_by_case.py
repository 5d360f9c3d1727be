"""Short names of cells where many factors were varied one at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.analysis.bottleneck.model import CellLimit
from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.imported.model import Imported
from dbdyno.analysis.usage import CellUsage
from dbdyno.experiment.plan import RESULT_PATH, Case, Cell, FactorLevels
from dbdyno.report import figures
from dbdyno.report.by_case import by_case
from dbdyno.report.document.model import Section, Table
from dbdyno.report.matrix import matrices
from dbdyno.report.panels import over_time
from dbdyno.report.sections import throughput
from tests.unit.report.report_examples import one_at_a_time, two_factors
from tests.unit.report.report_page import axis_labels

LOADS = ("1", "16", "128", "1024")


def case(name: str, **levels: tuple[str, ...]) -> Case:
    every = {"balancing": ("list",), "nodes": ("9",), "collector": ("Z",), "terminals": LOADS}
    return Case(name, tuple((every | levels).items()))


NODES = case("T2", nodes=("3", "9", "18"))
OTHERS = (case("T1", balancing=("lvs",)), case("T3", collector=("G1",)))


def names(findings: Findings) -> list[str]:
    return [each.cell.label() for each in findings.cells if each.cell.level("terminals") == "16"]


def table(section: Section | None, label: str) -> Table:
    assert section is not None
    return next(
        block for block in section.blocks if isinstance(block, Table) and block.label == label
    )


def test_a_cell_is_named_by_its_case_and_by_what_its_case_varies() -> None:
    findings = replace(one_at_a_time(), cases=(*OTHERS, NODES))
    assert names(by_case(findings)) == [
        # Alone in its case: what differs from the baselines, of which the nodes' is three.
        "T1, balancing=lvs, nodes=9, terminals=16",
        "T3, nodes=9, collector=G1, terminals=16",
        "T2, nodes=9, terminals=16",
        "T2, nodes=3, terminals=16",
        "T2, nodes=18, terminals=16",
    ]


def test_without_cases_it_is_named_by_what_differs_from_the_baselines() -> None:
    findings = one_at_a_time()
    balancing, nodes, *others = findings.factors
    usual = (balancing, replace(nodes, baseline=1), *others)
    assert names(by_case(replace(findings, factors=usual))) == [
        "baseline, terminals=16",
        "balancing=lvs, terminals=16",
        "nodes=3, terminals=16",
        "nodes=18, terminals=16",
        "collector=G1, terminals=16",
    ]


def test_a_cell_of_two_cases_is_in_the_first_of_them() -> None:
    again = case("T4", nodes=("9", "18"))
    first = by_case(replace(one_at_a_time(), cases=(*OTHERS, again, NODES)))
    assert [name for name in names(first) if name.startswith("T4")] == [
        "T4, nodes=9, terminals=16",
        "T4, nodes=18, terminals=16",
    ]


@pytest.mark.parametrize(
    "findings",
    [
        two_factors(),
        replace(one_at_a_time(), cases=(NODES,)),
        replace(one_at_a_time(), imported=Imported(())),
    ],
    ids=["full", "partly", "of-others"],
)
def test_names_stay_where_short_ones_would_not_do(findings: Findings) -> None:
    assert by_case(findings) is findings


def test_what_sets_the_transactions_stays_a_factor() -> None:
    findings = one_at_a_time()
    script = FactorLevels("script", ("read", "write"), "workload.script")
    read = [_with_script(each, "read") for each in findings.cells]
    write = [_with_script(each, "write") for each in findings.cells[:4]]
    factors = (*findings.factors, script)
    described = by_case(replace(findings, factors=factors, cells=(*read, *write)))
    assert [each.name for each in described.factors] == ["(variant)", "terminals", "script"]


def _with_script(summary: CellSummary, script: str) -> CellSummary:
    return replace(summary, cell=Cell((*summary.cell.levels, ("script", script))))


def test_all_that_is_known_of_a_cell_has_its_new_name() -> None:
    findings = replace(one_at_a_time(), cases=(*OTHERS, NODES))
    limits = tuple(CellLimit(each.cell, 1) for each in findings.cells)
    usage: dict[Cell, CellUsage] = {each.cell: {} for each in findings.cells}
    described = by_case(replace(findings, limits=limits, usage=usage))
    new = {each.cell for each in described.cells}
    assert {each.cell for each in described.limits} == set(described.usage) == new
    assert [each.cell for each in described.limits] == [each.cell for each in described.cells]


def test_the_page_has_the_short_names_and_the_same_figures() -> None:
    findings = replace(one_at_a_time(), cases=(*OTHERS, NODES))
    shown = table(throughput.section(findings), "Throughput of each cell")
    assert [column.heading for column in shown.columns[:3]] == ["case", "variant", "terminals"]
    rows = {tuple(cell.text for cell in row[:3]): row[3].value for row in shown.bodies[0].rows}
    means = {
        each.cell.label(): findings.measure.of(each.throughput_per_s.mean)
        for each in findings.cells
    }
    assert len(rows) == len(findings.cells)
    assert rows["T2", "nodes=18", "128"] == pytest.approx(
        means["balancing=list, nodes=18, collector=Z, terminals=128"]
    )


def test_one_matrix_has_all_variants_with_each_effect_against_its_own_baseline() -> None:
    findings = replace(one_at_a_time(), cases=(*OTHERS, NODES))
    described = by_case(findings)
    (matrix,) = matrices(described, THROUGHPUT)
    assert (matrix.down, matrix.across) == ("case, variant", "terminals")
    assert matrix.columns == LOADS
    effects = {
        label: [cell.effect[0] for cell in row if cell is not None] for label, row in matrix.rows
    }
    for variant, levels in {
        "T1, balancing=lvs, nodes=9": ("balancing", "balancing=lvs, nodes=9, collector=Z"),
        "T2, nodes=18": ("nodes", "balancing=list, nodes=18, collector=Z"),
    }.items():
        factor, place = levels
        assert effects[variant] == [
            figures.effect_of(each.effect)[0]
            for each in findings.comparisons
            if each.factor == factor
            and each.effect is not None
            and each.cell.without("terminals").label() == place
        ]


def test_every_cell_is_in_a_matrix_where_a_script_ran_at_few_places() -> None:
    findings = one_at_a_time()
    script = FactorLevels("script", ("read", "write"), "workload.script")
    read = [
        replace(each, cell=Cell((*each.cell.levels, ("script", "read")))) for each in findings.cells
    ]
    write = [
        replace(each, cell=Cell((*each.cell.levels[:-1], ("script", "write"))))
        for each in read
        if each.cell.level("balancing") == "lvs"
    ]
    every = (*findings.factors, script)
    cells = (*read, *write)
    found = by_case(
        replace(
            findings,
            factors=every,
            cells=cells,
            compared=compare_cells(every, cells, Rules()),
            cases=tuple(
                Case(each.name, (*each.levels, ("script", ("read", "write"))))
                for each in (*OTHERS, NODES)
            ),
        )
    )
    shown = [
        cell.summary.cell
        for matrix in matrices(found, THROUGHPUT)
        for _, row in matrix.rows
        for cell in row
        if cell is not None
    ]
    assert sorted(shown, key=str) == sorted((each.cell for each in found.cells), key=str)


def test_levels_that_ran_in_other_rounds_keep_their_factor() -> None:
    findings = one_at_a_time()
    balancing, *others = findings.factors
    unpaired = replace(balancing, sets=RESULT_PATH)
    assert not unpaired.is_paired
    found = by_case(replace(findings, factors=(unpaired, *others)))
    assert "balancing" in {each.name for each in found.factors}


def test_other_comparisons_are_counted_as_before() -> None:
    findings = replace(one_at_a_time(), cases=(*OTHERS, NODES))
    assert len(by_case(findings).comparisons) == len(findings.comparisons)


def test_panels_over_time_of_all_cases_at_one_load_have_one_axis() -> None:
    drawn = over_time(by_case(replace(one_at_a_time(), cases=(*OTHERS, NODES))))
    axes: dict[str, set[tuple[str, ...]]] = {}
    for each in drawn:
        load = each.heading.rpartition(", ")[2]
        axes.setdefault(load, set()).add(tuple(axis_labels(each.svg)))
    assert set(axes) == {f"terminals={load}" for load in LOADS}
    assert all(len(labels) == 1 for labels in axes.values())
    assert len(set(map(frozenset, axes.values()))) > 1
