"""What was not watched is told as unknown, with what it takes, and never as fine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dbdyno.analysis.bottleneck.model import CellLimit, LimitCode, Need
from tests.unit.analysis.bottleneck.cases import INNODB, MACHINE, POSTGRESQL, limits, local, watched
from tests.unit.store.result_builder import TrialScript

OF_HOST = {LimitCode.SERVER_CPU, LimitCode.MEMORY, LimitCode.DISK}
OF_COUNTERS = {
    *(LimitCode.ROW_LOCKS, LimitCode.COMMIT, LimitCode.REDO_SPACE),
    *(LimitCode.LOG_BUFFER, LimitCode.BUFFER_POOL),
}


def needs(cell: CellLimit) -> dict[LimitCode, Need]:
    return {each.code: each.need for each in cell.unknown}


def unknown(
    directory: Path,
    figures: Mapping[str, float] | None,
    *,
    url: str = "",
    host: str = "local",
    settings: Mapping[str, str] | None = None,
) -> dict[LimitCode, Need]:
    """Return what is not known where just this is watched."""

    def change(script: TrialScript) -> None:
        local(script)
        if url:
            script.generator_plan["url"] = url
        script.server["settings"] = dict(settings or {})
        if figures is not None:
            watched(script, figures, host)

    (cell,) = limits(directory, change)
    assert cell.limits == ()
    return needs(cell)


def without(name: str, figures: Mapping[str, float]) -> dict[str, float]:
    return {metric: value for metric, value in figures.items() if name not in metric}


def test_where_nothing_is_watched_only_the_generator_is_known(tmp_path: Path) -> None:
    expected = dict.fromkeys(OF_HOST, Need.HOST) | dict.fromkeys(OF_COUNTERS, Need.COUNTERS)
    assert unknown(tmp_path / "r", None) == expected


def test_where_the_machine_alone_is_watched_the_server_is_not_known(tmp_path: Path) -> None:
    assert unknown(tmp_path / "r", MACHINE) == dict.fromkeys(OF_COUNTERS, Need.COUNTERS)


def test_postgresql_has_no_redo_space_and_no_free_pages_to_wait_for(tmp_path: Path) -> None:
    url = "postgresql://me@127.0.0.1:5433/x"
    expected = dict.fromkeys((LimitCode.ROW_LOCKS, LimitCode.COMMIT), Need.COUNTERS)
    assert unknown(tmp_path / "one", MACHINE, url=url) == expected
    assert unknown(tmp_path / "other", MACHINE | POSTGRESQL, url=url) == {}


def test_an_exporter_tells_no_waits_of_postgresql(tmp_path: Path) -> None:
    """A server that was asked itself, and had nobody active, is known."""
    url = "postgresql://me@127.0.0.1:5433/x"
    told = MACHINE | without("wait", POSTGRESQL)
    expected = dict.fromkeys((LimitCode.ROW_LOCKS, LimitCode.COMMIT), Need.COUNTERS)
    assert unknown(tmp_path / "one", told, url=url) == expected
    asked = told | {"server postgresql.wal_records": 0.0}
    assert unknown(tmp_path / "other", asked, url=url) == {}


def test_without_the_performance_schema_commits_are_not_known(tmp_path: Path) -> None:
    figures = without("mysql.wait", MACHINE | INNODB)
    assert unknown(tmp_path / "r", figures) == {LimitCode.COMMIT: Need.WAITS}


def test_a_server_that_tells_waits_but_not_those_for_its_log_is_not_known(tmp_path: Path) -> None:
    figures = without("innodb_log_file", MACHINE | INNODB)
    assert unknown(tmp_path / "r", figures) == {LimitCode.COMMIT: Need.NOT_TOLD}


def test_a_server_that_does_not_tell_its_redo_space_is_not_asked_again(tmp_path: Path) -> None:
    figures = without("checkpoint", MACHINE | INNODB)
    assert unknown(tmp_path / "one", figures) == {LimitCode.REDO_SPACE: Need.NOT_TOLD}
    capacity = {"innodb_redo_log_capacity": "104857600"}
    figures = without("checkpoint_max", MACHINE | INNODB)
    assert unknown(tmp_path / "other", figures, settings=capacity) == {}


def test_galera_is_asked_for_where_it_is_on(tmp_path: Path) -> None:
    found = unknown(tmp_path / "r", MACHINE, settings={"wsrep_on": "ON"})
    assert found[LimitCode.FLOW_CONTROL] is Need.COUNTERS


@pytest.mark.parametrize(("host", "is_seen"), [("local", False), ("db1", True)])
def test_the_generator_s_machine_says_nothing_about_a_server_elsewhere(
    host: str, is_seen: bool, tmp_path: Path
) -> None:
    url = "mysql://root@db1.example:3306/dbdyno"
    found = unknown(tmp_path / "r", without("process", MACHINE), url=url, host=host)
    assert (found.keys() >= OF_HOST) is not is_seen


def test_without_pressure_nobody_knows_who_waited(tmp_path: Path) -> None:
    found = unknown(tmp_path / "r", without("pressure", MACHINE | INNODB))
    expected = (LimitCode.MEMORY, LimitCode.DISK, LimitCode.COMMIT)
    assert found == dict.fromkeys(expected, Need.PRESSURE)


def test_sqlite_is_no_server(tmp_path: Path) -> None:
    assert unknown(tmp_path / "r", None, url="sqlite:///x.db") == {}
