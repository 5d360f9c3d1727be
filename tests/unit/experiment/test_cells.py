"""Which combinations of levels run, where a file names them: the plan, and every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.plan import Plan

HEAD = """\
experiment: e
question: Which?
workload: {sysbench: {table_size: 100}}
target: {sqlite: {}}
factors:
  cache: {sets: server.cache_size, levels: [1, 2]}
  script: {sets: workload.script, levels: [oltp_point_select, oltp_read_only, oltp_read_write]}
  clients: [32, 64, 150]
"""


def plan_of(rest: str, directory: Path, *, smoke: bool = False) -> Plan:
    path = directory / "experiment.yaml"
    path.write_text(HEAD + rest)
    return make_plan(read_experiment(path), smoke=smoke)


def combinations(plan: Plan) -> list[str]:
    """Return the levels of script and clients, of one level of the cache."""
    cells = [cell for cell in plan.compared_cells if cell.level("cache") == "1"]
    return sorted(cell.without("cache").label() for cell in cells)


PARTIAL = """\
cells:
  - {script: [oltp_point_select, oltp_read_only], clients: 150}
  - {script: oltp_read_write, clients: [32, 64]}
"""


def test_a_combination_runs_if_it_fits_an_entry_and_free_factors_have_all_levels(
    tmp_path: Path,
) -> None:
    plan = plan_of(PARTIAL + "procedure: {rounds: 4}", tmp_path)
    assert combinations(plan) == [
        "script=oltp_point_select, clients=150",
        "script=oltp_read_only, clients=150",
        "script=oltp_read_write, clients=32",
        "script=oltp_read_write, clients=64",
    ]
    assert len(plan.compared_cells) == 8
    assert len(plan.trials) == 32
    assert plan.combinations_without_cell == 10


def test_every_round_has_every_cell_once_and_pairs_of_rounds_are_mirrored(tmp_path: Path) -> None:
    plan = plan_of(PARTIAL + "procedure: {rounds: 4}", tmp_path)
    rounds = [[t.cell for t in plan.trials if t.round == number] for number in (1, 2, 3, 4)]
    assert all(set(each) == set(plan.compared_cells) and len(each) == 8 for each in rounds)
    assert rounds[1] == rounds[0][::-1]
    assert rounds[3] == rounds[2][::-1]


def test_what_fits_two_entries_runs_once(tmp_path: Path) -> None:
    text = "cells: [{clients: [32, 64]}, {clients: [64, 150], script: oltp_read_only}]\n"
    plan = plan_of(text, tmp_path)
    assert len(plan.compared_cells) == 2 * (2 * 3 + 1)


CASES = """\
cells:
  - {case: T1, script: oltp_read_only, clients: [32, 64]}
  - {case: T2, script: [oltp_point_select, oltp_read_write], clients: 150, cache: 1}
  - {script: oltp_read_write, clients: 64}
"""


@pytest.mark.parametrize("smoke", [False, True])
def test_a_case_has_the_cells_of_its_entry(smoke: bool, tmp_path: Path) -> None:
    plan = plan_of(CASES, tmp_path, smoke=smoke)
    assert [case.name for case in plan.cases] == ["T1", "T2"]
    first, second = (
        [cell.label() for cell in plan.compared_cells if case.has(cell)] for case in plan.cases
    )
    assert len(first) == 4
    assert len(second) == 2
    assert all("script=oltp_read_only" in label for label in first)
    assert all("cache=1" in label for label in second)


def test_without_cells_all_combinations_run(tmp_path: Path) -> None:
    plan = plan_of("", tmp_path)
    assert len(plan.compared_cells) == 18
    assert plan.combinations_without_cell == 0
    assert plan.notes == ()


def test_a_smoke_run_has_the_cells_at_the_same_places_of_the_levels(tmp_path: Path) -> None:
    plan = plan_of(PARTIAL, tmp_path, smoke=True)
    assert combinations(plan) == [
        "script=oltp_point_select, clients=4",
        "script=oltp_read_only, clients=4",
        "script=oltp_read_write, clients=1",
        "script=oltp_read_write, clients=2",
    ]


def test_the_plan_says_what_it_will_not_compare(tmp_path: Path) -> None:
    assert plan_of(PARTIAL, tmp_path).notes == (
        "script=oltp_read_write will not be compared with oltp_point_select: clients differs too",
        "clients=150 will not be compared with 32: script differs too",
    )
    together = (
        "cells: [{cache: 1, script: oltp_point_select}, "
        "{cache: 2, script: [oltp_read_only, oltp_read_write]}]"
    )
    assert plan_of(together, tmp_path).notes == (
        "there will be no verdict about cache: where it is 2, and not 1, script differs too",
        "there will be no verdict about script: where it is oltp_read_only and oltp_read_write, "
        "and not oltp_point_select, cache differs too",
    )


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        (
            "cells: [{script: oltp_read_only}, {threads: 32}]",
            "9: cells[1].threads: is no factor; known: cache, script, clients",
        ),
        (
            "cells:\n  - {script: oltp_point_select}\n  - {script: oltp_raed_only}",
            "11: cells[1].script: oltp_raed_only is no level of script; "
            "did you mean 'oltp_read_only'?",
        ),
        (
            "cells: [{clients: [32, 300]}]",
            "9: cells[0].clients[1]: 300 is no level of clients; known: 32, 64, 150",
        ),
        (
            "cells: [{clients: [32, 32]}]",
            "9: cells[0].clients[1]: 32 is there already; remove one",
        ),
        (
            "cells: [{clients: [32, 64]}, {clients: 64, cache: 1}]",
            "9: cells[1]: names no combination that the entries before it do not name; remove it",
        ),
        (
            "cells: [{clients: [32, 64]}]",
            "8: factors.clients[2]: 150 is in no cell: no entry of cells names it; add it to one, "
            "or remove the level",
        ),
        (
            "cells: [{cache: 2}]",
            "6: factors.cache.levels[0]: 1 is the baseline and in no cell: no entry of cells names "
            "it; add it to one, or remove the level",
        ),
        ("cells: []", "9: cells: is empty; give at least one entry"),
        (
            "cells: [{}]",
            "9: cells[0]: must be some factors with their levels, as in {script: oltp_read_write, "
            "threads: [32, 64]}, not a mapping",
        ),
        (
            "cells: [{clients: []}]",
            "9: cells[0]: names no level of clients; name one, as in {script: oltp_read_write, "
            "threads: [32, 64]}, or leave clients out",
        ),
        (
            "cells: [{clients: {a: 1}}]",
            "9: cells[0]: a level of clients must be text or a number, not a mapping",
        ),
        (
            "cells: {clients: 32}",
            "9: cells: must be a list, as in [a, b], not a mapping",
        ),
        (
            PARTIAL + "procedure: {reference: baseline}",
            "12: procedure.reference: is cache=1, script=oltp_point_select, clients=32, which "
            "cells leaves out; name a cell that runs",
        ),
    ],
)
def test_a_mistake_gets_its_message(rest: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as caught:
        plan_of(rest, tmp_path)
    assert str(caught.value) == f"{tmp_path / 'experiment.yaml'}:{expected}"


def test_a_case_has_a_name_that_no_factor_has(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"case must be a name, as in T1-1, not a list"):
        plan_of("cells: [{case: [a, b], clients: 32}]", tmp_path)
    path = tmp_path / "experiment.yaml"
    path.write_text(HEAD.replace("  cache: ", "  case: "))
    with pytest.raises(ExperimentError, match=r"factors.case: is what names cells"):
        read_experiment(path)


def test_cells_are_refused_in_a_search_and_without_factors(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    head = HEAD.partition("  clients")[0]
    path.write_text(f"{head}search: {{knee: load.clients, to: 9}}\ncells: [{{cache: [1, 2]}}]\n")
    with pytest.raises(ExperimentError, match="9: cells: cannot be used with a search"):
        read_experiment(path)
    path.write_text(HEAD.partition("factors")[0] + "cells: [{cache: 1}]\n")
    with pytest.raises(ExperimentError, match="5: cells: has no effect without factors"):
        read_experiment(path)


def test_a_reference_may_be_any_cell_that_runs(tmp_path: Path) -> None:
    plan = plan_of(
        PARTIAL + "procedure: {reference: {script: oltp_read_write}, rounds: 2}", tmp_path
    )
    cells = {trial.cell.label() for trial in plan.trials if trial.kind == "reference"}
    assert cells == {"cache=1, script=oltp_read_write, clients=32"}
