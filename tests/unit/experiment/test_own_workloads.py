"""Targets whose workload has fields of its own, and folders of plug-ins."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.file.target import MysqlTarget
from dbdyno.experiment.model import Experiment

HEAD = "experiment: e\nquestion: Which?\n"
TPCC = "workload: {tpcc: {warehouses: 3}}\n"
TARGETS = """\
targets:
  innodb: {mysql: {}, workload: {table_options: ROW_FORMAT=COMPRESSED}}
  rocksdb: {mysql: {}, workload: {table_options: ENGINE=ROCKSDB, partitions: 2}}
  plain: {mysql: {}}
"""
FACTORS = "factors: {target: [plain, innodb, rocksdb]}\n"


def read(directory: Path, text: str) -> Experiment:
    path = directory / "experiment.yaml"
    path.write_text(HEAD + text)
    return read_experiment(path)


def refusal(directory: Path, text: str) -> str:
    with pytest.raises(ExperimentError) as caught:
        read(directory, text)
    return str(caught.value).removeprefix(f"{directory}/experiment.yaml:")


@pytest.mark.parametrize("smoke", [False, True])
def test_each_target_has_the_common_workload_with_its_own_fields(
    tmp_path: Path, *, smoke: bool
) -> None:
    made = make_plan(read(tmp_path, TPCC + TARGETS + FACTORS), smoke=smoke)
    asked = {trial.target: trial.generator_plan.workload["tpcc"] for trial in made.trials}
    assert {name: (tpcc["table_options"], tpcc["partitions"]) for name, tpcc in asked.items()} == {
        "innodb": ("ROW_FORMAT=COMPRESSED", 0),
        "rocksdb": ("ENGINE=ROCKSDB", 2),
        "plain": ("", 0),
    }
    assert {tpcc["warehouses"] for tpcc in asked.values()} == {1 if smoke else 3}


def test_a_factor_changes_what_a_target_leaves_open(tmp_path: Path) -> None:
    factors = FACTORS.replace("]}", "], size: {sets: workload.warehouses, levels: [1, 2]}}")
    made = make_plan(read(tmp_path, TPCC.replace("warehouses: 3", "") + TARGETS + factors))
    asked = {
        (trial.target, tpcc["warehouses"], tpcc["table_options"])
        for trial in made.trials
        for tpcc in [trial.generator_plan.workload["tpcc"]]
    }
    assert len(asked) == 6
    assert ("rocksdb", 2, "ENGINE=ROCKSDB") in asked


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("one two three")
    targets = TARGETS.replace("partitions: 2", "text: words.txt")
    own = read(tmp_path, TPCC + targets + FACTORS).workload_of("rocksdb")
    assert own.model_dump()["text"] == str(tmp_path / "words.txt")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            TPCC + TARGETS.replace("partitions", "partition") + FACTORS,
            "6: targets.rocksdb.workload.partition: is no field of the workload; did you mean "
            "'partitions'?",
        ),
        (
            TPCC + TARGETS.replace("partitions: 2", "partitions: -2") + FACTORS,
            "6: targets.rocksdb.workload.partitions: must be 0 or more, not -2",
        ),
        (
            TPCC
            + TARGETS
            + FACTORS.replace("]}", "], p: {sets: workload.partitions, levels: [1]}}"),
            "8: factors.p: varies workload.partitions, which is fixed in workload of the target "
            "'rocksdb'; remove one of the two",
        ),
        (
            TPCC + "target: {mysql: {}, workload: {partitions: 2}}\n",
            "4: target.workload: is for one of several targets; write these fields under workload",
        ),
        (
            "workload: {sql: {transactions: {read: SELECT 1}}}\n" + TARGETS + FACTORS,
            "5: targets.innodb.workload: SQL of one's own is the same on all targets; remove it",
        ),
    ],
)
def test_a_workload_of_a_target_that_is_wrong(text: str, expected: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, text) == expected


def test_what_the_generator_refuses_is_said_of_the_target(tmp_path: Path) -> None:
    targets = TARGETS.replace("partitions: 2", "schema: tpcc-mysql, warehouses: 40000")
    expected = "6: targets.rocksdb.workload.warehouses: "
    assert refusal(tmp_path, TPCC + targets + FACTORS).startswith(expected)


def test_a_folder_of_plug_ins_is_relative_to_the_file(tmp_path: Path) -> None:
    target = read(tmp_path, TPCC + "target: {mysql: {set: {plugin_dir: ../plugins}}}\n")
    (server,) = target.targets.values()
    assert isinstance(server, MysqlTarget)
    # Servers show it with a slash behind it.
    assert server.settings == {"plugin_dir": f"{tmp_path.parent}/plugins/"}
