"""What a workload cannot do, or would do to no purpose: the exact message for each."""

# Each message stands on one line, as it is printed.
# ruff: noqa: E501

from pathlib import Path

import pytest

from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.workload.sysbench import Sysbench

SPELLING = [
    ("{script: oltp_upsert}", "script: 'oltp_upsert' is not a choice; did you mean 'oltp_insert'?"),
    ("{script: oltp_read_write.lua}", "script: 'oltp_read_write.lua' is not a choice; did you mean 'oltp_read_write'?"),
    ("{rand-type: special}", "rand-type: is called distribution here; write distribution: ..."),
    ("{rand_zipfian_exp: 1}", "rand_zipfian_exp: is called zipfian_exponent here; write zipfian_exponent: ..."),
    ("{rand-spec-pct: 1}", "rand-spec-pct: is called special_percent here; write special_percent: ..."),
    ("{threads: 8}", "threads: belongs under load; write load: {clients: ...}"),
    ("{time: 60}", "time: belongs under procedure; write procedure: {duration: ...}"),
    ("{table-size: 5}", "table-size: unknown field; did you mean 'table_size'?"),
    ("{random-points: 5}", "random-points: unknown field; did you mean 'random_points'?"),
    ("{range_selects: off}", "range_selects: must be true or false, not 'off'"),
    ("{pareto_h: 1}", "pareto_h: must be less than 1, not 1"),
    ("{special_percent: 0}", "special_percent: must be more than 0, not 0"),
    ("{zipfian_exponent: 11}", "zipfian_exponent: must be 10 or less, not 11"),
    ("{zipfian_exponent: much}", "zipfian_exponent: must be a number, not 'much'"),
    ("{mysql_storage_engine: My ISAM}", "mysql_storage_engine: 'My ISAM' is not the name of an engine, such as InnoDB"),
]  # fmt: skip

READS_AND_WRITES = "oltp_read_write, oltp_read_only or oltp_write_only"

WITHOUT_EFFECT = [
    ("{pareto_h: 0.1}", "pareto_h: has no effect with distribution: uniform, only with pareto"),
    ("{special_residual: 75}", "special_residual: has no effect with distribution: uniform, only with special"),
    ("{distribution: pareto, zipfian_exponent: 1}", "zipfian_exponent: has no effect with distribution: pareto, only with zipfian"),
    ("{scrambled: true}", "scrambled: has no effect with distribution: uniform, only with gaussian, special, pareto or zipfian"),
    ("{script: oltp_update_index, point_selects: 1}", "point_selects: has no effect with script: oltp_update_index, only with oltp_read_write or oltp_read_only"),
    ("{script: oltp_point_select, point_selects: 1}", "point_selects: has no effect with script: oltp_point_select, only with oltp_read_write or oltp_read_only"),
    ("{script: oltp_read_only, random_points: 5}", "random_points: has no effect with script: oltp_read_only, only with select_random_points"),
    ("{script: select_random_points, delta: 5}", "delta: has no effect with script: select_random_points, only with select_random_ranges"),
    ("{script: oltp_delete, skip_trx: true}", f"skip_trx: has no effect with script: oltp_delete, only with {READS_AND_WRITES}"),
    ("{script: oltp_read_only, index_updates: 2}", "index_updates: has no effect with script: oltp_read_only, only with oltp_read_write, oltp_write_only or oltp_update_index"),
    ("{range_selects: false, sum_ranges: 2}", "sum_ranges: has no effect with range_selects: false, only with true"),
    ("{range_selects: false, range_size: 2}", "range_size: has no effect with range_selects: false, only with true"),
    (
        "{range_size: 2, simple_ranges: 0, sum_ranges: 0, order_ranges: 0, distinct_ranges: 0}",
        "range_size: has no effect where simple_ranges, sum_ranges, order_ranges and distinct_ranges are 0",
    ),
    ("{script: bulk_insert, table_size: 5}", "table_size: has no effect with script: bulk_insert"),
    ("{script: bulk_insert, create_secondary: false}", "create_secondary: has no effect with script: bulk_insert"),
    ("{mysql_storage_engine: Aria}", "mysql_storage_engine: has no effect on sqlite, only on mysql"),
    ("{auto_inc: false}", "auto_inc: has no effect on sqlite, but for script: oltp_insert"),
]  # fmt: skip

TOGETHER = [
    ("{script: select_random_points, tables: 4}", "tables: is 4: the script select_random_points runs on one table; set 1"),
    (
        "{script: oltp_update_index, index_updates: 0}",
        "script: is oltp_update_index: it has no statements left; set one of its numbers (point_selects, simple_ranges, index_updates, …) above 0",
    ),
    (
        "{script: oltp_read_only, point_selects: 9998}",
        "script: is oltp_read_only: its transaction would have 10002 statements; lower point_selects or the others to 10000 together",
    ),
    (
        "{script: oltp_insert, secondary: true}",
        "secondary: is true: without a primary key SQLite gives new rows no id, and oltp_insert leaves that to it; set auto_inc or secondary to false",
    ),
]  # fmt: skip

WORKLOADS = [
    *SPELLING,
    *((options, f"{message}; remove it") for options, message in WITHOUT_EFFECT),
    *TOGETHER,
]


SQLITE = "target: {sqlite: {}}"


def read(directory: Path, workload: str, more: str = "", target: str = SQLITE) -> Experiment:
    path = directory / "experiment.yaml"
    path.write_text(
        f"experiment: e\nquestion: Which?\nworkload:\n  sysbench: {workload}\n{target}\n{more}"
    )
    return read_experiment(path)


def refusal(directory: Path, workload: str, more: str = "", target: str = SQLITE) -> str:
    with pytest.raises(ExperimentError) as caught:
        read(directory, workload, more, target)
    return str(caught.value).removeprefix(f"{directory}/experiment.yaml:")


@pytest.mark.parametrize(("workload", "expected"), WORKLOADS)
def test_a_workload_that_is_wrong(workload: str, expected: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, workload) == f"4: workload.sysbench.{expected}"


FACTORS = [
    (
        "{script: oltp_update_index}",
        "{points: {sets: workload.point_selects, levels: [1, 10]}}",
        "points: varies workload.point_selects, which has no effect with script: oltp_update_index, only with oltp_read_write or oltp_read_only; remove it",
    ),
    (
        "{}",
        "{script: {sets: workload.script, levels: [oltp_insert, oltp_delete]}, size: {sets: workload.range_size, levels: [1, 10]}}",
        "size: varies workload.range_size, which has no effect with script: oltp_insert or oltp_delete, only with oltp_read_write or oltp_read_only; remove it",
    ),
    (
        "{script: select_random_ranges}",
        "{count: {sets: workload.tables, levels: [1, 4]}}",
        "count: sets tables to 4: the script select_random_ranges runs on one table; set 1 (at count=4)",
    ),
    (
        "{}",
        "{engine: {sets: workload.mysql_storage_engine, levels: [InnoDB, Aria]}}",
        "engine: varies workload.mysql_storage_engine, which has no effect on sqlite, only on mysql; remove it",
    ),
    (
        "{}",
        "{pareto: {sets: workload.pareto_h, levels: [0.1, 2]}}",
        "pareto.levels[1]: must be less than 1, not 2",
    ),
]


@pytest.mark.parametrize(("workload", "factors", "expected"), FACTORS)
def test_a_factor_that_is_wrong(workload: str, factors: str, expected: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, workload, f"factors: {factors}") == f"6: factors.{expected}"


def test_the_cell_is_named_where_a_fixed_option_is_wrong_in_one(tmp_path: Path) -> None:
    factors = "factors: {s: {sets: workload.script, levels: [oltp_delete, select_random_points]}}"
    assert refusal(tmp_path, "{tables: 2}", factors) == (
        "4: workload.sysbench.tables: is 2: the script select_random_points runs on one table; "
        "set 1 (at s=select_random_points)"
    )


def workload_of(experiment: Experiment) -> Sysbench:
    assert isinstance(experiment.workload, Sysbench)
    return experiment.workload


def test_an_option_may_have_its_effect_in_one_cell_only(tmp_path: Path) -> None:
    factors = "factors: {d: {sets: workload.distribution, levels: [uniform, pareto]}}"
    assert workload_of(read(tmp_path, "{pareto_h: 0.1}", factors)).pareto_h == 0.1
    targets = "targets: {a: {sqlite: {}}, b: {url: 'mariadb://h/d'}}"
    factors = "factors: {target: [a, b]}\nprocedure: {start: reload}"
    engine = read(tmp_path, "{mysql_storage_engine: Aria}", factors, targets)
    assert workload_of(engine).mysql_storage_engine == "Aria"


@pytest.mark.parametrize("target", ["mysql: {}", "postgresql: {}", "url: 'postgres://h/d'"])
def test_what_an_option_does_hangs_on_the_target(target: str, tmp_path: Path) -> None:
    read(tmp_path, "{auto_inc: false}", target=f"target: {{{target}}}")
    insert = "{script: oltp_insert, secondary: true}"
    reload = "procedure: {start: reload}"
    reading = read(tmp_path, insert, reload, f"target: {{{target}}}")
    assert workload_of(reading).secondary
    message = refusal(tmp_path, "{scrambled: false}", target=f"target: {{{target}}}")
    assert message.startswith("4: workload.sysbench.scrambled: has no effect")


UP = "target: {url: 'mysql://root@h/d'}"
CONTINUE = "procedure: {start: continue}"


def varied_and_continued(*scripts: str) -> str:
    return f"factors: {{script: {{sets: workload.script, levels: [{', '.join(scripts)}]}}}}\n{CONTINUE}"


TAKING_OVER = [
    (
        "{script: oltp_delete}",
        CONTINUE,
        SQLITE,
        "6: procedure.start: is continue, and oltp_delete does not bring rows back: each trial would find fewer of them; use snapshot or reload",
    ),
    (
        "{script: oltp_delete}",
        "",
        UP,
        "1: procedure.start: is continue, the default for a server that is already up, and oltp_delete does not bring rows back: each trial would find fewer of them; use reload",
    ),
    (
        "{script: bulk_insert}",
        CONTINUE,
        SQLITE,
        "6: procedure.start: is continue, and bulk_insert gives ids that an earlier trial may have left there; use snapshot or reload",
    ),
    (
        "{script: oltp_insert, auto_inc: false}",
        CONTINUE,
        SQLITE,
        "6: procedure.start: is continue, and oltp_insert with auto_inc: false gives ids that an earlier trial may have left there; use snapshot or reload",
    ),
    (
        "{}",
        varied_and_continued("oltp_read_only", "oltp_insert"),
        SQLITE,
        "7: procedure.start: is continue, and oltp_insert would leave tables that oltp_read_only cannot tell from wrong ones; use snapshot or reload",
    ),
    (
        "{}",
        varied_and_continued("oltp_insert", "oltp_write_only"),
        SQLITE,
        "7: procedure.start: is continue, and oltp_insert would leave tables that oltp_write_only cannot tell from wrong ones; use snapshot or reload",
    ),
]


@pytest.mark.parametrize(("workload", "more", "target", "expected"), TAKING_OVER)
def test_trials_that_cannot_take_over_what_others_left(
    workload: str, more: str, target: str, expected: str, tmp_path: Path
) -> None:
    assert refusal(tmp_path, workload, more, target) == expected
    restored = more.replace(CONTINUE, "") + "procedure: {start: reload}"
    assert read(tmp_path, workload, restored, target).procedure.start == "reload"


@pytest.mark.parametrize(
    ("workload", "more"),
    [
        ("{script: oltp_insert}", CONTINUE),
        ("{script: bulk_insert, secondary: true}", CONTINUE),
        ("{}", varied_and_continued("oltp_point_select", "oltp_read_only")),
        ("{}", varied_and_continued("oltp_read_write", "oltp_update_index")),
        ("{}", varied_and_continued("oltp_read_only", "oltp_read_write")),
        # Their tables differ, and so do trials that follow each other: each loads its own.
        ("{secondary: true}", varied_and_continued("oltp_read_write", "bulk_insert")),
    ],
)
def test_trials_that_may_take_over_what_others_left(
    workload: str, more: str, tmp_path: Path
) -> None:
    assert read(tmp_path, workload, more).procedure.start == "continue"
