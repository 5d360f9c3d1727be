"""What a right experiment file becomes."""

from pathlib import Path

import pytest

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.procedure import SteadyWarmup
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.file.target import MysqlTarget, PostgresqlTarget, SqliteTarget, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.workload.sysbench import Sysbench

EXPERIMENTS = Path(__file__).parents[3] / "experiments"

FULL = """
experiment: greatsql-vs-mysql
question: Is GreatSQL faster than MySQL, and is it steadier?
workload:
  sysbench: {script: oltp_read_only, tables: 8, table_size: 1_000_000, distribution: zipfian}
targets:
  greatsql: {mysql: {basedir: greatsql, option_file: poc.cnf, cpus: "0-3,8"}}
  mysql: {mysql: {set: {innodb-flush-method: O_DIRECT, sync_binlog: 1, performance_schema: off}}}
factors:
  target: [mysql, greatsql]
  terminals: [32, 64]
  buffer_pool: {sets: server.innodb_buffer_pool_size, levels: [128G, 256G]}
  rows: {sets: workload.range_size, levels: [10, 100]}
load: {rate: 500, protocol: text}
procedure:
  {warmup: 5m, duration: 1.5h, interval: 500ms, rounds: 8, start: reload, error_budget: 5%,
   retry: {max_retries: 3, backoff_min: 2ms, backoff_max: 1}, limits: {drain: 30s}}
generators: [{cpus: 111-113}]
"""


def read(text: str, directory: Path) -> Experiment:
    path = directory / "experiment.yaml"
    path.write_text(text)
    return read_experiment(path)


def sqlite_experiment(more: str, directory: Path) -> Experiment:
    head = "experiment: e\nquestion: Which?\nworkload: {sysbench: {}}\ntarget: {sqlite: {}}\n"
    return read(head + more, directory)


@pytest.fixture
def full(tmp_path: Path) -> Experiment:
    (tmp_path / "poc.cnf").write_text("[mysqld]\n")
    return read(FULL, tmp_path)


def test_targets_keep_their_order_and_paths_are_relative_to_the_file(
    full: Experiment, tmp_path: Path
) -> None:
    assert list(full.targets) == ["greatsql", "mysql"]
    assert full.targets["greatsql"] == MysqlTarget(
        basedir=tmp_path / "greatsql", option_file=tmp_path / "poc.cnf", cpus=(0, 1, 2, 3, 8)
    )


def test_a_postgresql_target_has_the_fields_of_a_private_server(tmp_path: Path) -> None:
    (tmp_path / "poc.conf").write_text("fsync = on\n")
    experiment = read(
        "experiment: e\nquestion: Which?\nworkload: {sysbench: {}}\ntarget:\n  postgresql:\n"
        "    {basedir: pg, option_file: poc.conf, cpus: 0-1, set: {shared-buffers: 1GB}}\n"
        "factors:\n  work: {sets: server.work_mem, levels: [4MB, 64MB]}\n",
        tmp_path,
    )
    target = PostgresqlTarget(
        basedir=tmp_path / "pg",
        option_file=tmp_path / "poc.conf",
        cpus=(0, 1),
        set={"shared_buffers": "1GB"},
    )
    assert experiment.targets == {"postgresql": target}
    assert experiment.procedure.start == "snapshot"
    assert [level.value for level in experiment.factors[0].levels] == ["4MB", "64MB"]


def test_settings_are_text_under_one_spelling(full: Experiment) -> None:
    target = full.targets["mysql"]
    assert isinstance(target, MysqlTarget)
    assert target.settings == {
        "innodb_flush_method": "O_DIRECT",
        "sync_binlog": "1",
        "performance_schema": "off",
    }


def test_factors_say_what_they_set(full: Experiment) -> None:
    assert [(factor.name, factor.sets) for factor in full.factors] == [
        ("target", "target"),
        ("terminals", "load.clients"),
        ("buffer_pool", "server.innodb_buffer_pool_size"),
        ("rows", "workload.range_size"),
    ]
    assert [level.label for level in full.factors[2].levels] == ["128G", "256G"]
    assert [level.value for level in full.factors[1].levels] == [32, 64]


def test_durations_and_shares_become_numbers(full: Experiment) -> None:
    procedure = full.procedure
    assert (procedure.warmup_s, procedure.duration_s, procedure.interval_s) == (300, 5400, 0.5)
    assert (procedure.retry.backoff_min_s, procedure.retry.backoff_max_s) == (0.002, 1)
    assert (procedure.limits.connect_s, procedure.limits.drain_s) == (30, 30)
    assert procedure.error_budget == 0.05
    assert full.generators[0].cpus == (111, 112, 113)


def test_six_lines_have_careful_defaults(tmp_path: Path) -> None:
    experiment = sqlite_experiment("factors: {clients: [1, 2]}", tmp_path)
    procedure = experiment.procedure
    assert experiment.targets == {"sqlite": SqliteTarget()}
    assert (procedure.rounds, procedure.order, procedure.start) == (6, "interleaved", "snapshot")
    assert (procedure.warmup_s, procedure.duration_s) == (10, 60)
    assert procedure.check == "consistency"
    assert isinstance(experiment.workload, Sysbench)
    assert experiment.workload.distribution == "uniform"
    assert experiment.text.startswith("experiment: e\n")


def test_data_of_a_server_that_is_up_is_left_as_it_is(tmp_path: Path) -> None:
    text = "experiment: e\nquestion: Which?\nworkload: {sysbench: {}}\n"
    text += "target: {url: 'mysql://root@h1:3306/db'}\n"
    experiment = read(text, tmp_path)
    assert experiment.targets == {"mysql": UrlTarget(url="mysql://root@h1:3306/db")}
    assert experiment.procedure.start == "continue"
    assert read(text + "procedure: {start: reload}", tmp_path).procedure.start == "reload"


def test_a_start_may_have_the_name_that_it_had(tmp_path: Path) -> None:
    experiment = sqlite_experiment("procedure: {start: as_is}", tmp_path)
    assert experiment.procedure.start == "continue"


def test_nodes_behind_a_layer_are_named(tmp_path: Path) -> None:
    text = "experiment: e\nquestion: Which?\nworkload: {sysbench: {}}\n"
    nodes = ("mysql://root@n1:3306/db", "mysql://root@n2:3306/db")
    more = f"nodes: [{', '.join(map(repr, nodes))}], nodes_password_env: NODES"
    read_text = text + f"target: {{url: 'mysql://root@h1:3306/db', {more}}}\n"
    (target,) = read(read_text, tmp_path).targets.values()
    assert isinstance(target, UrlTarget)
    assert (target.nodes, target.nodes_password_env) == (nodes, "NODES")


@pytest.mark.parametrize(
    "url",
    [
        "mysql://root@127.0.0.1:3306/dbdyno",
        "mysql://root@[::1]:3306/dbdyno",
        "mysql:///dbdyno?socket=/run/mysqld.sock",
        "mariadb://root@127.0.0.1/dbdyno",
        "postgresql://postgres@127.0.0.1:5432/dbdyno",
        "postgres://postgres@[::1]/dbdyno",
        "sqlite:///path.db",
    ],
)
def test_urls_that_are_right(url: str, tmp_path: Path) -> None:
    text = (
        f"experiment: e\nquestion: Which?\nworkload: {{sysbench: {{}}}}\ntarget: {{url: '{url}'}}"
    )
    assert list(read(text, tmp_path).targets.values()) == [UrlTarget(url=url)]


def test_anchors_and_merges_work_and_keep_lines(tmp_path: Path) -> None:
    text = (
        "experiment: e\nquestion: Which?\nworkload: {sysbench: {}}\n"
        "targets:\n  a: &a {mysql: {}}\n  b: {<<: *a}\nfactors: {target: [a, b]}\n"
    )
    assert list(read(text, tmp_path).targets) == ["a", "b"]


@pytest.mark.parametrize("path", sorted(EXPERIMENTS.glob("*.yaml")), ids=lambda path: path.stem)
def test_ready_experiments_read(path: Path) -> None:
    assert read_experiment(path).name == path.stem


def test_first_experiment_has_six_lines() -> None:
    assert len((EXPERIMENTS / "first-experiment.yaml").read_text().splitlines()) == 6


def test_a_warm_up_may_end_when_throughput_is_steady(tmp_path: Path) -> None:
    written = "procedure: {warmup: {until: steady, most: 5m, least: 20}}"
    procedure = sqlite_experiment(written, tmp_path).procedure
    assert procedure.steady_warmup == SteadyWarmup(until="steady", most=300.0, least=20.0)
    assert procedure.warmup_s == 300
    (trial, *_) = make_plan(sqlite_experiment(written, tmp_path)).trials
    assert (trial.generator_plan.warmup_s, trial.generator_plan.warmup_least_s) == (300, 20)
    usual = sqlite_experiment("procedure: {warmup: {until: steady}}", tmp_path).procedure
    assert (usual.warmup_s, usual.warmup) == (60, SteadyWarmup(until="steady"))
    fixed = sqlite_experiment("procedure: {warmup: 5m}", tmp_path)
    assert fixed.procedure.steady_warmup is None
    assert "warmup_least_s" not in make_plan(fixed).trials[0].generator_plan.to_document()
