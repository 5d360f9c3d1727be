"""What the real exporters tell, beside what dbdyno sees itself of the same."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from dbdyno.resources import CPU_TIMES, HOST, LOCAL_HOST, SERVER
from dbdyno.watch.exporter.watcher import ExporterAddress, watch_exporters
from dbdyno.watch.series.watcher import Watcher
from dbdyno.watch.server.watcher import watch_servers
from tests.live.engine.fixed_server import FixedServer, MariaDb, PostgreSql
from tests.live.run.stage import Stage
from tests.live.watch.exporters import exporter, exporter_of, of_node
from tests.unit.watch.burner import intervals_of, series, wait_for_intervals, wait_until

pytestmark = pytest.mark.live

INTERVAL_S = 0.1
SCRAPED_EACH_S = 1.0
"""The interval of a run's watchers."""


def read_resources(stage: Stage) -> pl.DataFrame:
    table = pl.read_parquet(stage.result / "trials" / "0001" / "resources.parquet")
    return table.cast({"role": pl.String, "host": pl.String, "metric": pl.String})


def test_node_exporter_and_dbdyno_see_the_same_trial(tmp_path: Path, exporters: Path) -> None:
    """CPU time may differ by what both see of the time that only one of them has seen.

    That is where their first and last readings are apart, and an interval within which the exporter
    may have read at any moment, on every CPU.
    """
    stage = Stage(tmp_path).write(factors="clients: [1]", rounds=1, duration="8s")
    with exporter(of_node(exporters)) as url:
        stage.file.write_text(
            stage.file.read_text() + f"watch: {{exporters: [{{url: '{url}', host: db1}}]}}\n"
        )
        ended = stage.run()
    assert ended.status == 0, ended
    trial = stage.trial(1)
    assert trial["watch_failures"] == []
    table = read_resources(stage).filter(pl.col("role") == HOST)
    ours, theirs = table.filter(host=LOCAL_HOST), table.filter(host="db1")

    cpus = os.cpu_count() or 1
    edges = [_edges_s(each) for each in (ours, theirs)]
    apart_s = sum(abs(one - other) for one, other in zip(*edges, strict=True)) + SCRAPED_EACH_S
    for metrics in (("cpu.user_s",), ("cpu.system_s",), ("cpu.idle_s",), CPU_TIMES):
        assert abs(_sum(ours, metrics) - _sum(theirs, metrics)) <= cpus * apart_s, metrics
    assert _sum(theirs, CPU_TIMES) >= cpus * (4.0 - SCRAPED_EACH_S)
    for cpu in range(cpus):
        busy = (f"cpu[{cpu}].busy_s",)
        assert abs(_sum(ours, busy) - _sum(theirs, busy)) <= apart_s

    # All that this machine tells is told by both, but for what node_exporter leaves out.
    names = {_kind(metric) for metric in ours["metric"].unique()}
    assert names - {_kind(metric) for metric in theirs["metric"].unique()} <= {
        *("pressure.cpu_full_s", "network[lo]"),
    }
    memory = "memory.available_bytes"
    assert _mean(theirs, memory) == pytest.approx(_mean(ours, memory), rel=0.2)
    report = (stage.result / "report.html").read_text()
    assert "watch-incomplete" not in report


def _edges_s(table: pl.DataFrame) -> tuple[float, float]:
    """Return when a watcher's first CPU interval began and its last one ended."""
    times = table.filter(pl.col("metric") == "cpu.user_s").sort("start_s")
    return times["start_s"][0], times["start_s"][-1] + times["duration_s"][-1]


def _sum(table: pl.DataFrame, metrics: tuple[str, ...]) -> float:
    return float(table.filter(pl.col("metric").is_in(metrics))["value"].sum())


def _mean(table: pl.DataFrame, metric: str) -> float:
    mean = table.filter(pl.col("metric") == metric)["value"].mean()
    assert isinstance(mean, float)
    return mean


def _kind(metric: str) -> str:
    """Return a metric, or of an interface the interface alone."""
    return metric.rpartition(".")[0] if metric.startswith("network[") else metric


def test_an_exporter_that_is_not_there_is_a_warning_of_the_trial(tmp_path: Path) -> None:
    stage = Stage(tmp_path).write(factors="clients: [1]", rounds=1, duration="2.5s")
    exporters = "watch: {exporters: [{url: 'http://me@127.0.0.1:1/metrics', password_env: PW}]}\n"
    stage.file.write_text(stage.file.read_text() + exporters)
    ended = stage.run(environment={"PW": "swordfish"})
    assert ended.status == 0, ended
    (sentence,) = stage.trial(1)["watch_failures"]
    shown = "exporter http://127.0.0.1:1/metrics cannot be reached: Connection refused ("
    assert sentence.startswith(shown)
    assert shown.partition(": Conn")[0] in (stage.result / "report.html").read_text()
    assert stage.holds("swordfish") == []


def _watch_both(server: FixedServer, url: str) -> tuple[Watcher, Watcher]:
    (own,) = watch_servers([server.url()], None, INTERVAL_S)
    (exported,) = watch_exporters([ExporterAddress(url, "db1", "storage-1")], interval_s=INTERVAL_S)
    return own, exported


def test_mysqld_exporter_counts_what_the_server_counts(exporters: Path) -> None:
    with MariaDb() as server, exporter_of(exporters, server) as url:
        server.query("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        own, exported = _watch_both(server, url)
        with own, exported:
            wait_until(lambda: min(intervals_of(own), intervals_of(exported)) >= 2)
            for number in range(30):
                server.query(f"INSERT INTO t VALUES ({number})")
                server.query("COMMIT")
            wait_for_intervals(own, 3)
            wait_for_intervals(exported, 3)
        for metric in ("mysql.commits", "innodb.data_fsyncs", "innodb.row_lock_waits"):
            assert series(exported, SERVER, metric) != [], metric
        assert sum(series(own, SERVER, "mysql.commits")) == 30
        assert sum(series(exported, SERVER, "mysql.commits")) == 30
        for metric in ("innodb.checkpoint_max_age_bytes", "innodb.buffer_pool_pages"):
            assert series(exported, SERVER, metric)[-1] == series(own, SERVER, metric)[-1]
        assert own.failures() == exported.failures() == ()
        asked = {metric for metric in own.table()["metric"].unique() if "wait[" not in metric}
        told = set(exported.table()["metric"].unique())
        assert asked - told <= {"watcher.cpu_s"}


def test_postgres_exporter_counts_what_the_server_counts(exporters: Path) -> None:
    with PostgreSql() as server, exporter_of(exporters, server) as url:
        own, exported = _watch_both(server, url)
        with own, exported:
            wait_until(lambda: min(intervals_of(own), intervals_of(exported)) >= 2)
            for _ in range(3):
                server.query("CHECKPOINT")
            metric = "postgresql.checkpoints_requested"
            for watcher in (own, exported):
                wait_until(lambda watcher=watcher: sum(series(watcher, SERVER, metric)) >= 3)  # type: ignore[misc]
            wait_for_intervals(exported, 2)
        assert sum(series(own, SERVER, metric)) == sum(series(exported, SERVER, metric)) == 3
        assert series(exported, SERVER, "postgresql.backends") != []
        assert sum(series(exported, SERVER, "postgresql.commits")) > 0
        assert exported.failures() == ()


def test_an_exporter_whose_server_is_killed_says_so_and_goes_on(exporters: Path) -> None:
    def says_so() -> bool:
        # What it read while the server died has a sentence of its own.
        said = f"exporter {url} says that it does not reach its server ("
        return any(each.startswith(said) for each in exported.failures())

    with MariaDb() as server, exporter_of(exporters, server) as url:
        _, exported = _watch_both(server, url)
        with exported:
            wait_for_intervals(exported, 2)
            server.kill()
            wait_until(says_so)
            server.start()
            before = len(series(exported, SERVER, "mysql.statements"))
            wait_until(lambda: len(series(exported, SERVER, "mysql.statements")) > before + 2)
