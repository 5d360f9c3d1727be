"""What the generators of each host have at the most, over all trials of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.read import read_experiment
from dbdyno.run.host_loads import client_needs, servers_of_hosts
from dbdyno.watch.client_limits import ClientNeeds

HEAD = "experiment: e\nquestion: Which?\nworkload: {sysbench: {}}\n"
URL = "target: {url: 'mysql://root@h1,h2:3307/test'}\n"
CLIENTS = "factors: {clients: [8, 20]}\n"
CLUSTER = "target: {cluster: {members: {db: {mysql: {}, count: 3}}, url: 'mysql://u@{db*}/x'}}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (URL, {"": (20, 10)}),
        (f"{URL}generators: [{{count: 2}}]", {"": (10, 10)}),
        (f"{URL}generators: [{{to: [h1]}}, {{to: [h1]}}]", {"": (10, 20)}),
        (f"{URL}generators: [{{to: [h1]}}, {{host: a}}]", {"": (10, 10), "a": (10, 5)}),
        (f"{CLUSTER}generators: [{{share: 1/4}}, {{share: 3/4, to: [db-2]}}]", {"": (15, 17)}),
        ("target: {sqlite: {}}\n", {"": (20, 0)}),
        ("target: {mysql: {}}\n", {"": (20, 20)}),
        ("target: {mysql: {transport: socket}}\n", {"": (20, 0)}),
        ("target: {url: 'mysql://root@/test?socket=/a'}\n", {"": (20, 0)}),
    ],
)
def test_the_most_clients_of_a_host(
    text: str, expected: Mapping[str, tuple[int, int]], tmp_path: Path
) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(f"{HEAD}{CLIENTS}{text}")
    experiment = read_experiment(path)
    found = client_needs(experiment, make_plan(experiment).trials)
    assert found == {host: ClientNeeds(*needs) for host, needs in expected.items()}


def test_each_host_has_the_servers_that_its_generators_are_sent_to(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(f"{HEAD}{CLIENTS}{URL}generators: [{{to: [h1]}}, {{host: a}}]")
    experiment = read_experiment(path)
    assert servers_of_hosts(experiment, make_plan(experiment).trials) == {
        "": ("h1:3306",),
        "a": ("h1:3306", "h2:3307"),
    }
