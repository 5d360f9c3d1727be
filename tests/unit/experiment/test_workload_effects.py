"""Which options do something in which script, and what a plan says of its workload."""

from pathlib import Path
from typing import get_args

import pytest

from dbdyno.experiment.design.effects import EFFECTS, unmet_need
from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.design.resolved_cell import ResolvedCell
from dbdyno.experiment.file.procedure import Load
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.file.session import Session
from dbdyno.experiment.plan import Cell, Plan
from dbdyno.experiment.workload.sysbench import Script, Sysbench

ALL = {"script", "tables", "secondary", "create_table_options"}
ROWS = {"table_size", "distribution", "create_secondary"}
READS = {
    *("point_selects", "simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"),
    *("range_selects", "range_size", "read_hash"),
}
WRITES = {"index_updates", "non_index_updates", "delete_inserts"}
OWN: dict[Script, set[str]] = {
    "oltp_read_write": {*ROWS, *READS, *WRITES, "skip_trx"},
    "oltp_read_only": {*ROWS, *READS, "skip_trx"},
    "oltp_write_only": {*ROWS, *WRITES, "skip_trx"},
    "oltp_point_select": {*ROWS, "read_hash"},
    "oltp_update_index": {*ROWS, "index_updates"},
    "oltp_update_non_index": {*ROWS, "non_index_updates"},
    "oltp_insert": {*ROWS, "auto_inc"},
    "oltp_delete": ROWS,
    "bulk_insert": set(),
    "select_random_points": {*ROWS, "random_points", "read_hash"},
    "select_random_ranges": {*ROWS, "number_of_ranges", "delta", "read_hash"},
}
"""What was seen to change what a trial does, on SQLite with uniform keys."""


def setup(database: str = "sqlite", **options: object) -> ResolvedCell:
    workload = Sysbench.model_validate(options)
    return ResolvedCell(Cell(()), "t", database, {}, Load(), Session(), workload, ())


def effective(cell: ResolvedCell) -> set[str]:
    return {option for option in Sysbench.model_fields if unmet_need(option, cell) is None}


def test_every_option_is_in_the_table() -> None:
    assert set(EFFECTS) == set(Sysbench.model_fields)
    assert set(OWN) == set(get_args(Script))


@pytest.mark.parametrize("script", get_args(Script))
def test_options_of_a_script(script: Script) -> None:
    assert effective(setup(script=script)) == ALL | OWN[script]


@pytest.mark.parametrize("script", get_args(Script))
@pytest.mark.parametrize("database", ["mysql", "postgresql"])
def test_options_on_other_servers(script: Script, database: str) -> None:
    more = {"mysql_storage_engine"} if database == "mysql" else set()
    more |= set() if script == "bulk_insert" else {"auto_inc"}
    assert effective(setup(database, script=script)) == ALL | OWN[script] | more


@pytest.mark.parametrize(
    ("distribution", "parameters"),
    [
        ("uniform", set()),
        ("gaussian", {"scrambled"}),
        ("special", {"scrambled", "special_percent", "special_residual"}),
        ("pareto", {"scrambled", "pareto_h"}),
        ("zipfian", {"scrambled", "zipfian_exponent"}),
    ],
)
def test_parameters_of_a_distribution(distribution: str, parameters: set[str]) -> None:
    uniform = effective(setup(script="oltp_delete"))
    assert effective(setup(script="oltp_delete", distribution=distribution)) == (
        uniform | parameters
    )
    assert not parameters & effective(setup(script="bulk_insert", distribution=distribution))


def plan_of(directory: Path, more: str, workload: str = "{}") -> Plan:
    path = directory / "experiment.yaml"
    path.write_text(
        f"experiment: e\nquestion: Which?\nworkload: {{sysbench: {workload}}}\n"
        f"target: {{sqlite: {{}}}}\n{more}"
    )
    return make_plan(read_experiment(path))


@pytest.mark.parametrize(
    ("workload", "start", "notes"),
    [
        ("{}", "continue", []),
        ("{script: oltp_update_index}", "snapshot", []),
        (
            "{script: oltp_delete, tables: 2, table_size: 1000}",
            "snapshot",
            [
                "oltp_delete drains the tables while it runs: after about 1,386 transactions half "
                "of its 2,000 rows are gone, and every second transaction finds none; the next "
                "trial starts from the snapshot again"
            ],
        ),
        (
            "{script: oltp_delete, distribution: pareto}",
            "reload",
            [
                "oltp_delete drains the tables while it runs: of its 10,000 rows the hot ones are "
                "gone first, and from then on most transactions find none; the next trial starts "
                "from tables loaded anew"
            ],
        ),
        (
            "{script: oltp_insert}",
            "continue",
            [
                "oltp_insert makes the tables grow while it runs; the next trial starts from what "
                "this one leaves, so that rounds are not alike"
            ],
        ),
        (
            "{script: oltp_insert, auto_inc: false}",
            "reload",
            [
                "oltp_insert with auto_inc: false starts with empty tables, for it gives ids of "
                "its own",
                "oltp_insert makes the tables grow while it runs; the next trial starts from "
                "tables loaded anew",
            ],
        ),
        (
            "{script: bulk_insert}",
            "snapshot",
            [
                "bulk_insert has tables of its own, of the columns id and k, which are empty at "
                "first",
                "bulk_insert makes the tables grow while it runs; the next trial starts from the "
                "snapshot again",
            ],
        ),
    ],
)
def test_a_plan_says_what_scripts_do_to_their_tables(
    workload: str, start: str, notes: list[str], tmp_path: Path
) -> None:
    procedure = f"factors: {{clients: [1, 2]}}\nprocedure: {{start: {start}}}"
    assert list(plan_of(tmp_path, procedure, workload).notes) == notes


def test_a_plan_names_the_cells_that_are_equal(tmp_path: Path) -> None:
    script = "script: {sets: workload.script, levels: [oltp_read_only, oltp_update_index]}"
    factors = f"factors: {{{script}, points: {{sets: workload.point_selects, levels: [1, 10]}}}}"
    assert plan_of(tmp_path, factors).notes == (
        "points has no effect with script: oltp_update_index, only with oltp_read_write or "
        "oltp_read_only: 2 of 4 cells differ from one another in name only",
    )
    alone = factors.replace("[1, 10]", "[10]")
    assert plan_of(tmp_path, alone).notes == ()


def test_empty_tables_take_no_time_to_load(tmp_path: Path) -> None:
    short = "procedure: {rounds: 1, start: reload}"
    large = "{script: oltp_insert, table_size: 10_000_000}"
    rows = plan_of(tmp_path, short, large)
    none = plan_of(tmp_path, short, large.replace("}", ", auto_inc: false}"))
    assert rows.estimated_s - none.estimated_s == pytest.approx(110)
    assert plan_of(tmp_path, short, "{script: bulk_insert}").estimated_s == none.estimated_s


def test_scripts_with_equal_tables_stay_together_where_other_tables_would_be_loaded(
    tmp_path: Path,
) -> None:
    factors = (
        "factors:\n"
        "  rows: {sets: workload.table_size, levels: [100, 200]}\n"
        "  script: {sets: workload.script, levels: [oltp_read_only, oltp_point_select]}\n"
        "procedure: {start: continue, rounds: 2}"
    )
    trials = plan_of(tmp_path, factors).trials
    rows = [trial.cell.level("rows") for trial in trials]
    scripts = [trial.cell.level("script") for trial in trials]
    assert rows[0] == rows[1] != rows[2] == rows[3] == rows[4] == rows[5] != rows[6] == rows[7]
    assert scripts[0] != scripts[1]
