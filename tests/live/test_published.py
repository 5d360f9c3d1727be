"""The published tests: stated in full, and run by what stands in for their servers.

A copy runs that differs from the smoke size in its procedure, in its scale and in having two cells.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from dbdyno.cli.planning import read_and_plan
from dbdyno.experiment.file.smoke import merge_patch
from dbdyno.published.given import read_given
from dbdyno.results_table.evidence import to_evidence
from dbdyno.store.model import TrialStatus
from dbdyno.store.reader import read_result
from tests.live.conftest import PLUGINS
from tests.live.run.launch import call

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "experiments" / "published"
EXPERIMENTS = [
    file for file in sorted(PUBLISHED.glob("*.yaml")) if "\nexperiment: " in file.read_text()
]
FILES = [pytest.param(file, id=file.stem) for file in EXPERIMENTS]

WITH_TABLES = [
    pytest.param(file, id=file.stem) for file in EXPERIMENTS if "\n  published:" in file.read_text()
]
"""Those that set published figures beside their own."""

NAMED_TWICE = {("engine", "InnoDB (compressed)")}
"""Other names of levels, in a second table: a level of a factor stands for one name alone."""

NEEDS = {
    "greatsql-vs-mysql-tpcc": ("mysql_basedir",),
    "greatsql-vs-mysql-sysbench": ("mysql_basedir",),
    "hotdb-topologies-tpcc": ("sharding_proxy", "spider_plugins", "galera"),
    "postgresql-versions-sysbench": ("postgresql_versions",),
    "terarkdb-vs-innodb-tpcc": ("rocksdb_plugins",),
    "tidb-versions-sysbench": ("galera",),
}
"""The fixtures that unpack the servers of a file's smoke size."""

VENDORS = ("greatsql", "tidb", "hotdb", "terarkdb")

SHORTER = {
    "warmup": "0.1s",
    "duration": "0.5s",
    "interval": "0.1s",
    "rounds": 1,
}
REPORT = {"languages": ["zh"], "formats": ["html"]}
"""Of the reports one: all four are drawn of other results."""
LARGEST = {"tpcc": {"warehouses": 1}, "sysbench": {"tables": 2, "table_size": 1000}}


def read(file: Path) -> dict[str, Any]:
    document: dict[str, Any] = YAML(typ="safe").load(file)
    return document


def shortened(file: Path, directory: Path) -> Path:
    """Return a copy whose smoke size has two cells, little data and short trials.

    It stands where its relative paths lead to the same servers and to copies of its own files.
    """
    document = read(file)
    small = merge_patch(document, document["smoke"])
    changes = {
        "procedure": SHORTER,
        "report": REPORT,
        "workload": _smaller(small["workload"]),
        "factors": _of_two_cells(small),
        "cells": None,
    }
    # A section must be there, or the run would not count as one of stand-ins.
    section = {"smoke": {"question": small["question"]}}
    for other in ROOT.iterdir():
        (directory / other.name).symlink_to(other)
    (directory / "experiments").unlink()
    folder = directory / "experiments" / "published"
    folder.mkdir(parents=True)
    (folder.parent / "clusters").symlink_to(ROOT / "experiments" / "clusters")
    for other in PUBLISHED.iterdir():
        (folder / other.name).symlink_to(other)
    copy = folder / f"{file.stem}.copy.yaml"
    # Each YAML reader reads JSON.
    copy.write_text(json.dumps(merge_patch(small, changes) | section))
    return copy


def _of_two_cells(values: dict[str, Any]) -> dict[str, Any]:
    """Return factors of which the first that is varied keeps two levels, and all others one."""
    cells: list[dict[str, Any]] = values.get("cells") or [{}]
    own = {name: _levels(factor) for name, factor in values["factors"].items()}
    levels = {name: _listed(cells[0].get(name, known)) for name, known in own.items()}
    varied = next(name for name, known in levels.items() if len(known) > 1)
    return {
        name: _with_levels(
            values["factors"][name], [known[0], known[-1]] if name == varied else known[:1]
        )
        for name, known in levels.items()
    }


def _levels(factor: Any) -> list[Any]:
    return list(factor["levels"] if isinstance(factor, dict) else factor)


def _listed(level: Any) -> list[Any]:
    return level if isinstance(level, list) else [level]


def _with_levels(factor: Any, levels: list[Any]) -> Any:
    """Return the patch that leaves a factor these levels, of which some may have names."""
    if not isinstance(factor, dict):
        return levels
    written = factor["levels"]
    if isinstance(written, dict):
        left = {name: value if name in levels else None for name, value in written.items()}
        return {"levels": left, "baseline": None, "against": None}
    return {"levels": levels, "baseline": None, "against": None}


def _smaller(workload: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    return {
        kind: {name: most for name, most in LARGEST[kind].items() if name in options}
        for kind, options in workload.items()
    }


@pytest.mark.parametrize("file", WITH_TABLES)
def test_each_level_of_the_published_tables_is_planned(file: Path) -> None:
    experiment, plan = read_and_plan(file, smoke=False)
    levels = {factor.name: factor.levels for factor in plan.factors}
    found = 0
    for source in read_given(experiment):
        for table in source.tables:
            for trial in to_evidence(table).trials if table.figures else ():
                for column, told in trial.levels:
                    # Some columns are no factors: the kinds of TPC-C's transactions.
                    matched = source.match.get(column)
                    if matched and (column, told) not in NAMED_TWICE:
                        for factor, level in matched.own_levels(told).items():
                            assert level in levels[factor], (column, told)
                        found += 1
    assert found


@pytest.mark.parametrize("file", FILES)
def test_the_smoke_size(file: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    for fixture in NEEDS[file.stem]:
        request.getfixturevalue(fixture)
    # The path of a socket in it must be short.
    directory = tmp_path / "r"
    path = f"{os.environ['PATH']}:{PLUGINS / 'galera' / 'bin'}"
    command: list[str | Path] = ["run", shortened(file, tmp_path), "--smoke", "--out", directory]
    passwords = dict.fromkeys(("DBDYNO_PASSWORD", "STAND_IN_PASSWORD"), "made-up-for-this")
    done = call(command, environment={"PATH": path} | passwords)
    assert done.status == 0, done.output + done.errors
    result = read_result(directory)
    assert result.missing == ()
    assert {trial.status for trial in result.trials} == {TrialStatus.COMPLETED}
    assert all(trial.intervals["committed"].sum() > 0 for trial in result.trials)
    report = (directory / "report.zh.html").read_text(encoding="utf-8")
    assert report.rstrip().endswith("</html>")
    # A stand-in has its true name.
    targets = " ".join(trial.planned.target for trial in result.trials)
    assert not [vendor for vendor in VENDORS if vendor in targets]
