"""Servers of a cluster on other hosts: loaded, driven, restored, lost, and nothing left there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.cluster.elsewhere import member, stored, write
from tests.live.remote.namespaces import Namespace
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live


@pytest.fixture
def hosts() -> Iterator[tuple[Namespace, Namespace]]:
    with Namespace() as first, Namespace() as second:
        yield first, second


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_two_hosts_are_loaded_driven_restored_and_nothing_is_left(
    stage: Stage, hosts: tuple[Namespace, Namespace]
) -> None:
    place = stage.directory / "there"
    place.mkdir()
    (stage.directory / "my.cnf").write_text("[mysqld]\ninnodb_io_capacity=321\n")
    server = "mysql: {set: {max_connections: 90}, option_file: my.cnf, cpus: 0}"
    write(
        stage,
        f"storage: {member(hosts, server, f', directory: {place}')}",
        factors="clients: [2]",
    )
    ended = stage.run()
    assert ended.status == 0, ended
    print(json.dumps(stage.trial(1), indent=1)[:3000])
    assert stage.statuses() == {1: "completed", 2: "completed"}
    assert stored(place) == []
