"""Where servers and generators were, as a report's table has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import ANY

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.deployment import Deployment, GeneratorPlace
from dbdyno.analysis.findings import Findings
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report.sections.tested_deployment import deployment_table
from tests.unit.store.result_builder import TrialScript, build_result, make_plan

NODES = FactorLevels("nodes", ("3", "1"), "members.node.count")
POOL = FactorLevels("pool", ("16M", "1G"), "server.innodb_buffer_pool_size")


def members(places: Mapping[str, str]) -> dict[str, list[dict[str, str]]]:
    """Return a cluster's servers by their names, each with its address."""
    described = [
        {"name": name, "role": name.partition("-")[0], "words": "", "address": address}
        for name, address in places.items()
    ]
    return {"members": described}


THREE = members({"node-1": "db1:3306", "node-2": "db2:3306", "node-3": "db1:3307", "client-1": ""})
ONE = members({"node-1": "db1:3306"})


def findings_of(
    directory: Path, factor: FactorLevels, *servers: dict[str, Any], rounds: int = 1
) -> Findings:
    """Return the findings of trials that had these servers, in their order."""
    of_trials = iter(servers)

    def change(script: TrialScript) -> None:
        script.server |= next(of_trials)
        if url := dict(script.planned.cell.levels).get("way"):
            script.generator_plan["url"] = url

    return analyse(build_result(directory, make_plan([factor], rounds=rounds), change))


def rows(findings: Findings) -> Iterator[list[str]]:
    for table in deployment_table(findings):
        yield [column.heading for column in table.columns]
        yield from ([str(cell.text) for cell in row] for row in table.bodies[0].rows)


def servers_of(found: Deployment) -> dict[str, str]:
    return dict(found.servers)


def test_a_factor_that_places_servers_has_a_row_for_each_level(tmp_path: Path) -> None:
    found = findings_of(tmp_path / "r", NODES, THREE, ONE)
    assert list(rows(found)) == [
        ["target", "nodes", "clients connect to", "node", "generators"],
        ["server", "3", ANY, "3: db1 (2), db2", "dbdyno's host"],
        ["server", "1", ANY, "1: db1", "dbdyno's host"],
    ]


def test_other_factors_leave_servers_where_they_are(tmp_path: Path) -> None:
    (found,) = findings_of(tmp_path / "r", POOL, THREE, THREE).deployments
    assert found.levels.levels == ()
    assert servers_of(found) == {"node": "3: db1 (2), db2"}


def test_where_clients_connect_is_said_by_the_names_of_servers(tmp_path: Path) -> None:
    urls = ("mysql://me@db1:3306,db1:3307/x?load_balance=random", "mysql://me@lvs:3306/x")
    way = FactorLevels("way", urls, "target.url")
    heading, first, second = rows(findings_of(tmp_path / "r", way, THREE, THREE))
    assert heading == ["target", "way", "clients connect to", "node", "generators"]
    assert first[2] == "node-1, node-3"
    assert second[2] == "lvs:3306"


def test_what_was_not_the_same_in_all_trials_is_listed(tmp_path: Path) -> None:
    (found,) = findings_of(tmp_path / "r", POOL, THREE, ONE).deployments
    assert servers_of(found) == {"node": "3: db1 (2), db2; 1: db1"}


def test_addresses_that_change_with_each_trial_are_no_places(tmp_path: Path) -> None:
    trials = [members({"node-1": f"10.0.{n}.2:3306", "node-2": f"10.0.{n}.3:3306"}) for n in (1, 2)]
    (found,) = findings_of(tmp_path / "r", POOL, *trials).deployments
    assert servers_of(found) == {"node": "2"}


def test_generators_are_named_with_what_they_are_for(tmp_path: Path) -> None:
    findings = findings_of(tmp_path / "r", POOL, THREE, THREE)
    apart = (GeneratorPlace("db7", (0, 1), ("node-1", "node-2")), *2 * [GeneratorPlace("db8")])
    deployed = tuple(replace(each, generators=apart) for each in findings.deployments)
    _, (*_, generators) = rows(replace(findings, deployments=deployed))
    assert generators == "db7 (CPUs 0–1) → node-1, node-2; 2 × db8"


def test_a_single_server_has_no_deployment(tmp_path: Path) -> None:
    found = findings_of(tmp_path / "r", POOL, {}, {})
    assert found.deployments == ()
    assert list(rows(found)) == []
