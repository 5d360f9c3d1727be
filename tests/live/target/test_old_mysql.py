"""MySQL 5.6 and 5.7, as published tests have them: really started, loaded and measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.store.model import TrialStatus
from dbdyno.store.reader import read_result
from tests.live.run.launch import call
from tests.live.target.kinds import MYSQL
from tests.live.target.queries import query

pytestmark = pytest.mark.live

EXPERIMENT = """
experiment: old
question: Does an old MySQL carry out what a new one does?
workload:
  {workload}
target:
  mysql:
    basedir: {basedir}
    set: {{innodb_buffer_pool_size: 64M, log_bin: "ON", server_id: 7}}
factors: {{clients: [2, 4]}}
procedure: {{warmup: 0.3s, duration: 1s, interval: 0.25s, rounds: 2}}
"""

WORKLOADS = [
    "sysbench: {script: oltp_read_write, tables: 2, table_size: 1000}",
    "tpcc: {schema: tpcc_mysql, warehouses: 1}",
]


def test_an_old_server_starts_again_with_what_it_has_stored(
    old_mysql_basedir: Path, tmp_path: Path
) -> None:
    server = MYSQL.open(tmp_path, basedir=str(old_mysql_basedir))
    with server:
        server.start({"innodb_buffer_pool_size": "24M"})
        query(server, "CREATE TABLE kept (id INT PRIMARY KEY)", "INSERT INTO kept VALUES (1), (2)")
        first = server.describe()
        server.start({"innodb_buffer_pool_size": "32M"})
        assert query(server, "SELECT id FROM kept ORDER BY id") == [("1",), ("2",)]
        assert query(server, "SELECT CURRENT_USER(), DATABASE()") == [
            ("dbdyno@127.0.0.1", "dbdyno")
        ]
        assert (first.product, first.version[:3]) == ("MySQL", old_mysql_basedir.name[-3:])
        assert server.describe().settings["innodb_buffer_pool_size"] == str(32 << 20)


@pytest.mark.parametrize("workload", WORKLOADS, ids=["sysbench", "tpcc"])
def test_an_experiment_runs_on_an_old_server(
    workload: str, old_mysql_basedir: Path, tmp_path: Path
) -> None:
    file = tmp_path / "old.yaml"
    file.write_text(EXPERIMENT.format(workload=workload, basedir=old_mysql_basedir))
    ended = call(["run", str(file), "--out", str(tmp_path / "out")])
    assert ended.status == 0, ended.output + ended.errors
    trials = read_result(tmp_path / "out").trials
    assert [trial.status for trial in trials] == [TrialStatus.COMPLETED] * 4
    assert all(trial.intervals["committed"].sum() > 0 for trial in trials)


def test_an_installation_without_its_system_tables_is_refused(
    old_mysql_basedir: Path, tmp_path: Path
) -> None:
    if old_mysql_basedir.name.endswith("5.7"):
        pytest.skip("its server makes them by itself")
    (tmp_path / "base" / "bin").mkdir(parents=True)
    (tmp_path / "base" / "bin" / "mysqld").symlink_to(old_mysql_basedir / "bin" / "mysqld")
    server = MYSQL.open(tmp_path, basedir=str(tmp_path / "base"))
    with server, pytest.raises(InputError, match=r"mysql_system_tables.sql.*set basedir"):
        server.start({})
