"""The files that an experiment names are a part of its result, without their passwords."""

from __future__ import annotations

from pathlib import Path

from dbdyno.analysis.setup import setup_of
from dbdyno.experiment.file.read import read_experiment
from dbdyno.facts.host import HostFacts
from dbdyno.run.configuration import configuration_of
from dbdyno.store.reader import read_result
from dbdyno.store.writer import ResultWriter
from tests.unit.store.result_builder import make_plan

EXPERIMENT = """\
experiment: named
question: Which?
workload: {sysbench: {}}
targets:
  alone: {mysql: {option_file: options/my.cnf}}
  layered:
    cluster:
      members:
        storage: {mysql: {option_file: options/my.cnf}, count: 2}
        compute: {command: {start: ./compute, ready: tcp 1, files: {conf.yaml: conf.yaml.j2}}}
      setup: {storage: storage.sql.j2}
      url: "mysql://{user}@{compute}/{database}"
factors: {target: [alone, layered]}
"""
FILES = {
    "options/my.cnf": "[mysqld]\ninnodb_buffer_pool_size = 1G\npassword = hunter2\n",
    "conf.yaml.j2": "# the layer\nuser: root\npassword: hunter2\nnodes: {{ storage }}\n",
    "storage.sql.j2": "SET GLOBAL x = 1;\n",
}


def test_each_file_is_kept_once_and_read_back(tmp_path: Path) -> None:
    (tmp_path / "options").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    path = tmp_path / "named.yaml"
    path.write_text(EXPERIMENT)
    found = configuration_of(read_experiment(path))
    assert found.keys() == FILES.keys()
    assert "hunter2" not in "".join(found.values())
    lines = {name: text.splitlines() for name, text in found.items()}
    assert lines["options/my.cnf"][1] == "innodb_buffer_pool_size = 1G"
    assert lines["conf.yaml.j2"][3] == "nodes: {{ storage }}"
    assert found["storage.sql.j2"] == FILES["storage.sql.j2"]

    result = ResultWriter.create(
        tmp_path / "r", experiment_text=EXPERIMENT, plan=make_plan(), host=HostFacts()
    )
    result.write_configuration(found)
    result.close()
    assert setup_of(read_result(tmp_path / "r")).configuration == found


def test_without_files_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "plain.yaml"
    path.write_text(
        "experiment: plain\nquestion: Which?\nworkload: {sysbench: {}}\ntarget: {mysql: {}}\n"
    )
    assert configuration_of(read_experiment(path)) == {}
