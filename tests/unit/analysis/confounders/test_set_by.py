"""Which aspects a factor sets itself, by the path that the plan of a real experiment file has."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.analysis.confounders.meaning import MEANINGS
from dbdyno.analysis.confounders.model import Aspect
from dbdyno.analysis.confounders.set_by import is_set_by
from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.read import read_experiment

HEAD = """\
experiment: e
question: Which?
workload: {sysbench: {}}
"""
PRIVATE = "target: {mysql: {}}\n"
POSTGRES = "target: {postgresql: {}}\n"
TWO = "targets: {old: {mysql: {}}, new: {mysql: {}}}\n"
SETS = "generators: {one: [{count: 1}], two: [{count: 2}]}\n"
URL = """\
target:
  url: mysql://root@db.example/d
  variables: {image: a}
  commands: {restart: [restart, '{image}']}
"""
CLUSTER = """\
target:
  cluster:
    members: {storage: {mysql: {}, count: 2}, balancer: {haproxy: {to: storage}}}
    setup: {storage: setup.sql.j2}
    variables: {shards: 4}
    url: mysql://{user}@{balancer}/{database}
"""

PROGRAM = {Aspect.PRODUCT, Aspect.VERSION, Aspect.BUILD, Aspect.STORAGE}
SETTINGS = {Aspect.DURABILITY, Aspect.ISOLATION, Aspect.COLLATION, Aspect.STORAGE}
TABLES = {Aspect.DATASET, Aspect.KEYS, Aspect.COLUMNS, Aspect.STORAGE}
OWN_COMMANDS = {
    *(PROGRAM | SETTINGS | {Aspect.FRONT}),
    *(Aspect.CPUS, Aspect.CPU_LIMIT, Aspect.MEMORY_LIMIT, Aspect.FILE_SYSTEM),
    *MEANINGS,
}

CASES: list[tuple[str, str, str, set[Aspect]]] = [
    (TWO, "target", "old", PROGRAM | {Aspect.FRONT}),
    (PRIVATE, "target.basedir", ".", PROGRAM),
    (PRIVATE, "target.option_file", "my.cnf", SETTINGS),
    (PRIVATE, "target.cpus", "0", {Aspect.CPUS}),
    (PRIVATE, "target.numa", "0", {Aspect.CPUS}),
    (PRIVATE, "target.transport", "tcp", {Aspect.TRANSPORT}),
    (PRIVATE, "limits.cpus", "1", {Aspect.CPU_LIMIT}),
    (PRIVATE, "limits.memory", "1G", {Aspect.MEMORY_LIMIT}),
    (PRIVATE, "load.protocol", "text", {Aspect.PROTOCOL}),
    (PRIVATE, "load.clients", "8", set()),
    (PRIVATE, "session.isolation", "serializable", {Aspect.ISOLATION}),
    (PRIVATE, "session.reconnect", "1", set()),
    (PRIVATE, "workload.table_size", "1000", TABLES),
    (PRIVATE + "load: {clients: 8}\n", "generators.count", "2", {Aspect.GENERATORS}),
    (PRIVATE, "generators.cpus", "0", set()),
    (PRIVATE + SETS, "generators", "one", {Aspect.GENERATORS}),
    (PRIVATE, "server.sync_binlog", "1", {Aspect.DURABILITY}),
    (
        PRIVATE,
        "server.default-storage-engine",
        "Aria",
        {Aspect.DURABILITY, Aspect.STORAGE},
    ),
    (
        PRIVATE,
        "server.transaction-isolation",
        "SERIALIZABLE",
        {Aspect.DURABILITY, Aspect.ISOLATION},
    ),
    (
        POSTGRES,
        "server.default_transaction_isolation",
        "serializable",
        {Aspect.DURABILITY, Aspect.ISOLATION},
    ),
    (
        PRIVATE,
        "server.collation-server",
        "utf8mb4_bin",
        {Aspect.DURABILITY, Aspect.COLLATION},
    ),
    (
        PRIVATE,
        "server.character_set_server",
        "latin1",
        {Aspect.DURABILITY, Aspect.COLLATION},
    ),
    (URL, "target.url", "mysql://root@b.example/d", PROGRAM | {Aspect.TRANSPORT, Aspect.DRIVER}),
    (URL, "target.variables.image", "b", OWN_COMMANDS),
    (CLUSTER, "target.variables.shards", "2", OWN_COMMANDS),
    (CLUSTER, "members.storage.count", "2", set()),
    (CLUSTER, "members.storage.basedir", ".", PROGRAM),
    (CLUSTER, "members.storage.option_file", "my.cnf", SETTINGS),
    (CLUSTER, "members.storage.cpus", "0", {Aspect.CPUS}),
    (CLUSTER, "members.storage.numa", "0", {Aspect.CPUS}),
    (CLUSTER, "members.storage.transport", "tcp", {Aspect.TRANSPORT}),
    (CLUSTER, "members.storage.limits.cpus", "1", {Aspect.CPU_LIMIT}),
    (CLUSTER, "members.storage.limits.memory", "1G", {Aspect.MEMORY_LIMIT}),
    (CLUSTER, "members.balancer.balance", "leastconn", set()),
    (
        CLUSTER,
        "server.storage.transaction_isolation",
        "SERIALIZABLE",
        {Aspect.DURABILITY, Aspect.ISOLATION},
    ),
]


def path_in_plan(directory: Path, target: str, path: str, level: str) -> str:
    """Return what the factor sets, as the plan has it and every result stores it."""
    (directory / "my.cnf").write_text("[mysqld]\n")
    (directory / "setup.sql.j2").write_text("SELECT {{ shards }};")
    file = directory / "experiment.yaml"
    factor = f"factors: {{varied: {{sets: {path}, levels: ['{level}']}}}}\n"
    if path.endswith(("clients", "reconnect", "count", "limits.cpus", "table_size", "shards")):
        factor = factor.replace("'", "")
    file.write_text(HEAD + target + factor)
    (found,) = make_plan(read_experiment(file)).factors
    return found.sets


@pytest.mark.parametrize(
    ("target", "path", "level", "aspects"), CASES, ids=[path for _, path, *_ in CASES]
)
def test_a_factor_sets_these_aspects_and_no_others(
    tmp_path: Path, target: str, path: str, level: str, aspects: set[Aspect]
) -> None:
    sets = path_in_plan(tmp_path, target, path, level)
    assert {aspect for aspect in Aspect if is_set_by(aspect, sets)} == aspects


@pytest.mark.parametrize("aspect", [Aspect.START, Aspect.CACHES])
def test_no_factor_sets_how_trials_start(aspect: Aspect) -> None:
    assert not any(is_set_by(aspect, path) for _, path, *_ in CASES)
